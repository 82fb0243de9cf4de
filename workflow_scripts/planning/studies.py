"""The studies beside the main tables: thinned samples, running time, data of cohorts."""

from types import SimpleNamespace

from clinbench.digest import canonical
from planning.risk import ALL, RiskPlan, without

STUDY_TABLES = ("cohort_statistics", "stay_lengths", "selected_settings", "running_time")


class StudyPlan:
    """Answers the rules of the studies.

    Raises:
        UserError: the search of the imbalance study cannot be.
    """

    def __init__(self, risk: RiskPlan):
        self.risk, self.imbalance = risk, risk.risk["imbalance"]
        if "imbalance" in risk.risk["studies"] and risk.tables:
            risk.check(self.imbalance["table"], self.samples(self.imbalance["levels"][0])[0])

    def samples(self, level: float | str) -> list[str]:
        """Return the names of the thinned samples of a level."""
        return [f"positives={level},draw={draw}" for draw in range(self.imbalance["draws"])]

    def thinned(self, file: str):
        """Return a function giving a file of every draw, seed and search job of a level and row."""
        return lambda wildcards: [
            path
            for sample in self.samples(wildcards.level)
            for seed in self.risk.seeds
            for path in self.risk.jobs(wildcards, sample, seed, file)
        ]

    def imbalance_metrics(self, wildcards) -> list[str]:
        """Return the metrics of every cohort, level and loss, and those without thinning."""
        table = self.imbalance["table"]
        folders = [f"results/metrics/risk/{cohort}/{table}" for cohort in self.risk.cohorts(table)]
        levels = [f"imbalance/{level}/" for level in self.imbalance["levels"]] + [""]
        return [
            f"{folder}/{level}{row}.json"
            for folder in folders
            for level in levels
            for row in self.risk.losses
        ]

    def phenotype_metrics(self, wildcards) -> list[str]:
        """Return the metrics of every row of the phenotyping tables."""
        return [
            f"results/metrics/risk/{cohort}/{table}/{row}.json"
            for table in self.risk.tables
            if self.risk.risk["models"][table]["task"] == "phenotyping"
            for cohort in self.risk.cohorts(table)
            for row in self.risk.risk["rows"]
        ]

    def table_inputs(self, wildcards) -> list[str]:
        """Return what a table of a study that is no metric is made from."""
        return getattr(self, f"_{wildcards.study}")()

    def _selected_settings(self) -> list[str]:
        return [
            f"{self.risk.store(cohort)}/{table}/{ALL}/{row}/seed={seed}/run.json"
            for table in self.risk.tables
            for cohort in self.risk.cohorts(table)
            for row in self.risk.risk["rows"]
            for seed in self.risk.seeds
        ]

    def of_searches(self, file: str):
        """Return a function giving a file of every search job of a table."""
        return lambda wildcards: [
            path
            for cohort in self.risk.cohorts(wildcards.model)
            for row in self.risk.losses
            for seed in self.risk.seeds
            for path in self.risk.jobs(
                SimpleNamespace(cohort=cohort, model=wildcards.model, row=row), ALL, seed, file
            )
        ]

    def metric(self, wildcards) -> str:
        return self.risk.search(wildcards.model, ALL)["selection_metric"]

    def _running_time(self) -> list[str]:
        return [
            f"{self.risk.store(cohort)}/{table}/running_time.run.json"
            for table in self.risk.tables
            for cohort in self.risk.cohorts(table)
        ]

    def timed(self, wildcards) -> str:
        """Return model, losses and batch size whose steps are timed, as canonical JSON."""
        risk = self.risk.risk
        return canonical(
            {
                "model": self.risk.options_of_model(wildcards.model),
                "losses": {
                    row: without(risk["losses"][row], "scr_weights")
                    | {"scr_weight": max(risk["losses"][row].get("scr_weights", [0.0]))}
                    for row in self.risk.losses
                },
                "batch_size": max(self.risk.search(wildcards.model, ALL)["batch_sizes"]),
                **{key: risk[key] for key in ("preset", "learning_rate", "gradient_clip")},
            }
        )

    def _cohort_statistics(self) -> list[str]:
        files = [
            f"{self.risk.store(cohort)}/{self.risk.risk['models'][table]['task']}.run.json"
            for table in self.risk.tables
            for cohort in self.risk.cohorts(table)
        ]
        return list(dict.fromkeys(files))

    _stay_lengths = _cohort_statistics
