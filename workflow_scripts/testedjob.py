"""What the rules that score retrieval systems share: the test mentions, their gold codes, the runs."""

from functools import partial

from clinbench import plugins
from clinbench.coding.codes import LEVELS, level_or_own
from clinbench.coding.documents import document_codes, first_answers
from clinbench.coding.frames import in_splits, read_frame
from clinbench.coding.gold import alternatives
from clinbench.coding.pool import pool_of
from clinbench.coding.runs import Rankings, read_run
from clinbench.coding.subsets import subsets
from clinbench.evaluation.documents import codes_of


class Tested:
    """The test mentions of a benchmark.

    Attributes:
        test: (Q) queries frame.
        pool: the codes that may be answered.
        golds: (Q,) the codes accepted for each.
        docs: (Q,) their documents.
        levels: name of each level to the class of a code.
        resampled: what the bootstrap draws, plural.
    """

    def __init__(self, snakemake):
        inputs, benchmark = snakemake.input, snakemake.wildcards.benchmark
        queries, self._training = read_frame(inputs.queries), read_frame(inputs.training)
        self.pool = pool_of(read_frame(inputs.table), queries, self._training, snakemake.params.pool)
        self.test = in_splits(queries, "test")
        self.golds = [alternatives(code, self.pool) for code in self.test["code"]]
        self.docs = self.test["doc"].to_list()
        self._edition = plugins.declared("coding.benchmarks", benchmark, "LEVEL", "cm")
        self.levels = {name: partial(level_or_own, name=name, edition=self._edition) for name in LEVELS}
        self.resampled = plugins.declared("coding.benchmarks", benchmark, "RESAMPLED", "documents")

    def row_pool(self, ran: dict) -> dict[str, int]:
        """Return, as a fact of a table, how many codes a run was chosen from, if not from the whole pool."""
        own = ran.get("pool", len(self.pool))
        return {} if own == len(self.pool) else {"row_pool": own}

    def rankings(self, file: str) -> Rankings:
        """Read a run and align it with the test mentions."""
        ranked = read_run(file)
        return [ranked.get(query, []) for query in self.test["query_id"]]

    def subsets(self) -> dict:
        """Return the subsets of the test mentions, see ``coding.subsets``."""
        learned = in_splits(self._training, "train", "val")
        train_golds = [alternatives(code, self.pool) for code in learned["code"]]
        return subsets(self.test, learned, self.golds, train_golds, self._edition)

    def gold_codes(self) -> dict[str, list[str]]:
        """Return the gold codes of each document."""
        return codes_of(zip(self.docs, (accepted[0] for accepted in self.golds), strict=True))

    def codes_by_document(self, rankings: Rankings) -> dict[str, list[str]]:
        """Return the codes that the first answers give each document, best first."""
        answered = document_codes(self.docs, first_answers(rankings, self.golds))
        return codes_of((doc, code) for doc, codes in answered.items() for code in codes)
