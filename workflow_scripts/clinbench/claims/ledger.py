"""The claims as data: read, checked, with the papers' values of the cells they compare."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from clinbench.claims.stated import FILE, problems, read
from clinbench.errors import refuse
from clinbench.reporting.published import printed

# Kinds of claims.
DIFFERENCE, INTERACTION, EQUIVALENCE, NONE = "difference", "interaction", "equivalence", "none"


@dataclass(frozen=True)
class Comparison:
    """Two rows in one metric, at one level; against the same at level ``than`` where that is given."""

    first: str
    second: str
    metric: str
    level: str = ""
    than: str | None = None


@dataclass(frozen=True)
class Claim:
    """One claim: it holds if all its comparisons do.

    Attributes:
        text: in our words.
        sign: +1 if the first row of each comparison is to be larger, -1 if smaller.
        margin: of an equivalence, a share of the second row's value.
        note: what the paper itself says against it, or "".
        unpublished: why a value of the paper is not there, or "".
        untestable: why no run can test it, or "".
    """

    name: str
    text: str
    kind: str
    comparisons: tuple[Comparison, ...]
    sign: int
    margin: float | None
    note: str
    unpublished: str
    untestable: str


@dataclass(frozen=True)
class Family:
    """Claims that share a paper, a table, conditions, and one Holm correction.

    Attributes:
        paper: in words.
        track: "risk" or "coding".
        own: data of the paper: ``title``, names of ``datasets``, sizes ``n`` of its test set; maybe ``encoder``.
        needs: conditions of a test, see ``conditions``.
        published: entries of published.yaml.
        place: ``task``, ``model`` (kind of a risk table), ``study`` or ``benchmark``; "" where there is none.
    """

    name: str
    title: str
    paper: str
    track: str
    own: dict
    needs: tuple[str, ...]
    published: tuple[str, ...]
    place: dict[str, str]
    claims: tuple[Claim, ...]

    def values(self, comparison: Comparison) -> tuple[float | None, float | None]:
        """Return the paper's values of both rows of a comparison, None where one was not published."""
        level = comparison.level if self.track == "coding" else ""
        rows = (comparison.first, comparison.second)
        if comparison.than is not None or self.place["study"]:
            return None, None
        first, second = (printed(self.published, row, level, comparison.metric) for row in rows)
        return first, second


@dataclass(frozen=True)
class Place:
    """Where a family of claims is tested, as the configuration says.

    Attributes:
        family: name of the family.
        dataset: cohort or benchmark.
        model: table of a risk family, else "".
        title: of the data, in words.
        synthetic: the data are no patients'.
        trained: rows with a trained part.
        encoders: row to the encoder it starts from.
        files: level ("" if there is one file only) to the file with its paired statistics, or timing.
        refused: why this configuration cannot test the family here, or "".
    """

    family: str
    dataset: str
    model: str
    title: str
    synthetic: bool
    trained: tuple[str, ...] = ()
    encoders: Mapping[str, str] | None = None
    files: Mapping[str, str] | None = None
    refused: str = ""


@lru_cache(maxsize=2)
def families(rows: frozenset[str] = frozenset()) -> tuple[Family, ...]:
    """Return all families of claims.

    Args:
        rows: of the configuration, see ``stated.problems``.

    Raises:
        UserError: a key is there twice, the file is not of the schema's shape, two claims share a name, or there is
            no such row, metric, level, table or paper.
    """
    stated = read(FILE.read_text(encoding="utf-8"))
    refuse(problems(stated, rows), f"{FILE.name} is not a list of claims:")
    return tuple(_family(name, entry, stated["papers"]) for name, entry in stated["families"].items())


def _family(name: str, entry: dict, papers: dict[str, str]) -> Family:
    place = {key: entry.get(key, "") for key in ("task", "model", "study", "benchmark")}
    shared = entry.get("unpublished", "")
    claims = tuple(_claim(claim, stated, shared) for claim, stated in entry["claims"].items())
    named = entry["title"], papers[entry["paper"]], entry["track"], entry["own"]
    return Family(name, *named, tuple(entry["needs"]), tuple(entry["published"]), place, claims)


def _claim(name: str, stated: dict, unpublished: str) -> Claim:
    kind = stated.get("kind", DIFFERENCE)
    firsts = [stated["first"]] if isinstance(stated["first"], str) else stated["first"]
    levels = [(level, None) for level in stated.get("levels", [""])]
    if kind == INTERACTION:
        levels = [(stated["levels"][0], other) for other in stated["levels"][1:]]
    cells = product(firsts, stated.get("second", []), stated.get("metrics", []), levels)
    return Claim(
        name,
        stated["claim"],
        kind,
        tuple(Comparison(first, second, metric, *level) for first, second, metric, level in cells),
        -1 if stated.get("direction") == "less" else 1,
        stated.get("margin"),
        stated.get("note", ""),
        stated.get("unpublished", unpublished),
        stated.get("untestable", ""),
    )
