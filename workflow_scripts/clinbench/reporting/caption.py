"""The caption: what a reader has to know before comparing two numbers of the table."""

import re
from collections.abc import Callable, Sequence
from itertools import groupby

from clinbench.reporting.admission import BOOTSTRAP_MEAN, SAMPLE, Admitted
from clinbench.reporting.layouts import Layout
from clinbench.reporting.names import shown_system
from clinbench.reporting.published import source_of
from clinbench.reporting.sizes import size_text
from clinbench.reporting.wide import line_name

# Text, and whether it is set in bold.
Sentence = tuple[str, bool]


def headline(taken: Admitted, layout: Layout) -> list[Sentence]:
    """Write the first paragraph of the caption: what is measured, on which data."""
    sized = [
        (_sized(dataset, facts, taken, layout), facts["synthetic"])
        for dataset, facts in taken.datasets.items()
    ]
    return [(f"{layout.title}.", True), *data_sentences(sized)]


def data_sentences(datasets: list[tuple[str, bool]]) -> list[Sentence]:
    """Name data sets, each with whether it is synthetic; synthetic ones are labelled in bold."""
    sentences = []
    for synthetic, members in groupby(datasets, key=lambda item: item[1]):
        listed = "; ".join(title for title, _ in members)
        sentences += [("Synthetic data:" if synthetic else "Data:", synthetic), (f"{listed}.", False)]
    return sentences


def protocol(taken: Admitted, reasons: list[str], layout: Layout, more: Sequence[str] = ()) -> list[Sentence]:
    """Write the second paragraph: seeds, selection, budget, uncertainty, ``more``, columns, published numbers."""
    if not any(layout.shows(row) for row in taken.rows):
        return []
    seeds = _varying(taken, layout, lambda row, facts: row["seeds"])
    chosen = _varying(taken, layout, lambda row, facts: _selection(row))
    budget = _varying(taken, layout, lambda row, facts: _budget(facts))
    sentences = [(f"Seeds: {seeds}.", False)]
    sentences.append((f"Selected by: {chosen}.", False))
    if any(re.search(r"\btest\b", str(row["selection"]), re.IGNORECASE) for row in taken.rows):
        sentences.append(("Selected on the test set, hence optimistic.", True))
    sentences.append((f"Search budget: {budget}.", False))
    sentences.append((_uncertainty(taken, layout), False))
    sentences += [(text, False) for text in more]
    if layout.note:
        sentences.append((layout.note, False))
    return sentences + [(text, False) for text in _published(taken, reasons, layout)]


def _sized(dataset: str, facts: dict, taken: Admitted, layout: Layout) -> str:
    """Word the title and size of one data set."""
    n = next((row["n"] for row in taken.rows if row["dataset"] == dataset and layout.shows(row)), None)
    size = size_text(n, facts, layout.unit)
    return f"{facts['title']} ({size})" if size else str(facts["title"])


def _uncertainty(taken: Admitted, layout: Layout) -> str:
    """Say what stands in parentheses, after ±, in brackets and below them."""
    unit = _varying(taken, layout, lambda row, facts: facts.get("resampled") or f"test {layout.unit}")
    few = _varying(taken, layout, lambda row, facts: _count(facts.get("std_draws")))
    many = _varying(taken, layout, lambda row, facts: _count(facts.get("interval_draws")))
    seeds = "draws of the training stays and the seeds" if layout.spread else "seeds"
    resamples = f"{few} bootstrap resamples of {unit}"
    shown = (facts for row, facts in zip(taken.rows, taken.facts, strict=True) if layout.shows(row))
    kinds = {facts.get("value", SAMPLE) for facts in shown}
    if kinds == {BOOTSTRAP_MEAN}:
        value = (
            f"Each value is the mean over {resamples} ± their standard deviation, without training again, "
        )
        value += f"each resample scored as the mean over the {seeds};"
    else:
        value = f"Each value is the mean over the {seeds} on the test set; in parentheses its standard "
        value += f"deviation over {resamples}, without training again;"
        if BOOTSTRAP_MEAN in kinds:
            value += " with ± it is the mean over these resamples and their standard deviation;"
    below = "; below, the range over the draws of the training stays" if layout.spread else ""
    return (
        f"{value} in brackets the 95 % percentile interval of {many} resamples "
        f"(Wilson's where a rate is exactly 0 or 1){below}."
    )


def _published(taken: Admitted, reasons: list[str], layout: Layout) -> list[str]:
    """Name the publications whose numbers are shown, each with its caveats."""
    caveats: dict[str, list[str]] = {}
    for row, facts, reason in zip(taken.rows, taken.facts, reasons, strict=True):
        if row["published"] is None or not layout.shows(row):
            continue
        known = caveats.setdefault(source_of(row, facts.get("value", SAMPLE)) or "the metrics file", [])
        if row["comparable"] == "yes" and reason and reason not in known:
            known.append(reason)
    return [f"Published values: {'; '.join([source, *told])}." for source, told in caveats.items()]


def _varying(taken: Admitted, layout: Layout, value: Callable[[dict, dict], object]) -> str:
    """Say a value once if all rows share it, else by data set, by line, or by both."""
    shown = [pair for pair in zip(taken.rows, taken.facts, strict=True) if layout.shows(pair[0])]
    by_dataset = [
        (str(taken.datasets[row["dataset"]]["title"]), str(value(row, facts))) for row, facts in shown
    ]
    by_line = [
        (line_name(row, layout) if "system" in layout.row else shown_system(row["system"]), text)
        for (row, _), (_, text) in zip(shown, by_dataset, strict=True)
    ]
    by_both = [
        (f"{line}, {title}", text) for (line, text), (title, _) in zip(by_line, by_dataset, strict=True)
    ]
    if len({text for _, text in by_both}) == 1:
        return by_both[0][1]
    pairs = next((p for p in (by_dataset, by_line) if len(dict(p)) == len(set(p))), by_both)
    listed = {text: list(dict.fromkeys(name for name, other in pairs if other == text)) for _, text in pairs}
    return "; ".join(f"{text} ({', '.join(names)})" for text, names in listed.items())


def _selection(row: dict) -> str:
    return "nothing to select" if row["selection"] in (None, "", "none") else str(row["selection"])


def _budget(facts: dict) -> str:
    budget = facts.get("search_budget")
    if budget is None:
        return "not recorded"
    if budget == 0:
        return "none"
    return (
        f"{budget:,} training{'s' * (budget != 1)} a row and seed" if isinstance(budget, int) else str(budget)
    )


def _count(draws: int | None) -> str:
    return f"{draws:,}" if draws is not None else "an unrecorded number of"
