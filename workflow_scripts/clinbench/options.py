"""The options of every plug-in as a Markdown page: ``python -m clinbench.options > docs/options.md``."""

from clinbench import plugins

PACKAGES = {
    "cohorts": "Cohorts, under `risk.<name>`",
    "risk.models": "Risk models, under `risk.models.<name>`",
    "risk.baselines": "Baseline rows, under `risk.baselines.<name>`",
    "risk.losses": "Losses, under `risk.losses.<name>`",
    "coding.tables": "Code tables, under `coding.tables.<name>`",
    "coding.benchmarks": "Benchmarks, under `coding.<name>`",
    "coding.systems": "Retrieval systems, under `coding.retrievers.<name>`",
}


def page() -> str:
    """Return the page."""
    lines = ["# Options of the plug-ins", "", "Written by `make docs`; do not edit.", ""]
    for package, title in PACKAGES.items():
        lines += [f"## {title}", ""]
        for name in plugins.names(package):
            lines += [f"### `{name}`", ""]
            for key, sentence in (plugins.declared(package, name, "DATA", {}) or {}).items():
                lines += [f"Needs `data.{key}`. {sentence}", ""]
            for key, sentence in plugins.declared(package, name, "OPTIONAL_DATA", {}).items():
                lines += [f"Reads `data.{key}`. {sentence}", ""]
            options = plugins.declared(package, name, "OPTIONS")
            lines += (
                ["| option | default | allowed | what |", "| --- | --- | --- | --- |"]
                if options
                else ["No options."]
            )
            lines += [_line(key, option) for key, option in options.items()] + [""]
    return "\n".join(lines).rstrip() + "\n"


def _line(key: str, option: dict) -> str:
    default = _code(option["default"])
    for preset, value in option.get("presets", {}).items():
        default += f", {_code(value)} in preset {preset}"
    return f"| `{key}` | {default} | {_allowed(option)} | {option['description']} |"


def _code(value: object) -> str:
    return f"`{value}`".replace("None", "null").replace("True", "true").replace("False", "false")


def _allowed(option: dict) -> str:
    """Say in words which values a schema admits."""
    if "enum" in option:
        return ", ".join(f"`{value}`" for value in option["enum"])
    kind = option.get("type", "")
    words = [" or ".join(kind) if isinstance(kind, list) else kind]
    for key, sign in (
        ("minimum", "≥"),
        ("exclusiveMinimum", ">"),
        ("maximum", "≤"),
        ("exclusiveMaximum", "<"),
    ):
        if key in option:
            words.append(f"{sign} {option[key]}")
    if "items" in option:
        words.append(f"of {_allowed(option['items'])}")
    return " ".join(words)


if __name__ == "__main__":
    print(page(), end="")
