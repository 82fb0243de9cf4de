"""The risk track: cohorts, search jobs, rows."""

import json

from clinbench import plugins
from clinbench.defaults import with_defaults
from clinbench.digest import canonical, code_digest
from clinbench.risk.search import describe, plan
from planning.places import data_keys, data_paths, data_state, store

OPTIMISER = ("preset", "epochs", "learning_rate", "gradient_clip")


class RiskPlan:
    """Answers the rules of the risk track from the configuration.

    Raises:
        UserError: the budget cannot cover a row's grid.
    """

    def __init__(self, config: dict):
        self.config, self.risk, self.seeds = config, config["risk"], config["seeds"]
        self.settings = {
            row: plan(
                self.risk["losses"][row].get("scr_weights", [0.0]),
                self.risk["batch_sizes"],
                self.risk["budget"],
            )
            for row in (self.risk["rows"] if "risk" in config["tracks"] else [])
        }

    def store(self, cohort: str) -> str:
        return store(self.config, "risk", cohort)

    def data(self, wildcards) -> list[str]:
        return data_paths(self.config, "cohorts", wildcards.cohort)

    def data_keys(self, wildcards) -> list[str]:
        return data_keys(self.config, "cohorts", wildcards.cohort)

    def data_state(self, wildcards) -> str:
        return data_state(self.data(wildcards))

    def options(self, wildcards) -> str:
        """Return all options of a cohort, those not given as the preset or the plug-in says."""
        schemas = plugins.declared("cohorts", wildcards.cohort, "OPTIONS")
        return canonical(with_defaults(schemas, self.risk[wildcards.cohort], self.risk["preset"]))

    def preparing_options(self, wildcards) -> str:
        """Return the options of a cohort that its pass over the raw tables depends on."""
        names = plugins.declared("cohorts", wildcards.cohort, "PREPARING", [])
        return canonical({name: json.loads(self.options(wildcards))[name] for name in names})

    def generated(self, wildcards) -> list[str]:
        """Return the folder a cohort is read from, if it makes its own data or prepares the raw ones."""
        for constant, folder in (("GENERATED", "generated"), ("PREPARED", "prepared")):
            if plugins.declared("cohorts", wildcards.cohort, constant, False):
                return [f"{self.store(wildcards.cohort)}/{folder}"]
        return []

    def task(self, wildcards) -> str:
        return self.risk["models"][wildcards.model]["task"]

    def cohort_file(self, wildcards) -> str:
        """Return the tensors a model trains on."""
        return f"{self.store(wildcards.cohort)}/{self.task(wildcards)}.npz"

    def searched(self, file: str):
        """Return a function giving a file of every search job of a row and seed, in the order of batch sizes."""

        def files(wildcards) -> list[str]:
            folder = f"{self.store(wildcards.cohort)}/{wildcards.model}/{wildcards.row}"
            sizes = [size for size, settings in self.settings[wildcards.row].items() if settings]
            return [f"{folder}/batch={size}/seed={wildcards.seed}/{file}" for size in sizes]

        return files

    def of_every_seed(self, file: str):
        """Return a function giving a file of a row for each seed."""

        def files(wildcards) -> list[str]:
            folder = f"{self.store(wildcards.cohort)}/{wildcards.model}/{wildcards.row}"
            return [f"{folder}/seed={seed}/{file}" for seed in self.seeds]

        return files

    def recipe(self, wildcards) -> str:
        """Return all that shapes a search job beside its code and data, as canonical JSON."""
        settings = self.settings[wildcards.row][int(wildcards.batch)]
        loss = self.risk["losses"][wildcards.row]
        return canonical(
            {
                "model": self.risk["models"][wildcards.model],
                # Without its grid: a finished setting is found again when the grid changes.
                "loss": {key: value for key, value in loss.items() if key != "scr_weights"},
                "settings": [describe(setting) for setting in settings],
                "metric": self.risk["selection_metric"],
                **{key: self.risk[key] for key in OPTIMISER},
            }
        )

    def cohort_code(self, script: str):
        """Return a function giving the digest of a script with the cohort's plug-in."""
        return lambda wildcards: code_digest(script, plugins.module("cohorts", wildcards.cohort))

    def row_code(self, script: str):
        """Return a function giving the digest of a script with the row's loss and model."""

        def digest(wildcards) -> str:
            loss = plugins.module("risk.losses", self.risk["losses"][wildcards.row]["kind"])
            model = plugins.module("risk.models", self.risk["models"][wildcards.model]["kind"])
            return code_digest(script, loss, model)

        return digest
