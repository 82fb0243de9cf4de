"""What tables, figures and `all` are made of."""

import os

from clinbench import plugins
from clinbench.digest import canonical
from planning.coding import CodingPlan
from planning.risk import ALL, RiskPlan
from planning.studies import BLOCKS

FIGURED = {"mortality"}  # tasks with one binary label have a t-SNE figure
CLAIMS = "results/claims.tex"
STUDIES = {  # what each study makes; {table} stands for every selected table
    "cohort_statistics": ["tables/cohort_statistics.tex"],
    "stay_lengths": ["tables/stay_lengths.tex"],
    "selected_settings": ["tables/selected_settings.tex"],
    "running_time": ["tables/running_time.tex"],
    "differences": ["tables/differences.tex"],
    "selection_leak": ["tables/selection_leak.tex", "figures/selection_leak_{table}.pdf"],
    "learning_curves": ["tables/learning_curves.tex", "figures/learning_curves_{table}.pdf"],
    "phenotypes": ["tables/phenotypes.tex"],
    "scr_weights": ["figures/scr_weights_{table}.pdf"],
    "imbalance": ["tables/imbalance.tex", "figures/imbalance.pdf"],
    "triplets": ["figures/triplets.pdf"],
    "calibration": ["tables/calibration.tex", "figures/calibration_{table}.pdf"],
}


class ReportPlan:
    """Answers the rules of tables and figures."""

    def __init__(self, risk: RiskPlan, coding: CodingPlan):
        self.risk, self.coding, self.config = risk, coding, risk.config

    def targets(self) -> list[str]:
        """Return what ``all`` makes: every table and figure of the selected tracks, and the ledger of claims."""
        wanted = [f"results/tables/{table}.tex" for table in self.risk.tables]
        if self.risk.tables:
            wanted += self._studied()
        if "coding" in self.config["tracks"]:
            benchmarks = self.coding.coding["benchmarks"]
            several = any(len(self.coding.rows(name)) > 1 for name in benchmarks)
            names = [*benchmarks, "subsets", *["differences"] * several]
            wanted += [f"results/tables/coding_{name}.tex" for name in names]
            kinds = ["chapters", *(["shortlist"] if self._rerankers() else [])]
            wanted += [f"results/figures/coding_{kind}_{name}.pdf" for kind in kinds for name in benchmarks]
        return [*wanted, CLAIMS]

    def _studied(self) -> list[str]:
        """Return what the selected studies make."""
        studies = self.risk.risk["studies"]
        wanted = [
            f"results/{path.format(table=table)}"
            for study in studies
            for path in STUDIES.get(study, [])
            for table in (self.risk.tables if "{table}" in path else [""])
        ]
        tasks = {self.risk.risk["models"][table]["task"] for table in self.risk.tables}
        if "subgroups" in studies and tasks & {*BLOCKS["subgroups"]}:
            wanted.append("results/tables/subgroups.tex")
        if "tsne" in studies:
            wanted += [
                f"results/{place}figures/tsne_{task}.pdf"
                for task in sorted(tasks & FIGURED)
                for place in ("", "private/")
                if self._figured(place)
            ]
        return wanted

    def made(self) -> tuple[list[str], list[str]]:
        """Return the tables and the figures of ``all`` that are there."""
        there = [path for path in self.targets() if os.path.exists(path)]
        tables = [path for path in there if path.startswith(("results/tables/", CLAIMS))]
        return tables, [path for path in there if path not in tables]

    def risk_metrics(self, wildcards) -> list[str]:
        """Return the metrics of every cohort and row of a table."""
        return [
            f"results/metrics/risk/{cohort}/{wildcards.model}/{row}.json"
            for cohort in self.risk.cohorts(wildcards.model)
            for row in self.risk.rows(cohort, wildcards.model)
        ]

    def coding_metrics(self, wildcards) -> list[str]:
        """Return the metrics of every system that is at hand, for a table's benchmark or for all."""
        return [
            f"results/metrics/coding/{benchmark}/{system}.json"
            for benchmark in self._benchmarks(wildcards)
            for system in self.coding.rows(benchmark)
        ]

    def coding_layout(self, wildcards) -> str:
        """Return the layout of a benchmark's table: the usual one, or what its plug-in declares for an option."""
        name = wildcards.benchmark
        for option, layouts in plugins.declared("coding.benchmarks", name, "LAYOUTS", {}).items():
            default = plugins.declared("coding.benchmarks", name, "OPTIONS")[option]["default"]
            return layouts[self.coding.coding.get(name, {}).get(option, default)]
        return "retrieval"

    def absent_rows(self, wildcards) -> str:
        """Return the rows a table marks as not available, with the reason, as canonical JSON."""
        return canonical(
            [
                {
                    "dataset": benchmark,
                    "model": self.coding.encoder_of(system) or "",
                    "system": system,
                    "reason": reason,
                }
                for benchmark in self._benchmarks(wildcards)
                for system, reason in self.coding.absent.items()
            ]
        )

    def shortlist_systems(self, wildcards) -> str:
        """Return each re-ranker, what it re-ranks and both runs of every seed, as canonical JSON."""
        return canonical(self._shortlists(wildcards.benchmark))

    def shortlist_runs(self, wildcards) -> list[str]:
        """Return the runs of every re-ranker and of what it re-ranks."""
        pairs = [pair for entry in self._shortlists(wildcards.benchmark) for pair in entry["runs"]]
        return list(dict.fromkeys(run for pair in pairs for run in pair))

    def _rerankers(self) -> list[str]:
        coding = self.coding
        return [
            name for name in coding.coding["systems"] if name not in coding.absent and coding.ranked(name)
        ]

    def _shortlists(self, benchmark: str) -> list[dict]:
        return [
            {
                "system": system,
                "model": self.coding.encoder_of(system) or "",
                "first": self.coding.ranked(system),
                "shortlist": self.coding.shortlist(system),
                "runs": self.coding.reranked_runs(benchmark, system),
            }
            for system in self._rerankers()
        ]

    def _benchmarks(self, wildcards) -> list[str]:
        named = getattr(wildcards, "benchmark", None)
        return [named] if named else self.coding.coding["benchmarks"]

    def tsne_files(self, file: str):
        """Return a function giving a file of every cohort of one access and every row, first table and seed."""

        def files(wildcards) -> list[str]:
            models = self.risk.risk["models"]
            table = next(name for name in self.risk.risk["tables"] if models[name]["task"] == wildcards.task)
            return [
                f"{self.risk.store(cohort)}/{table}/{ALL}/{row}/seed={self.risk.seeds[0]}/{file}"
                for cohort in self._figured(wildcards.place)
                for row in self.risk.losses
            ]

        return files

    def _figured(self, place: str) -> list[str]:
        """Return the cohorts drawn in the shared figure, or in the private one.

        A credentialed cohort's figure shows each of its stays: it is shared only with ``allow_figures``.
        """
        shared = {
            name
            for name in self.risk.risk["cohorts"]
            if self.risk.store(name).startswith("results/open/")
            or self.risk.risk[name].get("allow_figures", False)
        }
        return [name for name in self.risk.risk["cohorts"] if (name in shared) != bool(place)]
