"""What the report and the manifest are made of, and the words a user types to make each part again."""

import json
import shlex
from pathlib import Path, PurePosixPath

from clinbench import plugins
from clinbench.digest import canonical
from clinbench.manifest import without_paths
from planning.places import PACKAGES, data_keys, store
from planning.sharing import JOINED, SharingPlan
from planning.studies import StudyPlan

CAPTIONS = "rules/captions"
SHOWN_ALREADY = ("access", "allow_figures")
OWN = {  # where data come from that no publisher has to be asked for
    "synthetic": "Made by this suite from a seed; no patient stands behind it.",
    "icd10cm_inclusion_terms": "ICD-10-CM of the US National Center for Health Statistics, public domain, through the "
    "package simple-icd-10-cm (MIT).",
    "languages": "Composed by this suite's lexicon; ICD-10-CM of the US National Center for Health Statistics, public "
    "domain.",
}


class PagePlan:
    """Answers the rules of the report and the manifest.

    Args:
        sharing: what may be shared.
        studies: for the levels of the imbalance study.
        folder: of the Snakefile.
        files: configuration files given on the command line.
        given: values given on the command line.
    """

    def __init__(self, sharing: SharingPlan, studies: StudyPlan, folder: str, files: list, given: dict):
        self.sharing, self.studies, self.config = sharing, studies, sharing.config
        self.folder, self.files, self.given = Path(folder), [Path(file) for file in files], dict(given)

    def targets(self) -> list[str]:
        """Return what ``all`` makes beside tables and figures."""
        return ["results/report/index.html", "results/manifest.json"]

    def inputs(self) -> list[str]:
        """Return every shared target, and the metrics behind the tables."""
        files = [f"results/{file}" for result in json.loads(self.sharing.results()) for file in result]
        metrics = [
            file for file in files if file.startswith("results/metrics/") and not file.endswith(".run.json")
        ]
        return [*self.sharing.targets(), *metrics]

    def command(self, wildcards=None) -> str:
        """Return the command that makes a target, with ``{target}`` for it and without paths of this machine."""
        words = ["snakemake {target}"]
        if self.files:
            words.append("--configfile " + " ".join(shlex.quote(self._file(file)) for file in self.files))
        if self.given:
            shown = without_paths({**self.given, **self._data()})
            values = [f"{key}={_inline(value)}" for key, value in shown.items()]
            words.append("--config " + " ".join(map(shlex.quote, values)))
        return " ".join(words).replace("{", "{{").replace("}", "}}").replace("{{target}}", "{target}", 1)

    def _file(self, file: Path) -> str:
        """Return a configuration file below the Snakefile's folder, else its name."""
        inside = self.folder in file.parents
        return file.relative_to(self.folder).as_posix() if inside else file.name

    def _data(self) -> dict:
        given = self.given.get("data")
        return {"data": dict.fromkeys(given, "/path/to/data")} if isinstance(given, dict) else {}

    def tables(self, wildcards=None) -> str:
        """Return name and target of each shared table, as canonical JSON."""
        return canonical([[_name(target), target] for target in self._of("tables")])

    def figures(self, wildcards=None) -> str:
        """Return name, target, caption file and record of each shared figure, as canonical JSON."""
        return canonical(
            [
                [name, target, self.caption(name), f"{JOINED.get(name, name)}.run.json"]
                for target in self._of("figures")
                for name in [_name(target)]
            ]
        )

    def caption(self, name: str) -> str:
        """Return the caption of a figure: the file whose name its own begins with, the longest if several do."""
        stem = PurePosixPath(name).name
        found = [path.stem for path in (self.folder / CAPTIONS).glob("*.rst") if stem.startswith(path.stem)]
        return str(self.folder / CAPTIONS / f"{max(found, key=len)}.rst") if found else ""

    def captions(self) -> list[str]:
        """Return the captions of all shared figures, as inputs."""
        return sorted({path for target in self._of("figures") if (path := self.caption(_name(target)))})

    def _of(self, folder: str) -> list[str]:
        return [path for path in self.sharing.targets() if path.startswith(f"results/{folder}/")]

    def data(self, wildcards=None) -> str:
        """Return access, sources and options of each selected cohort and benchmark, as canonical JSON."""
        selected = {"risk": self.config["risk"]["cohorts"], "coding": self.config["coding"]["benchmarks"]}
        return canonical(
            {name: self._told(track, name) for track in self.config["tracks"] for name in selected[track]}
        )

    def _told(self, track: str, name: str) -> dict:
        package = PACKAGES[track]
        sources = [plugins.data(package, name)[key] for key in data_keys(self.config, package, name)]
        options = without_paths({**self.config[track].get(name, {})})
        return {
            "access": "credentialed" if "/private/" in store(self.config, track, name) else "open",
            "sources": sources or [OWN[name]] * (name in OWN),
            "options": {
                key: _inline(value)
                for key, value in options.items()
                if key not in ("access", "allow_figures")
            },
        }

    def selected(self, wildcards=None) -> str:
        """Return the values of wildcards that belong to this configuration, as canonical JSON."""
        risk, coding = self.config["risk"], self.config["coding"]
        return canonical(
            {
                "cohort": risk["cohorts"],
                "model": [*risk["tables"], risk["imbalance"]["table"]],
                "row": [*risk["rows"], *risk.get("external", {})],
                "level": self.studies.levels,
                "benchmark": coding["benchmarks"],
                "system": [*coding["systems"], *coding["external"]],
                "seed": self.config["seeds"],
            }
        )


def _name(target: str) -> str:
    """Return what a result is called: its path below results/, without suffix."""
    return PurePosixPath(target).relative_to("results").with_suffix("").as_posix()


def _inline(value: object) -> str:
    """Write a value as YAML on one line, as --config takes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_inline(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
