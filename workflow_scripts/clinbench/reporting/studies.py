"""Layouts that depend on what was run: one column a system, or one a level."""

from collections.abc import Sequence
from dataclasses import replace

from clinbench.errors import UserError
from clinbench.governance import SMALLEST
from clinbench.reporting.admission import Record
from clinbench.reporting.layouts import CALIBRATION, LAYOUTS, Column, Layout, layout_for, level_columns
from clinbench.reporting.names import EXPLAINED, canonical, place, shown_system

IMBALANCE = "imbalance"  # name of its layout
STUDIED = ("auroc", "average_precision")  # metrics of the imbalance study
DRAW = "draw"  # first word of the subsets "draw 0", "draw 1" …


def phenotypes(systems: Sequence[str]) -> Layout:
    """Lay out one line a phenotype and one column a system.

    Rows are those of ``multilabel_rows`` with ``labels``: ``subset`` is the phenotype, ``metric`` is auroc.
    The fact ``label_positives`` counts the positives of each.

    Args:
        systems: names of the rows of the phenotyping table.

    Raises:
        UserError: no systems are given.
    """
    if not systems:
        raise UserError("The table of phenotypes needs at least one system: its columns.")
    shown = sorted(dict.fromkeys(systems), key=place)
    columns = [Column(shown_system(name), {"system": name, "metric": "auroc"}) for name in shown]
    return Layout(
        name="phenotypes",
        title="AUROC of each phenotype",
        match={"track": "risk", "task": "phenotyping"},
        columns=(Column("Positive", {}, fact="label_positives"), *columns),
        block=("dataset", "model"),
        row=("subset",),
        main=(),
        unit="stays",
        corner="Phenotype",
        subset=None,
        tall=True,
        note=" ".join(["Positive counts the test stays that have the phenotype.", *_told(shown)]),
    )


def subgroups(systems: Sequence[str], least: int) -> Layout:
    """Lay out one line a subgroup and one column a system, a block for each metric.

    Rows are those of ``risk.subgroups``: ``subset`` is the subgroup. The facts ``group_stays`` and ``group_positives``
    count its members.

    Args:
        systems: names of the rows of the tables.
        least: positives and negatives of a subgroup that is shown.

    Raises:
        UserError: no systems are given.
    """
    if not systems:
        raise UserError("The table of subgroups needs at least one system: its columns.")
    shown = sorted(dict.fromkeys(systems), key=place)
    columns = [Column(shown_system(name), {"system": name}) for name in shown]
    return Layout(
        name="subgroups",
        title="In-hospital mortality by subgroup",
        match={"track": "risk", "task": "mortality"},
        columns=(
            Column("Stays", {}, fact="group_stays"),
            Column("Deaths", {}, fact="group_positives"),
            *columns,
        ),
        block=("dataset", "model", "metric"),
        row=("subset",),
        main=(),
        unit="stays",
        corner="Subgroup",
        subset=None,
        tall=True,
        note=f"Each subgroup is scored and resampled by itself. AP depends on the share of deaths, so it cannot be "
        f"compared between subgroups. Hidden are the numbers of a subgroup with fewer than {SMALLEST} stays, "
        f"{least} deaths or {least} survivors, and the counts of others from which its own would follow. "
        + " ".join(_told(shown)),
    )


def _told(systems: Sequence[str]) -> list[str]:
    """Explain the systems that are not what the others are."""
    return [
        f"{shown_system(name)}: {EXPLAINED[name]}." for name in map(canonical, systems) if name in EXPLAINED
    ]


def imbalance(levels: Sequence[str]) -> Layout:
    """Lay out the imbalance study: levels × metrics, one line a loss.

    Rows are those of ``sampled_rows``: ``level`` is the share of positives as text or "all", ``subset`` is
    "all" for the mean over draws and "draw 0", "draw 1" … for each. The fact ``train_sizes`` says what was
    trained on.

    Args:
        levels: such as ``("all", "0.05", "0.01", "0.001")``, in the order of the columns.

    Raises:
        UserError: no levels are given.
    """
    if not levels:
        raise UserError("The table of the imbalance study needs at least one level: its columns.")
    return Layout(
        name=IMBALANCE,
        title="In-hospital mortality with fewer positives to train on",
        match={"track": "risk", "task": "mortality"},
        columns=level_columns(tuple(levels), STUDIED),
        block=("dataset", "model"),
        row=("system",),
        main=tuple((STUDIED[0], level) for level in levels),
        unit="stays",
        corner="Loss",
        spread=DRAW,
        wide=True,
        note="Only training positives are dropped; validation and test stays are those of the other tables. "
        "AP is the average precision.",
    )


def layout_named(name: str, records: Sequence[Record]) -> Layout:
    """Return the layout a rule asks for by name, made for the rows and facts of its records where it depends on them.

    Raises:
        UserError: there are no rows.
    """
    systems = [row["system"] for record in records for row in record.get("rows", [])]
    told = {key: fact for record in records for key, fact in record.get("facts", {}).items()}
    if name == "phenotypes":
        return phenotypes(systems)
    if name == "subgroups":
        return subgroups(systems, told.get("least", SMALLEST))
    if name == CALIBRATION.name:
        return replace(CALIBRATION, note=CALIBRATION.note.format(bins=told.get("bins", "some")))
    return LAYOUTS[name]


def layout_of(rows: Sequence[dict]) -> Layout:
    """Return the layout whose numbers sum up the rows of one table.

    Raises:
        UserError: no layout shows such rows.
    """
    levels = list(dict.fromkeys(row["level"] for row in rows))
    if levels != [""] and all(row["task"] == "mortality" for row in rows):
        return imbalance(levels)
    return layout_for(rows[0])
