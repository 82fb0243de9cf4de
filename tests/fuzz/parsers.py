"""Every parser of files that come from outside, with a small file it reads and the name that file has."""

import gzip
import io
import json
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import polars as pl

from clinbench.archives import Member, read_members
from clinbench.coding.benchmarks import codiesp, distemist, mentions_tsv
from clinbench.coding.coded import read_mentions
from clinbench.coding.external import read_external
from clinbench.coding.frames import read_frame, table_frame
from clinbench.coding.groups import read_groups
from clinbench.coding.lexicon.tsvfile import read_rows
from clinbench.coding.runs import read_run
from clinbench.coding.supervision.chat import Chat
from clinbench.coding.supervision.examples import read_examples
from clinbench.coding.tables import codiesp_codes, texts
from clinbench.cohorts.channels import FEATURES, NAMES
from clinbench.cohorts.demographics import read_demographics
from clinbench.cohorts.episodes import read_episodes
from clinbench.cohorts.listfiles import Task, read_listing
from clinbench.cohorts.mimic.resources import read_resources
from clinbench.cohorts.mimic.tables import COLUMNS, find_tables, read_table
from clinbench.cohorts.new_stays import read_list
from clinbench.cohorts.normaliser_state import read_state
from clinbench.cohorts.physionet2012 import read_outcomes, read_set
from clinbench.cohorts.tensors import Cohort
from clinbench.files import read_json
from clinbench.risk import external
from clinbench.risk.predictions import read_probabilities
from clinbench.shareable import Site, reasons_to_refuse

TABLE = table_frame([("A00.0", "Cólera", "es", "x"), ("I10", "Hipertensión", "es", "x")])


class Case(NamedTuple):
    """A file's name in its folder, a whole one's bytes, what reads it from the folder, and files beside it."""

    name: str
    whole: bytes
    read: Callable[[Path], object]
    beside: dict[str, bytes] = {}


def _mimic(folder: Path, file: str) -> pl.DataFrame:
    """Read one raw table as the preparation does: all headers are checked first, so the other tables are laid too."""
    for name, columns in COLUMNS.items():
        if not file.startswith(f"{name}."):
            (folder / f"{name}.csv").write_text(",".join(columns) + "\n")
    name = file.split(".")[0]
    return read_table(name, find_tables(folder)[name])


def _ask(folder: Path) -> dict | None:
    """Take a language model's answer from the folder, whatever was asked; nothing is sent."""
    chat = Chat("http://localhost/v1", "tiny", None, folder, attempts=1)
    with patch("clinbench.coding.supervision.chat.value_digest", lambda body: "answer"):
        return chat.ask([], {"type": "object", "required": ["examples"]}, 0)


def _archive(kind: str) -> bytes:
    buffer, content = io.BytesIO(), b"a,b\n1,2\n"
    if kind == "zip":
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("set/é.csv", content)
    else:
        with tarfile.open(fileobj=buffer, mode=f"w:{kind}") as archive:
            entry = tarfile.TarInfo("set/x.csv")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def _cohort() -> Cohort:
    """Return four stays of two hours, two of which test."""
    return Cohort(
        values=np.zeros((8, 1), np.float32),
        offsets=np.arange(0, 10, 2),
        statics=np.zeros((4, 0), np.float32),
        labels=np.array([0, 1, 0, 1], np.float32),
        split=np.array(["train", "val", "test", "test"]),
        stays=np.array(["1_a", "2_a", "3_a", "4_a"]),
        patients=np.array(["1", "2", "3", "4"]),
        features=["x"],
        static_features=[],
        info={},
    )


def _saved_cohort() -> bytes:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        _cohort().save(Path(folder) / "c.npz")
        return (Path(folder) / "c.npz").read_bytes()


