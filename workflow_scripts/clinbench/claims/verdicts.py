"""Verdicts: replicated, contradicted, inconclusive or not testable here, with Holm's correction in a family."""

from collections.abc import Sequence

from clinbench.claims.ledger import EQUIVALENCE, Claim, Comparison
from clinbench.claims.measured import Measured
from clinbench.reporting.names import METRICS, shown_level, shown_system
from clinbench.significance import ALPHA

REPLICATED, CONTRADICTED, INCONCLUSIVE = "replicated", "contradicted", "inconclusive"
UNTESTABLE = "not testable here"
VERDICTS = (REPLICATED, CONTRADICTED, INCONCLUSIVE, UNTESTABLE)


def deciding(measured: Sequence[Measured]) -> tuple[Measured, float, bool]:
    """Return the comparison that decides a claim, the claim's p value, and whether it speaks for the claim.

    All comparisons have to support a claim, so that the largest p value is that of their union being false
    (intersection-union test); one that opposes it is enough against it, at Bonferroni's price.
    """
    weakest = max(measured, key=lambda one: one.support)
    strongest = min(measured, key=lambda one: one.against)
    against = min(1.0, len(measured) * strongest.against)
    if weakest.support < 1:
        return weakest, weakest.support, True
    return strongest, against, False


def judge(claim: Claim, measured: Sequence[Measured], adjusted: float) -> tuple[str, str]:
    """Return verdict and one sentence why.

    Args:
        claim: the claim.
        measured: all its comparisons.
        adjusted: its p value (``deciding``) after Holm's correction.
    """
    shown, _, supported = deciding(measured)
    clear = adjusted < ALPHA
    if claim.kind == EQUIVALENCE:
        verdict, why = _equivalence(supported, clear)
    else:
        apart = (one.low > 0 or one.high < 0 for one in (measured if supported else [shown]))
        verdict, why = _difference(supported, shown.against < 1, clear, all(apart))
    if len(measured) > 1:
        which = "weakest" if supported else "one most against it"
        why += f"; of {len(measured)} comparisons the {which} is shown, {named(shown.comparison)}"
    return verdict, why


def named(comparison: Comparison) -> str:
    """Name what is compared.

    Example:
        >>> named(Comparison("cbce_scr", "bce", "auroc"))
        'CBCE+λSCR with BCE in AUROC'
    """
    metric = METRICS.get(comparison.metric, comparison.metric)
    level = f", {shown_level(comparison.level)}" if comparison.level else ""
    than = f" against {shown_level(comparison.than)}" if comparison.than else ""
    rows = f"{shown_system(comparison.first)} with {shown_system(comparison.second)}"
    return f"{rows} in {metric}{level}{than}"


def _difference(supported: bool, opposed: bool, clear: bool, apart: bool) -> tuple[str, str]:
    if not supported and not opposed:
        return INCONCLUSIVE, "there is no difference either way"
    where = "in the claimed direction" if supported else "in the opposite direction"
    if clear and apart:
        return REPLICATED if supported else CONTRADICTED, f"the difference is {where}, and clear"
    if clear:
        return INCONCLUSIVE, f"the difference is {where}, but its interval includes 0"
    return INCONCLUSIVE, f"the difference is {where}, but not clear after Holm's correction"


def _equivalence(supported: bool, clear: bool) -> tuple[str, str]:
    if clear and supported:
        return REPLICATED, "the difference is clearly within the margin"
    if clear:
        return CONTRADICTED, "the difference is clearly beyond the margin"
    return INCONCLUSIVE, "the difference is neither clearly within the margin nor clearly beyond it"
