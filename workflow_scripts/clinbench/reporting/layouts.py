"""What each kind of table shows: a new kind is one more entry here."""

from dataclasses import dataclass, field

from clinbench.errors import UserError
from clinbench.reporting.names import METRICS, SUBSETS, shown_level


@dataclass(frozen=True)
class Column:
    """One column: the long rows it takes its numbers from.

    Attributes:
        title: its heading.
        where: row key to value; every row of a cell has these values.
        group: heading over neighbouring columns, or empty.
        fact: name of a fact that gives each line's subset a count, shown instead of a row's number.
    """

    title: str
    where: dict[str, str]
    group: str = ""
    fact: str = ""


@dataclass(frozen=True)
class Layout:
    """One kind of table.

    Attributes:
        name: of the layout, and of the LaTeX label.
        title: first words of the caption.
        match: row key to value; rows of other tracks or tasks are refused.
        columns: in order; neighbours of one ``group`` share a heading.
        block: row keys that part the table into blocks.
        row: row keys that name a line of a block.
        main: (metric, level) of the numbers shown in the terminal.
        unit: what ``n`` counts, plural.
        corner: heading of the row names.
        subset: the subset of the test set that is shown; None: each but "all", in lines or columns of its own.
        spread: first word of the subsets that repeat a number, whose range stands in its cell; or empty.
        wide: set the LaTeX table sideways.
        tall: set it in small type with wrapped names, one float a block.
        note: what the columns mean, for the caption.
    """

    name: str
    title: str
    match: dict[str, str]
    columns: tuple[Column, ...]
    block: tuple[str, ...]
    row: tuple[str, ...]
    main: tuple[tuple[str, str], ...]
    unit: str
    corner: str
    subset: str | None = "all"
    spread: str = ""
    wide: bool = False
    tall: bool = False
    note: str = field(default="")

    def shows(self, row: dict) -> bool:
        """Tell whether a long row is of the part of the test set that is printed."""
        return row["subset"] != "all" if self.subset is None else row["subset"] == self.subset


def metric_columns(*metrics: str) -> tuple[Column, ...]:
    """Make one column a metric."""
    return tuple(Column(METRICS[metric], {"metric": metric}) for metric in metrics)


def level_columns(levels: tuple[str, ...], metrics: tuple[str, ...]) -> tuple[Column, ...]:
    """Make one column a metric under each level's heading."""
    return tuple(
        Column(METRICS[metric], {"level": level, "metric": metric}, shown_level(level))
        for level in levels
        for metric in metrics
    )


def subset_columns(subsets: tuple[str, ...], cells: tuple[tuple[str, str, str], ...]) -> tuple[Column, ...]:
    """Make one column a (title, level, metric) under each subset's heading."""
    return tuple(
        Column(title, {"subset": subset, "level": level, "metric": metric}, SUBSETS[subset])
        for subset in subsets
        for title, level, metric in cells
    )


