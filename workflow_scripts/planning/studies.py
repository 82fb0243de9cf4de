"""The studies beside the main tables: thinned samples, running time, data of cohorts."""

from types import SimpleNamespace

from clinbench import plugins
from clinbench.cohorts.sampling import UNTHINNED
from clinbench.digest import canonical, code_digest
from clinbench.errors import refuse
from clinbench.governance import SMALLEST
from planning.risk import ALL, RiskPlan, without

BLOCKS = {
    "calibration": ("mortality", "phenotyping"),
    "subgroups": ("mortality",),
}  # studies of all rows, and tasks
# Probabilities that are off by construction, for a footnote (risk.md 3.5: both heads of CBCE are near the log odds).
DOUBLED = "its difference of two heads doubles the log odds, so that it is overconfident by construction"
STUDY_TABLES = (
    *("cohort_statistics", "stay_lengths", "selected_settings", "running_time"),
    *("selection_leak", "learning_curves"),
)
OF_LOSSES = ("scr_weights", "imbalance", "tsne", "running_time", "selection_leak", "learning_curves")


class StudyPlan:
    """Answers the rules of the studies.

    Raises:
        UserError: the search of the imbalance study cannot be.
    """

    def __init__(self, risk: RiskPlan):
        self.risk, self.imbalance = risk, risk.risk["imbalance"]
        # The whole training set is searched as the thinned ones are, so that a level is all that differs.
        self.levels = [ALL, *map(str, self.imbalance["levels"])]
        if risk.tables:
            refuse(self._problems(), "The studies cannot be made:")
            if "imbalance" in risk.risk["studies"]:
                risk.check(self.imbalance["table"], UNTHINNED)

    def _problems(self) -> list[str]:
        """Name the selected studies that lack what they show."""
        studies, models = self.risk.risk["studies"], self.risk.risk["models"]
        tasks = {table: models[table]["task"] for table in [*self.risk.tables, self.imbalance["table"]]}
        found = []
        if tasks[self.imbalance["table"]] != "mortality":
            found.append(f"risk.imbalance.table: '{self.imbalance['table']}' is not of mortality.")
        if "phenotypes" in studies and "phenotyping" not in [tasks[table] for table in self.risk.tables]:
            found.append("risk.studies: phenotypes needs a table of phenotyping among risk.tables.")
        bands = self.risk.risk["subgroups"]["age_bands"]
        if bands != sorted(bands):
            found.append("risk.subgroups.age_bands: give ages in ascending order.")
        blocks = [(cohort, table) for cohort in self.risk.risk["cohorts"] for table in self.risk.tables]
        if "differences" in studies and any(len(self.risk.rows(*block)) < 2 for block in blocks):
            found.append("risk.studies: differences compares rows; name two or more in risk.rows.")
        lacking = [study for study in studies if study in OF_LOSSES]
        if lacking and not self.risk.losses:
            found.append(f"risk.studies: {', '.join(lacking)}: no loss is among risk.rows.")
        if "running_time" in studies and self.risk.losses and self.plain() is None:
            found.append("risk.studies: running_time compares with BCE; add a bce row without scr_weights.")
        return found

    def samples(self, level: str) -> list[str]:
        """Return the names of the samples of a level."""
        if level == ALL:
            return [UNTHINNED]
        return [f"positives={level},draw={draw}" for draw in range(self.imbalance["draws"])]

    def thinned(self, file: str):
        """Return a function giving a file of every draw, seed and search job of a level and row."""
        return lambda wildcards: [
            path
            for sample in self.samples(wildcards.level)
            for seed in self.risk.seeds
            for path in self.risk.jobs(wildcards, sample, seed, file)
        ]

    def predicted(self, file: str):
        """Return a function giving a file of what a level and row predicts."""
        return lambda wildcards: (
            f"{self.risk.store(wildcards.cohort)}/{wildcards.model}/imbalance/{wildcards.level}/{wildcards.row}/{file}"
        )

    def applied(self, wildcards) -> str:
        """Return what it takes to apply a row trained on thinned samples, as canonical JSON."""
        return self.risk.applied(wildcards, UNTHINNED)

    def imbalance_metrics(self, wildcards) -> list[str]:
        """Return the metrics of every cohort, level and loss."""
        table = self.imbalance["table"]
        return [
            f"results/metrics/risk/{cohort}/{table}/imbalance/{level}/{row}.json"
            for cohort in self.risk.cohorts(table)
            for level in self.levels
            for row in self.risk.losses
        ]

    def phenotype_metrics(self, wildcards) -> list[str]:
        """Return the metrics of every row of the phenotyping tables."""
        return [
            f"results/metrics/risk/{cohort}/{table}/{row}.json"
            for table in self.risk.tables
            if self.risk.risk["models"][table]["task"] == "phenotyping"
            for cohort in self.risk.cohorts(table)
            for row in self.risk.rows(cohort, table)
        ]

    def of_every_row(self, file: str):
        """Return a function giving a file of every seed of every row of a table's block, row by row."""

        def files(wildcards) -> list[str]:
            rows = self.risk.rows(wildcards.cohort, wildcards.model)
            named = {"cohort": wildcards.cohort, "model": wildcards.model}
            cells = {row: self.risk.cell(SimpleNamespace(**named, row=row)) for row in rows}
            return [f"{cells[row]}/seed={seed}/{file}" for row in rows for seed in self.risk.seeds_of(row)]

        return files

    def scored_rows(self, wildcards) -> str:
        """Return name, number of seeds and caveat of each row of ``of_every_row``, as canonical JSON."""
        return canonical(
            [
                {"name": row, "seeds": len(self.risk.seeds_of(row)), "caveat": self._caveat(row)}
                for row in self.risk.rows(wildcards.cohort, wildcards.model)
            ]
        )

    def _caveat(self, row: str) -> str:
        loss = self.risk.risk["losses"].get(row, {})
        return DOUBLED if (loss.get("kind"), loss.get("proba")) == ("cbce", "posterior") else ""

    def subgroup_options(self, wildcards) -> str:
        """Return the subgroups' options, as canonical JSON; of credentialed data no group of fewer than ten deaths."""
        options = self.risk.risk["subgroups"]
        floor = SMALLEST if "/private/" in self.risk.store(wildcards.cohort) else 0
        return canonical(options | {"least": max(options["least"], floor)})

    def units_of(self, wildcards) -> list[str]:
        """Return the folder with the care units of a cohort that keeps them apart from its tensors."""
        apart = plugins.declared("cohorts", wildcards.cohort, "PREPARED", False)
        return self.risk.generated(wildcards) if apart else []

    def of_blocks(self, study: str):
        """Return a function giving the metrics of each cohort of a table, or of all tables with a task of the study."""

        def files(wildcards) -> list[str]:
            named = getattr(wildcards, "model", None)
            tasks = {table: self.risk.risk["models"][table]["task"] for table in self.risk.tables}
            tables = [named] if named else [table for table in tasks if tasks[table] in BLOCKS[study]]
            return [
                f"results/metrics/risk/{cohort}/{table}/{study}.json"
                for table in tables
                for cohort in self.risk.cohorts(table)
            ]

        return files

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

    def audits(self, wildcards) -> list[str]:
        """Return the audit of every search of a table; nothing that selects or is selected reads one."""
        return [
            f"{self.risk.store(cohort)}/{wildcards.model}/{ALL}/{row}/seed={seed}/audit.run.json"
            for cohort in self.risk.cohorts(wildcards.model)
            for row in self.risk.losses
            for seed in self.risk.seeds
        ]

    def _selection_leak(self) -> list[str]:
        return [path for table in self.risk.tables for path in self.audits(SimpleNamespace(model=table))]

    _learning_curves = _selection_leak

    def metric(self, wildcards) -> str:
        return self.risk.search(wildcards.model, ALL)["selection_metric"]

    def _running_time(self) -> list[str]:
        return [
            f"{self.risk.store(cohort)}/{table}/running_time.run.json"
            for table in self.risk.tables
            for cohort in self.risk.cohorts(table)
        ]

    def plain(self) -> str | None:
        """Return the first row that is BCE without SCR."""
        losses = self.risk.risk["losses"]
        return next(
            (row for row in self.risk.losses if losses[row]["kind"] == "bce" and not _weights(losses[row])),
            None,
        )

    def timed(self, wildcards) -> str:
        """Return model, losses and batch size whose steps are timed, as canonical JSON."""
        risk = self.risk.risk
        return canonical(
            {
                "model": self.risk.options_of_model(wildcards.model),
                # In order: the first one is what the others are compared with.
                "losses": [
                    [
                        row,
                        without(risk["losses"][row], "scr_weights")
                        | {"scr_weight": max(risk["losses"][row].get("scr_weights", [0.0]))},
                    ]
                    for row in sorted(self.risk.losses, key=lambda row: row != self.plain())
                ],
                "batch_size": max(self.risk.search(wildcards.model, ALL)["batch_sizes"]),
                **{key: risk[key] for key in ("preset", "learning_rate", "gradient_clip")},
            }
        )

    def timed_code(self, wildcards) -> str:
        """Return the digest of the timing with the table's model and all its losses."""
        entries = [self.risk.risk["losses"][row]["kind"] for row in self.risk.losses]
        modules = [plugins.module("risk.losses", kind) for kind in entries]
        model = plugins.module("risk.models", self.risk.risk["models"][wildcards.model]["kind"])
        return code_digest("measure_running_time.py", model, *modules)

    def _cohort_statistics(self) -> list[str]:
        files = [
            f"{self.risk.store(cohort)}/{self.risk.risk['models'][table]['task']}.run.json"
            for table in self.risk.tables
            for cohort in self.risk.cohorts(table)
        ]
        return list(dict.fromkeys(files))

    _stay_lengths = _cohort_statistics


def _weights(loss: dict) -> bool:
    """Tell whether a loss has a weight of SCR to search."""
    return any(loss.get("scr_weights", []))