EPISODE = f"Hours,{','.join(NAMES)}\n" + "".join(f"{hour}.5,{',' * (len(NAMES) - 1)}\n" for hour in range(3))
LIST = b"stay,y_true\n1_episode1_timeseries.csv,1\n"
OTHERS = {"val_listfile.csv": LIST.replace(b"\n1", b"\n2"), "test_listfile.csv": LIST.replace(b"\n1", b"\n3")}
SERIES = {f"{half}/{n}_episode1_timeseries.csv": b"" for half, n in (("train", 1), ("train", 2), ("test", 3))}
ITEMS = (
    b"LEVEL2,STATUS,ITEMID,MIMIC LABEL,LINKSTO,COUNT,FLUID\nGlucose,ready,50931,GLUCOSE,labevents,12,BLOOD\n"
)
GROUPS = b"Shock:\n  use_in_benchmark: true\n  codes: ['78550']\n"
RESOURCES = {
    "itemid_to_variable_map.csv": ITEMS,
    "hcup_ccs_2015_definitions.yaml": GROUPS,
    "testset.csv": b"7,1\n8,0\n",
    "valset.csv": b"7,0\n8,1\n",
}
DIAGNOSES = b'"ROW_ID","SUBJECT_ID","HADM_ID","SEQ_NUM","ICD9_CODE"\n1,7,70,1,"0389"\n2,7,70,2,"V1582"\n'
PATIENTS = (
    b"SUBJECT_ID,GENDER,DOB,DOD\n7,F,2100-01-01 00:00:00,\n8,M,2101-02-03 00:00:00,2160-01-01 00:00:00\n"
)
STATE = pickle.dumps({"means": np.zeros(len(FEATURES)), "stds": np.ones(len(FEATURES))}, protocol=2)
GROUP = {"id": "q", "doc": "d", "query": "fiebre", "code": "A00.0", "positive": "x", "negatives": []}
EXAMPLE = {
    **{
        "id": "1",
        "lang": "es",
        "code": "A00.0",
        "query": "cólera",
        "positive": "Cólera",
        "positive_kind": "official",
    },
    **{"hard_negatives": [{"code": "I10", "text": "x"}], "soft_negatives": []},
    "meta": {"generator": "g", "prompt_id": "p", "seed": 0},
}
PART = "doc1\tDIAGNOSTICO\ta00.0\tcólera\t3 9\ndoc1\tPROCEDIMIENTO\t0dj\tbiopsia\t12 20\n"
LINKED = (
    "\t".join(distemist.COLUMNS)
    + "\n"
    + "\t".join("A00.0" if "icd10" in name else "x" for name in distemist.COLUMNS)
)


ANSWER = {
    "choices": [{"message": {"content": '{"examples": []}'}}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 4},
}
SITE = Site(frozenset(["1_episode1"]), {}, {})


def _resource(name: str) -> Case:
    beside = {other: content for other, content in RESOURCES.items() if other != name}
    return Case(name, RESOURCES[name], read_resources, beside)


