"""Data sets A and B: whose evaluation mentions guard the one, whose train mentions make the other."""

from clinbench.coding.lexicon.tsvfile import files_digest
from clinbench.digest import canonical, code_digest
from clinbench.errors import UserError, refuse
from planning.places import store


class SupervisionPlan:
    """Answers the rules of data sets A and B from the configuration.

    Attributes:
        grouped: the benchmark whose groups are data set B, that which the first selected one learns from.

    Raises:
        UserError: the llm tutor lacks an endpoint, or would work beside credentialed data.
    """

    def __init__(self, config: dict):
        self.config, self.settings = config, config["coding"]["supervision"]
        self.benchmarks = config["coding"]["benchmarks"]
        first = next(iter(self.benchmarks), "")
        self.grouped = config["coding"].get(first, {}).get("train_on") or first
        self.access = [
            "credentialed" if "/private/" in store(config, "coding", name) else "open"
            for name in self.benchmarks
        ]
        if self.settings["tutor"] == "llm":
            refuse(self._problems(), "The llm tutor cannot be used:")

    def queries(self, wildcards) -> list[str]:
        """Return the queries of every selected benchmark, for the leak guard."""
        return [f"{store(self.config, 'coding', name)}/queries.tsv" for name in self.benchmarks]

    def groups(self) -> str:
        """Return the groups that data set B is a copy of.

        Raises:
            UserError: no benchmark is selected, or its mentions are credentialed.
        """
        if not self.grouped:
            raise UserError("Data set B is of the first of coding.benchmarks, and there is none; name one.")
        folder = store(self.config, "coding", self.grouped)
        if "/private/" in folder:
            raise UserError(
                f"Data set B of {self.grouped} is credentialed and stays in {folder}/groups.jsonl; for "
                "results/supervision/B.jsonl put an open benchmark first in coding.benchmarks."
            )
        return f"{folder}/groups.jsonl"

    def options(self, wildcards) -> str:
        return canonical(self.settings)

    def lexicon(self, wildcards) -> str:
        return files_digest()

    def code(self, wildcards) -> str:
        return code_digest("make_supervision.py")

    def _problems(self) -> list[str]:
        problems = [
            f"coding.supervision.llm.{key}: null; name an OpenAI-compatible endpoint and its model."
            for key in ("base_url", "model")
            if not self.settings["llm"][key]
        ]
        return problems + [
            f"coding.benchmarks: {name} is credentialed; no text may leave the site beside it. Take tutor: lexicon."
            for name, access in zip(self.benchmarks, self.access, strict=True)
            if access != "open"
        ]
