"""The risk track: cohorts, search jobs, rows."""

import json
from functools import cache

from clinbench import plugins
from clinbench.config_risk import external_file
from clinbench.defaults import with_defaults
from clinbench.digest import canonical, code_digest
from clinbench.errors import UserError, refuse
from clinbench.risk.search import Setting, describe, plan
from clinbench.risk.tasks import TASKS
from planning.places import data_keys, data_paths, data_state, store, users_path

OPTIMISER = ("preset", "learning_rate", "gradient_clip", "stacked", "selection")
SEARCH = ("batch_sizes", "budget", "epochs", "selection_metric")
ALL = "all"  # the sample that is the whole training set


class RiskPlan:
    """Answers the rules of the risk track from the configuration.

    A table trains each row with the search of ``risk``, changed by that of its model; a thinned sample by that
    of the imbalance study too.

    Raises:
        UserError: the budget cannot cover a row's grid.
    """

    def __init__(self, config: dict):
        self.config, self.risk, self.seeds = config, config["risk"], config["seeds"]
        self.losses = [row for row in self.risk["rows"] if row in self.risk["losses"]]
        self.tables = self.risk["tables"] if "risk" in config["tracks"] else []
        # The same for every seed and cohort, of which a plan of a thousand jobs has many.
        self.settings, self._recipe = cache(self._settings), cache(self._recipe_of)
        for table in self.tables:
            self.check(table, ALL)

    def check(self, table: str, sample: str) -> None:
        """Refuse a table whose search, task or cohorts do not fit together.

        Raises:
            UserError: all problems, or a budget that cannot cover a row's grid.
        """
        refuse(self._problems(table, sample), f"The table risk.models.{table} cannot be made:")
        for row in self.losses:
            self.settings(table, sample, row)

    def _problems(self, table: str, sample: str) -> list[str]:
        entry, search = self.risk["models"][table], self.search(table, sample)
        found = []
        if entry["task"] not in plugins.declared("risk.models", entry["kind"], "TASKS"):
            found.append(f"task: kind '{entry['kind']}' is not for {entry['task']}.")
        if search["selection_metric"] not in TASKS[entry["task"]].selection:
            choices = " or ".join(TASKS[entry["task"]].selection)
            found.append(
                f"selection_metric: {search['selection_metric']} is none of {entry['task']}; take {choices}."
            )
        if isinstance(search["epochs"], list) and len(search["epochs"]) != len(search["batch_sizes"]):
            found.append("epochs: give one number, or one for each of batch_sizes.")
        if not self.cohorts(table):
            found.append(f"task: no selected cohort has {entry['task']}; see risk.cohorts.")
        return found

    def cohorts(self, table: str) -> list[str]:
        """Return the selected cohorts that have a table's task."""
        task = self.risk["models"][table]["task"]
        return [name for name in self.risk["cohorts"] if task in plugins.declared("cohorts", name, "TASKS")]

    def rows(self, cohort: str, table: str) -> list[str]:
        """Return the rows of a table's block: those selected, then predictions made elsewhere."""
        made = [name for name in self.risk["external"] if external_file(self.risk, name, cohort, table)]
        return [*self.risk["rows"], *made]

    def seeds_of(self, row: str) -> list[int]:
        """Return all seeds, or the first one for predictions made elsewhere, which are one set."""
        return self.seeds[:1] if row in self.risk["external"] else self.seeds

    def external_file(self, wildcards) -> str:
        """Return the file with predictions made elsewhere; one that is not there for a table it has no file of."""
        name, place = wildcards.row, (wildcards.cohort, wildcards.model)
        return (
            external_file(self.risk, name, *place)
            or f"risk.external.{name} has no file for {'/'.join(place)}"
        )

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

    def search(self, model: str, sample: str) -> dict:
        """Return batch sizes, budget, epochs and selection metric of a table and sample."""
        chosen = {key: self.risk[key] for key in SEARCH}
        chosen |= self.risk["models"][model].get("search", {})
        return chosen | (self.risk["imbalance"].get("search", {}) if sample != ALL else {})

    def _settings(self, model: str, sample: str, row: str) -> dict[int, list[Setting]]:
        """Return the trainings of a row, by batch size."""
        search = self.search(model, sample)
        weights = self.risk["losses"][row].get("scr_weights", [0.0])
        if "scr_weights" in self.risk["losses"][row]:
            weights = search.get("scr_weights", weights)
        try:
            return plan(weights, search["batch_sizes"], search["budget"])
        except UserError as error:
            study = "" if sample == ALL else " of the imbalance study"
            raise UserError(f"Row '{row}' of table '{model}'{study}: {error}") from None

    def cell(self, of, sample: str = ALL) -> str:
        """Return the folder of one row of one sample; ``of`` has cohort, model and row."""
        return f"{self.store(of.cohort)}/{of.model}/{sample}/{of.row}"

    def jobs(self, of, sample: str, seed: int | str, file: str) -> list[str]:
        """Return a file of every search job of a row and seed, in the order of batch sizes."""
        sizes = [size for size, some in self.settings(of.model, sample, of.row).items() if some]
        return [f"{self.cell(of, sample)}/batch={size}/seed={seed}/{file}" for size in sizes]

    def searched(self, file: str):
        """Return a function giving a file of every search job of a row and seed."""
        return lambda wildcards: self.jobs(wildcards, ALL, wildcards.seed, file)

    def of_every_seed(self, file: str):
        """Return a function giving a file of a row for each seed."""
        return lambda wildcards: [
            f"{self.cell(wildcards)}/seed={seed}/{file}" for seed in self.seeds_of(wildcards.row)
        ]

    def recipe(self, wildcards) -> str:
        """Return all that shapes a search job beside its code and data, as canonical JSON."""
        return self._recipe(wildcards.model, wildcards.sample, wildcards.row, int(wildcards.batch))

    def _recipe_of(self, model: str, sample: str, row: str, batch: int) -> str:
        search = self.search(model, sample)
        epochs = search["epochs"]
        if isinstance(epochs, list):
            epochs = epochs[search["batch_sizes"].index(batch)]
        return canonical(
            {
                "model": self.options_of_model(model),
                # Without its grid: a finished setting is found again when the grid changes.
                "loss": without(self.risk["losses"][row], "scr_weights"),
                "settings": [describe(setting) for setting in self.settings(model, sample, row)[batch]],
                "task": self.risk["models"][model]["task"],
                "metric": search["selection_metric"],
                "epochs": epochs,
                **{key: self.risk[key] for key in OPTIMISER},
            }
        )

    def options_of_model(self, model: str) -> dict:
        """Return kind and options of a model."""
        return without(self.risk["models"][model], "task", "search")

    def applied(self, wildcards, sample: str = ALL) -> str:
        """Return what it takes to apply a trained row, as canonical JSON."""
        search = self.search(wildcards.model, sample)
        return canonical(
            {
                "model": self.options_of_model(wildcards.model),
                "loss": without(self.risk["losses"][wildcards.row], "scr_weights"),
                "preset": self.risk["preset"],
                "task": self.task(wildcards),
                "selected_by": f"{self.risk['selection']} {search['selection_metric']}",
            }
        )

    def baseline(self, wildcards) -> str:
        """Return kind and options of a baseline row, its task, budget and score, as canonical JSON."""
        return canonical(
            {
                "entry": self.risk["baselines"][wildcards.row],
                "task": self.task(wildcards),
                "budget": self.search(wildcards.model, ALL)["budget"],
                "metric": self.search(wildcards.model, ALL)["selection_metric"],
            }
        )

    def scored_folder(self, wildcards) -> str:
        """Return the user's folder of stays to score.

        Raises:
            UserError: none is configured, or it does not exist.
        """
        remedy = "name the one with the stays to score."
        return users_path("risk.score_folder", self.risk["score_folder"], "folder", remedy)

    def scored_model(self, wildcards) -> str:
        """Return the model of the first seed."""
        return f"{self.cell(wildcards)}/seed={self.seeds[0]}/model.safetensors"

    def cohort_code(self, script: str):
        """Return a function giving the digest of a script with the cohort's plug-in."""
        return lambda wildcards: code_digest(script, plugins.module("cohorts", wildcards.cohort))

    def row_code(self, script: str):
        """Return a function giving the digest of a script with the row's loss and model, or its baseline."""

        def digest(wildcards) -> str:
            if wildcards.row in self.risk["baselines"]:
                kind = self.risk["baselines"][wildcards.row]["kind"]
                return code_digest(script, plugins.module("risk.baselines", kind))
            loss = plugins.module("risk.losses", self.risk["losses"][wildcards.row]["kind"])
            model = plugins.module("risk.models", self.risk["models"][wildcards.model]["kind"])
            return code_digest(script, loss, model)

        return digest


def without(entry: dict, *keys: str) -> dict:
    """Return an entry less some of its keys."""
    return {key: value for key, value in entry.items() if key not in keys}
