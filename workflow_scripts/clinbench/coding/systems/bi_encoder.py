"""Bi-encoder: the encoder tuned on pairs of texts of one code with in-batch negatives, then cosine.

The pairs are texts of the codes table, data set A, the benchmark's train mentions, or one after the other. False
negatives are avoided, not masked: a batch has no code and no text twice (``pairs.apart``).
"""

import tempfile
from pathlib import Path
from typing import Any

import polars as pl

from clinbench.coding.context import Context
from clinbench.coding.dense import retrieve
from clinbench.coding.finetune import isolated, rows_per_pass, run_trainer, training_arguments, write_card
from clinbench.coding.load import load_encoder
from clinbench.coding.pairs import Pairs, apart, example_pairs, training_pairs
from clinbench.coding.partners import partner_pairs, text_pairs
from clinbench.coding.runs import Rankings
from clinbench.coding.voting import all_texts
from clinbench.defaults import with_defaults

OPTIONS = {
    "supervision": {
        "type": "array",
        "items": {"enum": ["texts", "A", "mentions"]},
        "minItems": 1,
        "uniqueItems": True,
        "default": ["mentions"],
        "description": "What it trains on, one after the other: texts, pairs of texts of one code in the table (its "
        "languages and synonyms); A, the composed examples of data set A; mentions, the benchmark's train mentions.",
    },
    "partners": {
        "type": "integer",
        "minimum": 0,
        "default": 0,
        "description": "0: a train mention is paired with its code's first text, and has hard negatives. Above: each "
        "distinct mention is paired that many times with any text of its code, other mentions included.",
    },
    "epochs": {
        "type": "integer",
        "minimum": 1,
        "default": 2,
        "description": "Passes over the training pairs.",
    },
    "batch_size": {
        "type": "integer",
        "minimum": 2,
        "default": 64,
        "description": "Pairs per step; each mention has the texts of all others as negatives. No code and no text is "
        "in a batch twice, so that none is a negative of itself.",
    },
    "learning_rate": {
        "type": "number",
        "exclusiveMinimum": 0,
        "default": 1e-4,
        "description": "Peak learning rate of AdamW, reached after 10 % of the steps, then falling to 0.",
    },
    "hard_negatives": {
        "type": "integer",
        "minimum": 0,
        "maximum": 9,
        "default": 1,
        "description": "Negatives per pair beside those of the batch: the first ones of its list-wise group, or of "
        "its example in data set A.",
    },
    "scale": {
        "type": "number",
        "exclusiveMinimum": 0,
        "default": 20.0,
        "description": "Factor on the cosines in the softmax (inverse temperature).",
    },
    "max_length": {
        "type": "integer",
        "minimum": 4,
        "default": 64,
        "description": "Tokens per text, special ones included; longer texts are cut.",
    },
    "encode_batch": {
        "type": "integer",
        "minimum": 1,
        "default": 64,
        "description": "Texts per forward pass when searching; changes speed and memory, not results.",
    },
    "sharpness": {
        "type": ["number", "null"],
        "exclusiveMinimum": 0,
        "default": None,
        "description": "null: a code scores as its best text does. A number: all texts of a code vote, mentions by how "
        "often they were annotated so, and this is the power of the cosine in a vote.",
    },
}
TRAINED = True
NEEDS = ("encoder", "groups")
SEARCH_OPTIONS = ("encode_batch", "sharpness")  # changing them trains nothing again


def search(queries: list[str], table: pl.DataFrame, options: dict, context: Context, depth: int) -> Rankings:
    """Rank the table's codes for each query; a code scores as its best text does, or by votes (see ``voting``).

    Args:
        queries: q mentions.
        table: codes table, n rows.
        options: see ``OPTIONS``.
        context: ``model``, what ``fit`` saved; ``embeddings`` (n, d) of the table under that model,
            or None to encode the table here.
        depth: codes per query.

    Raises:
        UserError: the embeddings are of another table or model.
    """
    settings = with_defaults(OPTIONS, options)
    model = load_encoder(context.model, context.device, settings["max_length"])
    votes = all_texts(table, context.mentions, settings["sharpness"])
    return retrieve(model, queries, table, context.embeddings, depth, settings["encode_batch"], votes)


def fit(
    train: pl.DataFrame,
    validation: pl.DataFrame,
    table: pl.DataFrame,
    groups: list[dict] | None,
    options: dict,
    context: Context,
    folder: Path,
) -> dict:
    """Tune the encoder with MultipleNegativesRankingLoss and save it as a sentence-transformers folder.

    Args:
        train: queries frame.
        validation: queries frame; not looked at.
        table: codes table.
        groups: list-wise groups of the same mentions, whose first negatives are the hard ones; None where
            mentions are not trained on.
        options: see ``OPTIONS``.
        context: ``encoder`` to start from, ``examples`` where data set A is trained on, ``device``, ``seed``,
            ``state``.
        folder: where the model is saved.

    Returns:
        ``texts``, ``A`` and ``mentions``, as far as trained on, each with ``pairs``, ``codes``, ``not_in_table``
        (mentions left out), ``without_negative`` (pairs left out), ``steps``, ``seconds``, ``losses`` (means over
        each tenth of the steps).

    Raises:
        UserError: nothing to train on, or a loss that is not finite.
    """
    settings = with_defaults(OPTIONS, options)
    model = load_encoder(context.encoder, context.device, settings["max_length"])
    stages = _stages(settings, train, table, groups, context)
    with isolated(context.seed), tempfile.TemporaryDirectory() as scratch:
        summary = {
            name: pairs.counts | _train(name, model, pairs, settings, context, scratch)
            for name, pairs in stages.items()
        }
    model.save_pretrained(str(folder), create_model_card=False)
    write_card(folder, "Bi-encoder for clinical codes", settings | summary)
    return summary


def _stages(
    settings: dict, train: pl.DataFrame, table: pl.DataFrame, groups: list[dict] | None, context: Context
) -> dict[str, Pairs]:
    """Return the pairs of each stage, in order."""

    def mentions() -> Pairs:
        if settings["partners"]:
            return partner_pairs(train, table, settings["partners"], context.seed)
        return training_pairs(train, table, settings["hard_negatives"], groups)

    made = {
        "texts": lambda: text_pairs(table, context.seed),
        "A": lambda: example_pairs(context.examples, settings["hard_negatives"]),
        "mentions": mentions,
    }
    return {name: made[name]() for name in settings["supervision"]}


def _train(name: str, model: Any, pairs: Pairs, settings: dict, context: Context, scratch: str) -> dict:
    """Run the library's trainer on one stage; called with the random state isolated."""
    from datasets import Dataset
    from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments

    from clinbench.coding.in_batch import InBatchLoss

    arguments = training_arguments(
        SentenceTransformerTrainingArguments,
        scratch,
        context.device,
        context.precision,
        context.seed,
        num_train_epochs=settings["epochs"],
        per_device_train_batch_size=settings["batch_size"],
        learning_rate=settings["learning_rate"],
        batch_sampler=apart(pairs.identities),
    )
    loss = InBatchLoss(model, settings["scale"], rows_per_pass(context.device))
    data = Dataset.from_dict(pairs.texts)
    return run_trainer(SentenceTransformerTrainer, name, context.state, model, arguments, data, loss=loss)
