"""A small made-up world: a codes table, mentions in other words, and a tiny random encoder that can read them."""

import polars as pl
import pytest
import torch
from tests.tiny_encoder import write_encoder

from clinbench.coding.frames import TABLE, queries_frame

# A mention says everything in other words than the table, so nothing is found before training.
PLACES = {"heart": "cardia", "lung": "pulmo", "skin": "cutis", "bone": "ossa"}
KINDS = {"infection": "sepsa", "tumour": "onca", "injury": "trauma", "bleeding": "haema"}


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Sums depend on the number of threads: tests of sameness need it fixed, and tiny models run best on one."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def table() -> pl.DataFrame:
    """16 codes A00 to A15, one text each: place and kind."""
    texts = [f"{kind} of the {place}" for place in PLACES for kind in KINDS]
    rows = [(f"A{at:02d}", text, "en", "made") for at, text in enumerate(texts)]
    return pl.DataFrame(rows, schema=dict.fromkeys(TABLE, pl.String), orient="row")


@pytest.fixture(scope="session")
def train(table) -> pl.DataFrame:
    """Two mentions of each code."""
    names = [f"{KINDS[kind]} {PLACES[place]}" for place in PLACES for kind in KINDS]
    rows = [
        (f"q{at}.{form}", "train", text, table["code"][at], f"d{at}", "en")
        for at, name in enumerate(names)
        for form, text in enumerate((name, f"acute {name}"))
    ]
    return queries_frame(rows)


@pytest.fixture(scope="session")
def groups(train, table) -> list[dict]:
    """A group of each training mention, with the next two codes as negatives."""
    texts = table.select("code", "text").rows(named=True)

    def group(row: dict) -> dict:
        at = int(row["code"][1:])
        wrong = [texts[(at + step) % len(texts)] | {"source": "made"} for step in (1, 2)]
        head = {"id": row["query_id"], "doc": row["doc"], "query": row["query"]}
        return head | {"positive": texts[at], "negatives": wrong}

    return [group(row) for row in train.iter_rows(named=True)]


@pytest.fixture(scope="session")
def examples(train, groups) -> list[dict]:
    """The same mentions as records of data set A, in two languages and with the groups' negatives."""

    def example(at: int, group: dict) -> dict:
        negatives = [{"code": item["code"], "text": item["text"]} for item in group["negatives"]]
        return {
            "id": f"A-{at}",
            "lang": ("en", "es")[at % 2],
            "code": group["positive"]["code"],
            "query": group["query"],
            "positive": group["positive"]["text"],
            "positive_kind": "official",
            "hard_negatives": negatives,
            "soft_negatives": [],
            "meta": {"generator": "made", "prompt_id": "term", "seed": 0},
        }

    return [example(at, group) for at, group in enumerate(groups)]


@pytest.fixture(scope="session")
def plain_folder(tmp_path_factory, table, train):
    """A plain transformer: tiny BERT with random weights and a tokenizer that knows the words of the texts."""
    texts = table["text"].to_list() + train["query"].to_list()
    return write_encoder(tmp_path_factory.mktemp("plain"), [word for text in texts for word in text.split()])


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory, plain_folder):
    """The same model as a sentence-transformers folder."""
    from clinbench.coding.load import load_encoder

    folder = tmp_path_factory.mktemp("encoder")
    load_encoder(plain_folder, "cpu").save_pretrained(str(folder), create_model_card=False)
    return folder


def reciprocal_rank(rankings, codes) -> float:
    """Mean reciprocal rank, written out."""
    found = [[code for code, _ in ranking] for ranking in rankings]
    return sum(
        1 / (1 + ranking.index(code)) if code in ranking else 0
        for ranking, code in zip(found, codes, strict=True)
    ) / len(codes)