MORTALITY = Layout(
    name="mortality",
    title="In-hospital mortality",
    match={"track": "risk", "task": "mortality"},
    columns=metric_columns("auroc", "auprc", "average_precision", "accuracy", "minpse"),
    block=("dataset", "model"),
    row=("system",),
    main=(("auroc", ""), ("auprc", ""), ("average_precision", ""), ("minpse", "")),
    unit="stays",
    corner="Loss",
    note="AUPRC is the trapezoid under the precision-recall curve, AP the average precision; "
    "min(Se,P+) is the best minimum of sensitivity and precision.",
)
PHENOTYPING = Layout(
    name="phenotyping",
    title="Phenotyping",
    match={"track": "risk", "task": "phenotyping"},
    columns=metric_columns("micro_auroc", "macro_auroc", "weighted_auroc"),
    block=("dataset", "model"),
    row=("system",),
    main=(("micro_auroc", ""), ("macro_auroc", ""), ("weighted_auroc", "")),
    unit="stays",
    corner="Loss",
    note="Micro AUROC ranks all labels of all stays together, macro is the mean over labels, weighted the mean "
    "by their positives; a label with one class only is left out of the last two.",
)
CALIBRATION = Layout(
    name="calibration",
    title="Calibration of the predicted probabilities",
    match={"track": "risk"},
    columns=metric_columns("brier", "brier_skill", "ece", "ece_if_calibrated", "mean_probability"),
    block=("dataset", "model"),
    row=("system",),
    main=(),
    unit="stays",
    corner="Loss",
    note="Brier is the mean squared error of the probability, its skill 1 less the ratio to that of the prevalence. "
    "ECE is the expected calibration error in {bins} bins of equally many probabilities, all labels pooled. Resampling "
    "raises it, and on no finite test set is it 0: beside it stands what labels drawn from the row's own probabilities "
    "would give. No row was calibrated afterwards: each is as its loss or its maker left it, chosen by how it ranks.",
)
RETRIEVAL = Layout(
    name="retrieval",
    title="Clinical mention to ICD-10 code",
    match={"track": "coding"},
    columns=level_columns(("exact", "category", "chapter"), ("precision", "recall", "f1", "map10")),
    block=("dataset",),
    row=("system", "model"),
    main=(("f1", "exact"), ("map10", "exact"), ("f1", "category"), ("map10", "category")),
    unit="mentions",
    corner="System",
    wide=True,
    note="P, R and F1 are of the first code, micro-averaged; a mention without an answer counts against R "
    "and MAP@10, not P. BM25 is Okapi's with a floor under negative idf.",
)
RETRIEVAL_SUBSETS = Layout(
    name="retrieval_subsets",
    title="Clinical mention to ICD-10 code, by what the train mentions show",
    match={"track": "coding"},
    columns=subset_columns(
        ("seen_string", "unseen_string", "seen_code", "unseen_code", "continuous", "discontinuous", "unique"),
        (("F1", "exact", "f1"), ("MAP@10", "exact", "map10")),
    ),
    block=("dataset",),
    row=("system", "model"),
    main=RETRIEVAL.main,
    unit="mentions",
    corner="System",
    subset=None,
    wide=True,
    note="Exact codes. A string is seen if it is a train mention once case and accents are folded, a code if it is "
    "the gold of one; discontinuous mentions are put together from several places; unique counts each "
    "(mention, code) once.",
)


def languages(name: str, level: str, relevant: str) -> Layout:
    """Lay out MRR, R@3 and R@5 of each language, for one meaning of relevant."""
    return Layout(
        name=name,
        title="Composed queries to ICD-10 codes, by language",
        match={"track": "coding"},
        columns=subset_columns(
            tuple(subset for subset in SUBSETS if subset.startswith("lang:")),
            tuple((METRICS[metric], level, metric) for metric in ("mrr", "r3", "r5")),
        ),
        block=("dataset",),
        row=("system", "model"),
        main=RETRIEVAL.main,
        unit="queries",
        corner="System",
        subset=None,
        wide=True,
        note=f"Relevant is {relevant}. Queries are composed by this project's lexicon for categories that data set A "
        "holds in no language; these numbers are not comparable with the paper's, whose test set is not "
        "published, nor with those on mentions that people wrote.",
    )


LANGUAGES_CODE = languages("languages_code", "exact", "the code that the query was composed for")
LANGUAGES_CATEGORY = languages(
    "languages_category", "category", "any code of the category, and ranks count each category once"
)
LAYOUTS = {
    layout.name: layout
    for layout in (MORTALITY, PHENOTYPING, RETRIEVAL, RETRIEVAL_SUBSETS, LANGUAGES_CODE, LANGUAGES_CATEGORY)
}


def layout_for(row: dict) -> Layout:
    """Return the layout whose ``match`` fits a long row.

    Raises:
        UserError: there is none.
    """
    for layout in LAYOUTS.values():
        if all(row[key] == value for key, value in layout.match.items()):
            return layout
    known = ", ".join(LAYOUTS)
    raise UserError(f"No table shows track '{row['track']}', task '{row['task']}'; there are {known}.")
