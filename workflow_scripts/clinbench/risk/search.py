"""The search: which settings a row trains within its budget, and which one validation picks."""

from dataclasses import asdict, dataclass

from clinbench.errors import UserError


@dataclass(frozen=True)
class Setting:
    """One training: λ of the SCR, and which initialisation it starts from."""

    scr_weight: float
    init: int


def plan(scr_weights: list[float], batch_sizes: list[int], budget: int | None) -> dict[int, list[Setting]]:
    """Share ``budget`` trainings over batch sizes and λ; what is left goes to new initialisations.

    A row with one λ (plain BCE) so gets as many trainings as a row with a grid (risk.md §4.4). Without a
    budget every batch size and λ is trained once, as published.

    Returns:
        For each batch size, its settings; sizes differ by one at most.

    Raises:
        UserError: the budget cannot train every batch size and λ once.

    Example:
        >>> plan([0.0], [64, 256], 4)[64]
        [Setting(scr_weight=0.0, init=0), Setting(scr_weight=0.0, init=1)]
    """
    if budget is None:
        budget = len(scr_weights) * len(batch_sizes)
    if budget < len(scr_weights) * len(batch_sizes):
        raise UserError(
            f"budget: {budget} trainings cannot cover {len(batch_sizes)} batch sizes × "
            f"{len(scr_weights)} values of scr_weights; raise it to {len(scr_weights) * len(batch_sizes)}."
        )
    share, rest = divmod(budget, len(batch_sizes))
    return {
        size: [
            Setting(scr_weights[index % len(scr_weights)], index // len(scr_weights))
            for index in range(share + (position < rest))
        ]
        for position, size in enumerate(batch_sizes)
    }


def choose(histories: dict[int, list[dict]]) -> dict:
    """Pick the setting with the highest selection score; the first one in order wins a tie.

    Args:
        histories: for each batch size, the records ``train_settings`` returned.

    Returns:
        ``batch_size``, ``index`` within its job, ``scr_weight``, ``init``, ``epoch``, ``score``.

    Raises:
        UserError: no setting has a defined score.
    """
    candidates = [
        {"batch_size": size, "index": index, **record}
        for size, records in histories.items()
        for index, record in enumerate(records)
        if record["score"] is not None
    ]
    if not candidates:
        raise UserError("No setting has a defined validation score: the validation set has one class only.")
    best = max(candidates, key=lambda record: record["score"])
    return {key: best[key] for key in ("batch_size", "index", "scr_weight", "init", "epoch", "score")}


def describe(setting: Setting) -> dict:
    """Return a setting as JSON-able values."""
    return asdict(setting)
