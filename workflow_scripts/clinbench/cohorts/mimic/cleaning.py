"""Unit clean-up of the 17 variables (specification risk.md §1.6, §1.9; Harutyunyan et al. 2019).

Ten variables become numbers here. The other seven, heart and respiratory rate, mean pressure and the coma
scales, stay text until after several values at one time have been settled.
"""

import polars as pl

from clinbench.cohorts.channels import NAMES

NUMBER = r"^(\d+(\.\d*)?|\.\d+)$"
PRESSURES = r"^(\d+)/(\d+)$"
REFILL = {"Normal <3 secs": 0.0, "Brisk": 0.0, "Abnormal >3 secs": 1.0, "Delayed": 1.0}
INCH, POUND = 2.54, 0.453592  # cm, kg
FAHRENHEIT = 79.0  # values from here on cannot be °C
NUMERIC = (
    *("Capillary refill rate", "Diastolic blood pressure", "Fraction inspired oxygen", "Glucose", "Height"),
    *("Oxygen saturation", "Systolic blood pressure", "Temperature", "Weight", "pH"),
)
NUMERIC_CODES = [NAMES.index(name) for name in NUMERIC]

_text, _label = pl.col("value"), pl.col("label")
_unit = pl.col("valueuom").fill_null("").str.to_lowercase()


def clean(events: pl.DataFrame, fio2: str) -> tuple[pl.DataFrame, int]:
    """Add ``number`` (float64), null for the seven text variables; drop events that turn out unreadable.

    Args:
        events: with ``variable``, ``value`` (text), ``valueuom``, ``label`` (lower case).
        fio2: ``all`` divides every inspired fraction by 100 unless its unit is torr, as the reference
            does on Python 3; ``above_one`` only those above 1.

    Returns:
        The events left, and how many were dropped (such as ERROR for a laboratory value).
    """
    rules = _rules(fio2)
    number = pl.lit(None, dtype=pl.Float64)
    for name, rule in rules.items():
        number = pl.when(pl.col("variable") == NAMES.index(name)).then(rule).otherwise(number)
    cleaned = events.with_columns(number.alias("number"))
    lost = pl.col("variable").is_in(NUMERIC_CODES) & ~pl.col("number").is_finite().fill_null(False)
    kept = cleaned.filter(~lost)
    return kept, cleaned.height - kept.height


def fio2_differs() -> pl.Expr:
    """Mark the events on which the two rules for the inspired fraction disagree."""
    fraction = pl.col("variable") == NAMES.index("Fraction inspired oxygen")
    return fraction & ~_unit.str.contains("torr", literal=True) & ~(_plain(_text) > 1)


def _rules(fio2: str) -> dict[str, pl.Expr]:
    return {
        "Capillary refill rate": _text.replace_strict(REFILL, default=None, return_dtype=pl.Float64),
        "Diastolic blood pressure": _pressure(2),
        "Systolic blood pressure": _pressure(1),
        "Fraction inspired oxygen": _fraction(fio2),
        "Glucose": _laboratory(),
        "pH": _laboratory(),
        "Oxygen saturation": _saturation(),
        "Temperature": _temperature(),
        "Weight": _weight(),
        "Height": _height(),
    }


def _plain(text: pl.Expr) -> pl.Expr:
    return text.str.strip_chars().cast(pl.Float64, strict=False)


def _pressure(part: int) -> pl.Expr:
    """Systolic (1) or diastolic (2) part of a text such as 120/80, or the number itself."""
    return pl.when(_text.str.contains("/", literal=True)).then(
        _plain(_text.str.extract(PRESSURES, part))
    ).otherwise(_plain(_text))  # fmt: skip


def _fraction(fio2: str) -> pl.Expr:
    value = _plain(_text)
    percent = ~_unit.str.contains("torr", literal=True)
    if fio2 == "above_one":
        percent &= value > 1
    return pl.when(percent).then(value / 100.0).otherwise(value)


def _laboratory() -> pl.Expr:
    """A plain decimal number; ERROR, <30 and the like are no values."""
    return pl.when(_text.str.contains(NUMBER)).then(_plain(_text))


def _saturation() -> pl.Expr:
    value = _laboratory()
    return pl.when(value <= 1).then(value * 100.0).otherwise(value)


def _temperature() -> pl.Expr:
    """Fahrenheit to Celsius; it is recognised by its value only, as in the reference."""
    value = _plain(_text)
    return pl.when(value >= FAHRENHEIT).then((value - 32) * 5.0 / 9).otherwise(value)


def _weight() -> pl.Expr:
    value = _plain(_text)
    ounces, pounds = (
        _unit.str.contains(word, literal=True) | _label.str.contains(word, literal=True)
        for word in ("oz", "lb")
    )
    value = pl.when(ounces).then(value / 16.0).otherwise(value)
    return pl.when(ounces | pounds).then(value * POUND).otherwise(value)


def _height() -> pl.Expr:
    """Inches to centimetres, rounded half to even."""
    value = _plain(_text)
    inches = _unit.str.contains("in", literal=True) | _label.str.contains("in", literal=True)
    return pl.when(inches).then((value * INCH).round(0, mode="half_to_even")).otherwise(value)
