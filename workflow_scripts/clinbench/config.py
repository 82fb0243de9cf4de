"""Check a configuration: one message that names every wrong key and the choices there are."""

import math
from contextlib import suppress
from functools import cache
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from clinbench import config_coding, config_risk, plugins
from clinbench.errors import closest, refuse

SCHEMA = Path(__file__).with_name("config.schema.yaml")

# Keys of an entry that the suite itself reads; the rest belong to the entry's plug-in.
COMMON = {
    "losses": {
        "scr_weights": {
            "type": "array",
            "items": {"type": "number", "minimum": 0},
            "minItems": 1,
            "uniqueItems": True,
        },
        "temperature": {"type": "number", "exclusiveMinimum": 0},
        "scr_scale": {"type": "number", "minimum": 0},
        "cbce_scale": {"type": "number", "minimum": 0},
        "singleton": {"enum": ["skip_anchor", "skip_batch", "error"]},
        "proba": {"enum": ["paper", "posterior"]},
    },
    "models": {"task": {}, "search": {}},
    "baselines": {},
    "tables": {},
    "retrievers": config_coding.RETRIEVER,
}
ACCESS = {  # of a cohort or benchmark: over its own declaration; whether its figures leave the private folder
    "access": {"enum": ["open", "credentialed"]},
    "allow_figures": {"type": "boolean"},
}
PACKAGES = {
    ("risk", "losses"): "risk.losses",
    ("risk", "models"): "risk.models",
    ("risk", "baselines"): "risk.baselines",
    ("coding", "tables"): "coding.tables",
    ("coding", "retrievers"): "coding.systems",
}


def check(config: dict) -> None:
    """Refuse a configuration that cannot run.

    Numbers, booleans and null that ``--config`` handed over as text are put right first, in place.

    Raises:
        UserError: all problems of a kind at once, each with its key, value and the choices. Kinds go by what one can
            ask of the other: shape, options of plug-ins, names, data.
    """
    _tidy(config)
    problems = [_sentence(error) for error in _errors(config, schema())] + _not_finite(config)
    if not problems:
        problems = _plugin_problems(config)
    if not problems:
        problems = _selection_problems(config)
    if not problems:
        problems = [*_exclusions(config["data"]), *_data_problems(config)]
    refuse(problems, "The configuration cannot be used:", limit=30)


@cache
def schema() -> dict:
    """Return the schema with the sections that cohort, benchmark and table plug-ins bring along."""
    loader = getattr(
        yaml, "CSafeLoader", yaml.SafeLoader
    )  # the pure-Python one costs every plan half a second
    base = yaml.load(SCHEMA.read_text(encoding="utf-8"), Loader=loader)
    data = {}
    for track, package, extra in (
        ("risk", "cohorts", ACCESS),
        ("coding", "coding.benchmarks", ACCESS | config_coding.BENCHMARK),
    ):
        section = base["properties"][track]
        for name in plugins.names(package):
            section["properties"][name] = {
                "type": "object",
                "additionalProperties": False,
                "properties": {**extra, **plugins.declared(package, name, "OPTIONS")},
            }
            data |= plugins.data(package, name)
        section["additionalProperties"] = False
        section["required"] = [key for key in section["properties"] if key not in plugins.names(package)]
    for name in plugins.names("coding.tables"):
        data |= plugins.declared("coding.tables", name, "DATA", {})
    base["properties"]["data"].update(
        properties={key: {"type": ["string", "null"], "minLength": 1} for key in sorted(data)},
        additionalProperties=False,
    )
    return base


