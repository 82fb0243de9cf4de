"""What the export may pack: the results the workflow makes outside the private store, and whose data they are of."""

from pathlib import PurePosixPath
from types import SimpleNamespace

from clinbench import plugins
from clinbench.digest import canonical
from planning.paired import PairedPlan
from planning.places import PACKAGES, store
from planning.reports import ReportPlan
from planning.studies import BLOCKS, StudyPlan

TEXTS = (".tex", ".md", ".csv")
FORMATS = {"tables": TEXTS, "claims": TEXTS, "figures": (".pdf", ".png")}
JOINED = {"figures/imbalance": "tables/imbalance"}  # made by one job, with one record


class SharingPlan:
    """Answers the rule that packs what may leave the site."""

    def __init__(self, reports: ReportPlan, studies: StudyPlan, paired: PairedPlan):
        self.reports, self.studies, self.paired = reports, studies, paired
        self.config = reports.config

    def targets(self) -> list[str]:
        """Return the targets of ``all`` that do not lie in the private folder."""
        return [path for path in self.reports.targets() if not path.startswith("results/private/")]

    def results(self) -> str:
        """Return the files of each table, figure and metrics file, below results/, as canonical JSON."""
        found: dict[str, list[str]] = {}
        for target in self.targets():
            stem = PurePosixPath(target).relative_to("results").with_suffix("")
            files = [f"{stem}{suffix}" for suffix in FORMATS[stem.parts[0]]]
            joined = JOINED.get(str(stem), str(stem))
            known = found.setdefault(joined, [f"{joined}.run.json"])
            known += [file for file in files if file not in known]
        for path in self._metrics():
            stem = path.removeprefix("results/").removesuffix(".json")
            found[stem] = [f"{stem}.json", f"{stem}.run.json"]
        return canonical(list(found.values()))

    def _metrics(self) -> list[str]:
        """Return the metrics files behind the tables, and the comparisons of their rows."""
        risk = self.reports.risk
        found = [
            path for table in risk.tables for path in self.reports.risk_metrics(SimpleNamespace(model=table))
        ]
        if risk.tables and "imbalance" in risk.risk["studies"]:
            found += self.studies.imbalance_metrics(None)
        for study in BLOCKS:
            if risk.tables and study in risk.risk["studies"]:
                found += self.studies.of_blocks(study)(SimpleNamespace())
        if "coding" in self.config["tracks"]:
            found += self.reports.coding_metrics(SimpleNamespace())
        return found + self.paired.made()

    def credentialed(self) -> str:
        """Return name and title of each credentialed cohort and benchmark, selected or not, as canonical JSON."""
        return canonical(
            {
                name: plugins.declared(package, name, "TITLE")
                for track, package in PACKAGES.items()
                for name in plugins.names(package)
                if store(self.config, track, name).startswith("results/private/")
            }
        )

    def allowed_figures(self) -> str:
        """Return the credentialed cohorts whose figures may be shared, as canonical JSON."""
        names = plugins.names("cohorts")
        return canonical(
            [name for name in names if self.config["risk"].get(name, {}).get("allow_figures", False)]
        )
