"""What the rules are told that compare the rows of a table, pair by pair."""

from types import SimpleNamespace

from clinbench.digest import canonical
from planning.coding import CodingPlan
from planning.reports import ReportPlan
from planning.risk import RiskPlan
from planning.studies import StudyPlan


class PairedPlan:
    """Answers the rules of paired comparisons: of a cohort and table, of a level, of a benchmark."""

    def __init__(self, reports: ReportPlan, studies: StudyPlan):
        self.risk: RiskPlan = reports.risk
        self.coding: CodingPlan = reports.coding
        self.reports, self.studies = reports, studies

    def risk_files(self, file: str):
        """Return a function giving a file of every row and seed of a cohort and table."""
        return lambda wildcards: [
            path
            for row, seeds in self._risk_systems(wildcards)
            for path in self.risk.of_every_seed(file)(_of(wildcards, row=row))
        ]

    def risk_systems(self, wildcards) -> str:
        """Return each row of a table and its seeds, as canonical JSON."""
        return canonical(self._risk_systems(wildcards))

    def _risk_systems(self, wildcards) -> list[tuple[str, list[int]]]:
        rows = self.risk.rows(wildcards.cohort, wildcards.model)
        return [(row, self.risk.seeds_of(row)) for row in rows]

    def level_files(self, file: str):
        """Return a function giving a file of every loss at a level of the imbalance study."""
        return lambda wildcards: [
            f"{self.risk.store(wildcards.cohort)}/{wildcards.model}/imbalance/{wildcards.level}/{row}/{file}"
            for row in self.risk.losses
        ]

    def level_systems(self, wildcards) -> str:
        """Return each loss and its seeds, as canonical JSON."""
        return canonical([(row, self.risk.seeds) for row in self.risk.losses])

    def coding_files(self, file: str):
        """Return a function giving a file of every system and seed of a benchmark."""
        return lambda wildcards: [
            f"{self.coding.store(wildcards.benchmark)}/{system}/seed={seed}/{file}"
            for system, seeds in self._coding_systems(wildcards.benchmark)
            for seed in seeds
        ]

    def coding_systems(self, wildcards) -> str:
        """Return each system of a benchmark and its seeds, as canonical JSON."""
        return canonical(self._coding_systems(wildcards.benchmark))

    def _coding_systems(self, benchmark: str) -> list[tuple[str, list[int]]]:
        return [(system, self.coding.seeds_of(system)) for system in self.coding.rows(benchmark)]

    def absent_systems(self, wildcards) -> str:
        """Return each system that is not at hand, with the reason, as canonical JSON."""
        return canonical(self.coding.absent)

    def of_table(self, wildcards) -> list[str]:
        """Return the comparisons of a table's rows, one file a cohort."""
        return [
            f"results/metrics/risk/{cohort}/{wildcards.model}/paired.json"
            for cohort in self.risk.cohorts(wildcards.model)
        ]

    @staticmethod
    def runs(comparisons):
        """Return a function giving the run records of the comparisons that a function gives."""
        return lambda wildcards: [file.removesuffix(".json") + ".run.json" for file in comparisons(wildcards)]

    def of_levels(self, wildcards) -> list[str]:
        """Return the comparisons of the imbalance study, one file a cohort and level."""
        table = self.studies.imbalance["table"]
        return [
            f"results/metrics/risk/{cohort}/{table}/imbalance/{level}/paired.json"
            for cohort in self.risk.cohorts(table)
            for level in self.studies.levels
        ]

    def of_benchmarks(self, wildcards) -> list[str]:
        """Return the comparisons of a table's benchmark, or of all."""
        named = getattr(wildcards, "benchmark", None)
        names = [named] if named else self.coding.coding["benchmarks"]
        return [f"results/metrics/coding/{benchmark}/paired.json" for benchmark in names]

    def of_differences(self, wildcards) -> list[str]:
        """Return the comparisons that the table of differences of a track shows."""
        return self._coding() if wildcards.track else self._risk()

    def differences_runs(self, wildcards) -> list[str]:
        """Return the run records beside ``of_differences``."""
        return [path.replace(".json", ".run.json") for path in self.of_differences(wildcards)]

    def reference(self, wildcards) -> str:
        """Return the row the others are compared with: BCE without SCR, or else the first row of the track."""
        if wildcards.track:
            return next(
                system for system in self.coding.coding["systems"] if system not in self.coding.absent
            )
        return self.studies.plain() or self.risk.risk["rows"][0]

    def made(self) -> list[str]:
        """Return every comparison of the configuration."""
        return self._risk() + self._coding() * ("coding" in self.risk.config["tracks"])

    def _risk(self) -> list[str]:
        found = [path for table in self.risk.tables for path in self.of_table(SimpleNamespace(model=table))]
        levels = self.risk.tables and "imbalance" in self.risk.risk["studies"]
        return found + (self.of_levels(None) if levels else [])

    def _coding(self) -> list[str]:
        return self.of_benchmarks(None)


def _of(wildcards, **more: str) -> SimpleNamespace:
    """Return wildcards with others added."""
    return SimpleNamespace(cohort=wildcards.cohort, model=wildcards.model, **more)
