"""Cross-encoder: re-ranks the first stage's shortlist; starts from the first stage's model, trained list-wise."""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from clinbench.coding.closest import Closest
from clinbench.coding.context import Context
from clinbench.coding.finetune import isolated, rows_per_pass, run_trainer, training_arguments, write_card
from clinbench.coding.mentions import as_texts
from clinbench.coding.pairwise import load_cross_encoder, score_pairs
from clinbench.coding.rerank import rerank
from clinbench.coding.runs import Rankings
from clinbench.coding.text import fold
from clinbench.defaults import with_defaults
from clinbench.errors import UserError

OPTIONS = {
    "epochs": {
        "type": "integer",
        "minimum": 1,
        "default": 2,
        "description": "Passes over the list-wise groups.",
    },
    "groups_per_step": {
        "type": "integer",
        "minimum": 1,
        "default": 8,
        "description": "Groups per step: one positive and at most 9 negatives each.",
    },
    "learning_rate": {
        "type": "number",
        "exclusiveMinimum": 0,
        "default": 1e-4,
        "description": "Peak learning rate of AdamW, reached after 10 % of the steps, then falling to 0.",
    },
    "max_length": {
        "type": "integer",
        "minimum": 8,
        "default": 96,
        "description": "Tokens per (mention, description) pair, special ones included; longer pairs are cut.",
    },
    "shortlist": {
        "type": "integer",
        "minimum": 1,
        "default": 50,
        "description": "Codes of the first stage that are re-ranked; those after keep its order.",
    },
    "max_groups": {
        "type": ["integer", "null"],
        "minimum": 1,
        "default": None,
        "description": "Groups used at most, drawn at random; null takes all.",
    },
    "reads": {
        "enum": ["all", "closest"],
        "default": "all",
        "description": "Texts of a code that are read. all: trains on one text of each code and scores all, the best "
        "counts; closest: the one nearest the mention in character n-grams. Training counts the train mentions among "
        "the texts; give the entry `mentions`, so that searching does, too.",
    },
    "score_batch": {
        "type": "integer",
        "minimum": 1,
        "default": 64,
        "description": "Pairs per forward pass when re-ranking; changes speed and memory, not results.",
    },
}
TRAINED = True
NEEDS = ("first_stage", "groups")
SEARCH_OPTIONS = ("shortlist", "score_batch")  # changing them trains nothing again


def search(queries: list[str], table: pl.DataFrame, options: dict, context: Context, depth: int) -> Rankings:
    """Re-rank the first ``shortlist`` codes of the first stage by raw logits (see ``rerank``).

    Args:
        queries: q mentions.
        table: codes table, n rows.
        options: see ``OPTIONS``.
        context: ``model`` (what ``fit`` saved) and ``first_stage``, q rankings.
        depth: codes per query.

    Raises:
        UserError: rankings that do not fit the queries, or hold a code that is not in the table.
    """
    settings = with_defaults(OPTIONS, options)
    model = load_cross_encoder(context.model, context.device, settings["max_length"])

    def score(pairs: list[tuple[str, str]]) -> np.ndarray:
        return score_pairs(model, pairs, settings["score_batch"])

    closest = settings["reads"] == "closest"
    shortlist, mentions = settings["shortlist"], context.mentions
    return rerank(queries, table, context.first_stage, score, shortlist, depth, closest, mentions)


def fit(
    train: pl.DataFrame,
    validation: pl.DataFrame,
    table: pl.DataFrame,
    groups: list[dict] | None,
    options: dict,
    context: Context,
    folder: Path,
) -> dict:
    """Train list-wise from the first stage's weights with a new head, and save the model.

    Args:
        train, table: queries frame and codes table, where the closest texts are read; else not looked at.
        validation: not looked at.
        groups: list-wise groups (coding.md section 1.2) of the training split, with all texts.
        options: see ``OPTIONS``.
        context: ``first_stage_model`` to start from, ``device``, ``seed``, ``state``.
        folder: where the cross-encoder is saved.

    Returns:
        ``groups``, ``pairs`` per epoch, ``alike`` (groups left out, whose texts are all the positive's), ``steps``,
        ``seconds``, ``losses`` (means over tenths of the steps).

    Raises:
        UserError: no groups, or a loss that is not finite.
    """
    from datasets import Dataset
    from sentence_transformers import CrossEncoderTrainer, CrossEncoderTrainingArguments

    from clinbench.coding.listwise import ListwiseLoss

    settings = with_defaults(OPTIONS, options)
    chosen = _chosen(groups, settings["max_groups"], context.seed)
    closest = Closest(pl.concat([table, as_texts(train)])) if settings["reads"] == "closest" else None
    read = [(group["query"], _candidates(group, closest)) for group in chosen]
    kept = [(query, items) for query, items in read if len(items) > 1]
    if not kept:
        raise UserError(f"The texts of all {len(read)} groups are the positives': nothing tells codes apart.")
    columns = {"query": [query for query, _ in kept], "candidates": [items for _, items in kept]}
    with isolated(context.seed), tempfile.TemporaryDirectory() as scratch:
        model = load_cross_encoder(context.first_stage_model, context.device, settings["max_length"])
        arguments = training_arguments(
            CrossEncoderTrainingArguments,
            scratch,
            context.device,
            context.precision,
            context.seed,
            num_train_epochs=settings["epochs"],
            per_device_train_batch_size=settings["groups_per_step"],
            learning_rate=settings["learning_rate"],
        )
        loss = ListwiseLoss(model, rows_per_pass(context.device))
        data = Dataset.from_dict(columns)
        summary = {
            "groups": len(kept),
            "alike": len(read) - len(kept),
            "pairs": sum(len(items) for _, items in kept),
        }
        summary |= run_trainer(
            CrossEncoderTrainer, "groups", context.state, model, arguments, data, loss=loss
        )
    model.save_pretrained(str(folder), create_model_card=False)
    write_card(folder, "Cross-encoder for clinical codes", settings | summary)
    return summary


def _chosen(groups: list[dict] | None, limit: int | None, seed: int) -> list[dict]:
    """Return the groups to train on, in their order; a random draw if there are more than ``limit``."""
    if not groups:
        raise UserError("The cross-encoder has no list-wise groups to train on. Are there training queries?")
    if limit is None or len(groups) <= limit:
        return groups
    drawn = np.random.default_rng(seed).choice(len(groups), size=limit, replace=False)
    return [groups[at] for at in sorted(drawn)]


def _candidates(group: dict, closest: Closest | None) -> list[str]:
    """Return the texts of a group's codes, the positive first; one text is not both positive and negative.

    Where the closest texts are read, the mention itself is none of them but where its code has no other.
    """
    items = (group["positive"], *group["negatives"])
    texts = [item["text"] for item in items]
    if closest is not None:
        texts = [closest.of(group["query"], item["code"], others=True) or item["text"] for item in items]
    return [texts[0], *(text for text in texts[1:] if fold(text) != fold(texts[0]))]