CASES = {
    "PhysioNet records": Case(
        "set-a/132539.txt",
        b"Time,Parameter,Value\n00:00,RecordID,132539\n00:00,Age,54\n00:07,HR,73\n01:37,Temp,35.1\n",
        lambda folder: read_set(folder, "a"),
    ),
    "PhysioNet outcomes": Case(
        "Outcomes-a.txt",
        b"RecordID,SAPS-I,In-hospital_death\n132539,6,0\n132540,16,1\n",
        lambda folder: read_outcomes(folder, "a"),
    ),
    "MIMIC diagnoses": Case(
        "DIAGNOSES_ICD.csv", DIAGNOSES, lambda folder: _mimic(folder, "DIAGNOSES_ICD.csv")
    ),
    "MIMIC patients, compressed": Case(
        "PATIENTS.csv.gz",
        gzip.compress(PATIENTS),
        lambda folder: _mimic(folder, "PATIENTS.csv.gz"),
    ),
    "list files": Case(
        "train_listfile.csv",
        LIST,
        lambda folder: read_listing(folder, Task("ihm", ("y_true",), 48.0)),
        OTHERS | SERIES,
    ),
    "time series": Case(
        "e.csv",
        EPISODE.encode(),
        lambda folder: read_episodes([Member("e.csv", "e.csv", (folder / "e.csv").read_bytes())]),
    ),
    "episodes": Case(
        "episode1.csv",
        b"Icustay,Ethnicity,Gender,Age,Height,Weight\n1,4,2,70.5,,80\n",
        lambda folder: read_demographics([folder / "episode1.csv"]),
    ),
    "new stays": Case(
        "listfile.csv",
        b"stay,period_length,y_true\na,48,0\nb,50,1\n",
        lambda folder: read_list(folder, {"a", "b"}, ("y_true",)),
    ),
    "MIMIC items": _resource("itemid_to_variable_map.csv"),
    "CCS groups": _resource("hcup_ccs_2015_definitions.yaml"),
    "test patients": _resource("testset.csv"),
    "normaliser": Case("n.normalizer", STATE, lambda folder: read_state(folder / "n.normalizer", FEATURES)),
    "cohort": Case("c.npz", _saved_cohort(), lambda folder: Cohort.load(folder / "c.npz")),
    "scores": Case(
        "predictions.csv",
        b"stay,prediction,y_true\n3_a,0.25,0.0\n4_a,0.5,1.0\n",
        lambda folder: read_probabilities(folder / "predictions.csv", _cohort().select("test")),
    ),
    "predictions made elsewhere": Case(
        "theirs.csv",
        b"stay,prediction,y_true\n4_a,0.25,1\n3_a,0.5,0\n",
        lambda folder: external.read_external(folder / "theirs.csv", _cohort()),
    ),
    "code table": Case(
        "t.csv",
        'code;text\nA00.0;Cólera\nI10;"Hipertensión; esencial"\n'.encode(),
        lambda folder: texts.load(
            {"file": folder / "t.csv"}, {"code_column": "code", "texts": {"text": "es"}, "level": "who"}
        ),
    ),
    "CodiEsp codes": Case(
        "codiesp-D_codes.tsv",
        "a00.0\tCólera\tCholera\ni10\tHipertensión\tHypertension\n".encode(),
        lambda folder: codiesp_codes.load({"codiesp_codes": folder}, {}),
    ),
    "mentions": Case(
        "m.tsv",
        "query\tcode\tsplit\tdoc\ncólera\tA00.0\ttrain\td1\nHTA\ti10\ttest\td2\n".encode(),
        lambda folder: mentions_tsv.load({"mentions": folder / "m.tsv"}, {}, TABLE),
    ),
    "CodiEsp": Case(
        "trainX.tsv",
        PART.encode(),
        lambda folder: codiesp.load({"codiesp": folder}, {"train": ["train"], "test": ["dev"]}, TABLE),
        {"devX.tsv": PART.replace("doc1", "doc2").encode()},
    ),
    "DISTEMIST": Case(
        "distemist_subtrack2_training1_linking_crossmappings.tsv",
        LINKED.encode(),
        lambda folder: distemist.load({"distemist": folder}, {"relations": ["x"]}, TABLE),
    ),
    "TREC run": Case(
        "run.trec",
        b"q1 Q0 A00.0 1 2.5 bm25\nq1 Q0 I10 2 1.5 bm25\n",
        lambda folder: read_run(folder / "run.trec"),
    ),
    "run made elsewhere": Case(
        "run.csv",
        b"query_id,code,score\nq1,A000,0.5\nq1,I10,0.25\n",
        lambda folder: read_external(folder / "run.csv", ["q1"], set(TABLE["code"]), 10),
    ),
    "queries": Case(
        "queries.tsv",
        "query_id\tquery\nq1\tcólera\n".encode(),
        lambda folder: read_frame(folder / "queries.tsv"),
    ),
    "groups": Case(
        "groups.jsonl",
        (json.dumps(GROUP) + "\n").encode() * 2,
        lambda folder: read_groups(folder / "groups.jsonl"),
    ),
    "data set A": Case(
        "A.jsonl",
        (json.dumps(EXAMPLE, ensure_ascii=False) + "\n").encode() * 2,
        lambda folder: read_examples(folder / "A.jsonl"),
    ),
    "mentions to be coded": Case(
        "mine.csv",
        'query,lang\ncólera,es\n"dolor, agudo",es\n'.encode(),
        lambda folder: read_mentions(folder / "mine.csv"),
    ),
    "code table in UTF-16": Case(
        "t.csv",
        "code;text\nA00.0;Cólera\n".encode("utf-16"),
        lambda folder: texts.load(
            {"file": folder / "t.csv"},
            {"code_column": "code", "texts": {"text": "es"}, "level": "who", "encoding": "utf-16"},
        ),
    ),
    "answer of a language model": Case("answer.json", json.dumps(ANSWER).encode(), _ask),
    "record to be exported": Case(
        "run.json", b'{"n": 1, "x": [1, null]}', lambda folder: reasons_to_refuse(folder / "run.json", SITE)
    ),
    "table to be exported": Case(
        "t.csv", b"model,value\nx,0.5\n", lambda folder: reasons_to_refuse(folder / "t.csv", SITE)
    ),
    "record": Case(
        "run.json", b'{"n": 1,\n "x": [1, null]}\n', lambda folder: read_json(folder / "run.json")
    ),
    "lexicon": Case(
        "l.tsv", "a\tb\ncólera\tx\n".encode(), lambda folder: read_rows(folder / "l.tsv", ("a", "b"), [])
    ),
    **{
        kind: Case(f"data.{kind}", _archive(mode), lambda folder: list(read_members(folder, "*.csv")))
        for kind, mode in (("zip", "zip"), ("tar.gz", "gz"), ("tar.xz", "xz"), ("tar", ""))
    },
}
