"""Checks of the configuration's rows whose predictions were made elsewhere."""

from collections.abc import Iterator
from pathlib import Path

from clinbench import plugins

Check = tuple[str, list[str], list[str]]


def external_file(risk: dict, name: str, cohort: str, table: str) -> str | None:
    """Return the file with predictions made elsewhere for a table's block of a cohort; None where there is none."""
    entry = risk["external"][name]
    entry = entry.get(cohort) if isinstance(entry, dict) else entry
    return entry.get(table) if isinstance(entry, dict) else entry


def names(risk: dict) -> list[Check]:
    """List where a cohort or table is named, what is named there and the choices there are."""
    checks = []
    for name, entry in risk["external"].items():
        where = f"risk.external.{name}"
        cohorts = entry if isinstance(entry, dict) else {}
        checks.append((where, list(cohorts), plugins.names("cohorts")))
        for cohort, inner in cohorts.items():
            tables = list(inner) if isinstance(inner, dict) else []
            checks.append((f"{where}.{cohort}", tables, list(risk["models"])))
    return checks


def problems(risk: dict) -> Iterator[str]:
    """Name clashes with other rows, files that are not there and files it is not known what for."""
    for name, entry in risk["external"].items():
        where = f"risk.external.{name}"
        for section, word in (("losses", "loss"), ("baselines", "baseline")):
            if name in risk[section]:
                yield f"{where}: a {word} has this name already; choose another."
        if isinstance(entry, str) and len(risk["cohorts"]) > 1:
            yield f"{where}: for which of {', '.join(risk['cohorts'])}? Write {{cohort: file}} in place of one file."
        by_cohort = (
            entry.items() if isinstance(entry, dict) else [(cohort, entry) for cohort in risk["cohorts"]]
        )
        for cohort, inner in by_cohort:
            if isinstance(inner, str) and len(_tasks(risk, cohort)) > 1:
                tables = ", ".join(risk["tables"])
                yield f"{where}: of {cohort}, for which of {tables}? Write {{cohort: {{table: file}}}}."
            for file in inner.values() if isinstance(inner, dict) else [inner]:
                if not Path(file).is_file():
                    yield f"{where}: {file} does not exist."


def _tasks(risk: dict, cohort: str) -> set[str]:
    """Return the tasks of the selected tables that a cohort has."""
    known = plugins.declared("cohorts", cohort, "TASKS") if cohort in plugins.names("cohorts") else []
    selected = (risk["models"][table]["task"] for table in risk["tables"] if table in risk["models"])
    return set(selected) & set(known)
