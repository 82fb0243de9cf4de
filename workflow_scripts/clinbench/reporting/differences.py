"""The companion of the main tables: how far each row is from a reference row, on the same draws."""

from collections.abc import Mapping, Sequence

from clinbench.reporting.cells import UNDEFINED, count
from clinbench.reporting.names import METRICS, place, shown_level, shown_model, shown_system
from clinbench.reporting.plain import Kind, Shown, lay_out
from clinbench.reporting.studies import STUDIED
from clinbench.reporting.table import Table
from clinbench.significance import find, holm

RISK = ("auroc", "auprc", "average_precision", "accuracy", "minpse")
PHENOTYPING = ("micro_auroc", "macro_auroc", "weighted_auroc")
CODING = tuple(
    f"{level}_{metric}" for level in ("exact", "category", "chapter") for metric in ("f1", "map10")
)
UNITS = {"patient": "patients", "document": "documents", "category": "categories"}
NUMBERS = ("difference", "se", "p", "p_delong", "n_valid", "note")


def differences(rows: Sequence[dict], facts: Mapping[str, dict], runs: Sequence[dict]) -> Table:
    """Build the table of differences.

    Args:
        rows: of ``difference_rows``.
        facts, runs: as ``plain.lay_out``.

    Raises:
        UserError: as ``plain.lay_out``.
    """
    return lay_out(DIFFERENCES, rows, facts, runs)


def difference_rows(record: dict, reference: str) -> list[dict]:
    """Return what each row of a block differs by from one of them, with Holm's p within each metric.

    Args:
        record: contents of a paired.json.
        reference: name of the row.

    Returns:
        One row a metric and system with the keys of ``DIFFERENCES``; none where the reference did not run.
    """
    systems = sorted((name for name in record["systems"] if name != reference), key=place)
    if reference not in record["systems"]:
        return []
    found = []
    compared = {pair["metric"] for pair in record["pairs"]}
    shown = STUDIED if record["level"] else (*RISK, *PHENOTYPING, *CODING)
    for metric in (name for name in shown if name in compared):
        pairs = [find(record["pairs"], name, reference, metric) for name in systems]
        for name, pair, corrected in zip(systems, pairs, holm(pair["p"] for pair in pairs), strict=True):
            level, _, own = metric.partition("_") if metric in CODING else (record["level"], "", metric)
            low, high = pair["interval"] or (None, None)
            found.append(
                {
                    **{"dataset": record["dataset"], "model": record["model"], "level": level, "metric": own},
                    **{"system": name, "reference": reference, "low": low, "high": high},
                    **{key: pair[key] for key in NUMBERS},
                    **{"p_holm": corrected, "n": record["n"], "groups": record["groups"]},
                    "unit": record["unit"],
                    "seeds": len(record["seeds"]),
                    "training_draws": record["training_draws"],
                    "draws": record["draws"],
                }
            )
    return found


def signed(value: float | None) -> str:
    """Format a difference with its sign and four decimals: those of interest are of a few thousandths.

    Example:
        >>> signed(0.0042), signed(-1.0), signed(0.0), signed(None)
        ('+.0042', '−1.0000', '.0000', '–')
    """
    if value is None:
        return UNDEFINED
    text = f"{abs(value):.4f}"
    text = text.removeprefix("0") if text.startswith("0.") else text
    return text if text == ".0000" else f"{'+' if value > 0 else '−'}{text}"


def probability(p: float | None) -> str:
    """Format a p value.

    Example:
        >>> probability(0.0421), probability(0.0004), probability(1.0)
        ('.042', '<.001', '1.000')
    """
    if p is None:
        return UNDEFINED
    return "<.001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def _interval(row: dict) -> str:
    return UNDEFINED if row["low"] is None else f"[{signed(row['low'])}, {signed(row['high'])}]"


def _detail(row: dict) -> str:
    named = [shown_model(row["model"]), shown_level(row["level"])]
    repeated = (("seed", row["seeds"]), ("draw", row["training_draws"]))
    told = " in each of ".join(f"{many} {what}{'s' * (many != 1)}" for what, many in repeated if many)
    sizes = f"n = {count(row['n'])} of {count(row['groups'])} {UNITS[row['unit']]}, {told}"
    return ", ".join([*filter(None, named), f"less {shown_system(row['reference'])}", sizes])


def _footnote(row: dict) -> str:
    return f"{METRICS[row['metric']]}: {row['note']}" if row["note"] else ""


DIFFERENCES = Kind(
    name="differences",
    title="Paired differences from a reference row",
    keys=(
        *(
            "dataset",
            "model",
            "level",
            "metric",
            "system",
            "reference",
            "difference",
            "se",
            "low",
            "high",
        ),
        *(
            "p",
            "p_holm",
            "p_delong",
            "n_valid",
            "note",
            "n",
            "groups",
            "unit",
            "seeds",
            "training_draws",
            "draws",
        ),
    ),
    block=("dataset", "model", "level"),
    corner="Metric and row",
    label=lambda row: f"{METRICS[row['metric']]}: {shown_system(row['system'])}",
    columns=(
        Shown("Difference", lambda row: signed(row["difference"])),
        Shown("95 % interval", _interval),
        Shown("p", lambda row: probability(row["p"])),
        Shown("Holm's p", lambda row: probability(row["p_holm"])),
        Shown("DeLong's p", lambda row: probability(row["p_delong"])),
    ),
    detail=_detail,
    note="Positive where the row is better than the reference. Interval: both rows on the same resamples of patients "
    "or documents, with the spread over the seeds, or draws of thinned training stays, where there are two or more; "
    "p: the two rows randomly exchanged by patient or document, with that spread too. Holm's p is corrected for the "
    "rows compared in that metric. DeLong's p (AUROC only) is a check that takes the trained models as they are, as "
    "all columns do with one seed.",
    footnote=_footnote,
    tall=True,
)