def _tidy(node: dict | list) -> None:
    """Replace the text ``null`` by None and whole floats by integers, so that 1.0 and 1 are one seed."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if value == "null":
            node[key] = None
        elif isinstance(value, float) and value.is_integer():
            node[key] = int(value)
        elif isinstance(value, dict | list):
            _tidy(value)


def _not_finite(node: dict | list, where: str = "") -> list[str]:
    """Name every number that is NaN or infinite; a schema cannot refuse them."""
    problems = []
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        place = f"{where}.{key}".strip(".")
        if isinstance(value, float) and not math.isfinite(value):
            problems.append(f"{place}: {value} is not a finite number.")
        elif isinstance(value, dict | list):
            problems += _not_finite(value, place)
    return problems


def _errors(value: dict, expected: dict) -> list[ValidationError]:
    """Validate, after replacing text by the number, boolean or null it spells where the schema wants that."""
    validator = Draft202012Validator(expected)
    for error in list(validator.iter_errors(value)):
        if error.validator != "type" or not isinstance(error.instance, str) or not error.absolute_path:
            continue
        parent = value
        for key in list(error.absolute_path)[:-1]:
            parent = parent[key]
        with suppress(yaml.YAMLError):  # text that is no YAML stays, and is named as what it is
            parent[error.absolute_path[-1]] = yaml.safe_load(error.instance)
    return list(validator.iter_errors(value))


def _plugin_problems(config: dict) -> list[str]:
    """Check every entry with a ``kind`` against the options of its plug-in."""
    problems = []
    for (track, section), package in PACKAGES.items():
        for name, entry in config[track][section].items():
            where = f"{track}.{section}.{name}"
            kinds = plugins.names(package)
            if entry["kind"] not in kinds:
                problems.append(
                    f"{where}.kind: no '{entry['kind']}'{closest(entry['kind'], kinds)}; there are {_list(kinds)}."
                )
                continue
            options = plugins.declared(package, entry["kind"], "OPTIONS")
            allowed = {"kind": {}, **COMMON[section], **options}
            expected = {"type": "object", "properties": allowed, "additionalProperties": False}
            problems += [_sentence(error, where) for error in _errors(entry, expected)]
    return problems


def _selection_problems(config: dict) -> list[str]:
    """Check that selections name definitions, and that definitions name each other rightly."""
    risk, coding = config["risk"], config["coding"]
    checks = [
        ("risk.cohorts", risk["cohorts"], plugins.names("cohorts")),
        ("risk.tables", risk["tables"], risk["models"]),
        ("risk.rows", risk["rows"], {**risk["losses"], **risk["baselines"]}),
        *config_risk.names(risk),
        ("risk.imbalance.table", [risk["imbalance"]["table"]], risk["models"]),
        *config_coding.names(coding),
    ]
    problems = [
        f"{where}: no '{name}'{closest(name, choices)}; choose from {_list(choices)}."
        for where, chosen, choices in checks
        for name in chosen
        if name not in choices
    ]
    problems = [
        *config_coding.problems(coding),
        *config_risk.problems(risk),
        *_overlap_problems(config),
        *problems,
    ]
    if config["bootstrap"]["interval_draws"] < config["bootstrap"]["std_draws"]:
        problems.append("bootstrap.interval_draws: must be at least bootstrap.std_draws.")
    drawn = [risk["models"][name] for name in risk["tables"] if name in risk["models"]]
    sizes = {
        size for entry in drawn for size in entry.get("search", {}).get("batch_sizes", risk["batch_sizes"])
    }
    if "tsne" in risk["studies"] and risk["tsne"]["batch_size"] not in sizes:
        problems.append(
            f"risk.tsne.batch_size: no table searches {risk['tsne']['batch_size']}; see batch_sizes."
        )
    problems += [
        f"risk.rows: '{row}' is both a loss and a baseline."
        for row in risk["baselines"]
        if row in risk["losses"]
    ]
    return problems


def _data_problems(config: dict) -> list[str]:
    """Check that the data of everything selected are configured and there."""
    wanted, problems = [], []
    if "risk" in config["tracks"]:
        wanted += [("cohorts", name, f"risk.cohorts: {name}") for name in config["risk"]["cohorts"]]
    if "coding" in config["tracks"]:
        for name in config_coding.benchmarks_of(config["coding"]):
            where = f"coding.benchmarks: {name}"
            tables = [config["coding"]["tables"][table] for table in config_coding.tables_of(config, name)]
            wanted.append(("coding.benchmarks", name, where))
            wanted += [("coding.tables", table["kind"], where) for table in tables]
            problems += config_coding.file_problems(config["coding"]["tables"], tables)
    for package, name, where in wanted:
        needed = plugins.declared(package, name, "DATA", {})
        for key, origin in plugins.data(package, name).items():
            path = config["data"].get(key)
            if path and path.startswith("~"):
                path = config["data"][key] = str(Path(path).expanduser())
            if path is None and key not in needed:
                continue
            if path is None:
                problems.append(f"{where} needs data.{key}, which is null. {origin}")
            elif not Path(path).exists():
                problems.append(f"data.{key}: {path} does not exist. {origin}")
    return problems


def _exclusions(data: dict) -> list[str]:
    """Name keys under ``data`` that are set though another one excludes them."""
    pairs = {
        tuple(sorted(pair))
        for name in plugins.names("cohorts")
        for pair in plugins.declared("cohorts", name, "EXCLUDES_DATA", {}).items()
    }
    return [
        f"data.{one} and data.{two} are both set; they are two ways to the same stays. Set one of them to null."
        for one, two in sorted(pairs)
        if data.get(one) and data.get(two)
    ]


def _overlap_problems(config: dict) -> list[str]:
    """Refuse a part of a data set that both trains and tests."""
    chosen = [("risk", name) for name in config["risk"]["cohorts"]]
    chosen += [("coding", name) for name in config_coding.benchmarks_of(config["coding"])]
    problems = []
    for track, name in chosen:
        options = config[track].get(name, {})
        both = [part for part in options.get("train", []) if part in options.get("test", [])]
        if both:
            problems.append(f"{track}.{name}: {', '.join(map(str, both))} would both train and test.")
    return problems


def _sentence(error: ValidationError, root: str = "") -> str:
    """Turn a schema error into key, what is wrong, and the choices."""
    where = ".".join([root, *map(str, error.absolute_path)]).strip(".") or "top level"
    if error.validator == "additionalProperties" and error.schema.get("additionalProperties") is False:
        choices = sorted(error.schema["properties"])
        unknown = sorted(set(error.instance) - set(choices))
        return "; ".join(f"{where}: unknown key '{key}'{closest(key, choices)}" for key in unknown) + (
            f"; choose from {_list(choices)}."
        )
    if error.validator == "enum":
        return f"{where}: {error.instance!r} is not one of {_list(error.validator_value)}."
    if (
        error.validator == "type"
        and isinstance(error.instance, str)
        and "number" in str(error.validator_value)
    ):
        return f"{where}: {error.instance!r} is text, not a number (YAML needs 0.001 or 1.0e-3, not 1e-3)."
    return f"{where}: {error.message}."


def _list(choices: object) -> str:
    return ", ".join(str(choice) for choice in choices) or "(none)"
