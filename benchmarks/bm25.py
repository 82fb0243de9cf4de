"""BM25 over every ICD-10-CM code against rank_bm25, whose scores it equals."""

import numpy as np
from rank_bm25 import BM25Okapi
from ratios import compare

from clinbench.coding import bm25
from clinbench.coding.tables import icd10cm
from clinbench.coding.text import tokens

if __name__ == "__main__":
    table, _ = icd10cm.load({}, {})
    texts, codes = table["text"].to_list(), table["code"].to_list()
    queries = [texts[row] for row in np.random.default_rng(0).integers(len(texts), size=1000)]
    index, reference = bm25.build_index(texts), BM25Okapi([tokens(text) for text in texts])
    few = queries[:5]
    for query in few:
        assert np.abs(bm25.score(index, query) - reference.get_scores(tokens(query))).max() < 1e-9
    compare(
        f"BM25 top 100 of {len(texts):,} texts",
        lambda: bm25.rank(index, codes, queries, 100),
        lambda: [np.argsort(-reference.get_scores(tokens(query)))[:100] for query in few],
        repeats=3,
        share=len(few) / len(queries),
    )
