"""A tiny BERT with random weights and a tokenizer that knows given words."""

from collections.abc import Iterable
from pathlib import Path


def write_encoder(folder: Path, words: Iterable[str]) -> Path:
    """Write a plain transformer (32 dimensions, two layers), the same bytes for the same words."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, BertTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [mark + letter for mark in ("", "##") for letter in "abcdefghijklmnopqrstuvwxyz"]
    # Listed, not learnt: a trained vocabulary comes in another order in every process.
    vocabulary = {token: at for at, token in enumerate(dict.fromkeys(special + letters + sorted(set(words))))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(name, tokenizer.token_to_id(name)) for name in ("[SEP]", "[CLS]")]
    tokenizer.post_processor = processors.BertProcessing(*ends)
    BertTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=tokenizer.get_vocab_size(),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=64,
        )
        BertModel(config).save_pretrained(folder)
    return folder
