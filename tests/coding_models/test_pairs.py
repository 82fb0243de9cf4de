import polars as pl
import pytest
import torch

from clinbench.coding.frames import queries_frame
from clinbench.coding.pairs import apart, example_pairs, training_pairs
from clinbench.coding.partners import partner_pairs
from clinbench.errors import UserError


def mentions(*rows):
    rows = [(f"q{at}", "train", text, code, "d", "en") for at, (text, code) in enumerate(rows)]
    return queries_frame(rows)


def test_pairs_take_the_first_text_and_leave_out_unknown_codes(table):
    again = pl.concat([table, table.with_columns(text=pl.lit("another text"))])
    train = mentions(("one", "A03"), ("two", "Z99"), ("three", "A01"), ("four", "A03"))
    pairs = training_pairs(train, again, 0, None)
    text = dict(zip(table["code"], table["text"], strict=True))
    assert pairs.texts == {
        "anchor": ["one", "three", "four"],
        "positive": [text["A03"], text["A01"], text["A03"]],
    }
    assert pairs.counts == {"not_in_table": 1, "without_negative": 0, "pairs": 3, "codes": 2}


def test_negatives_are_the_first_of_the_group(train, table, groups):
    short = groups[0] | {"negatives": groups[0]["negatives"][:1]}
    pairs = training_pairs(train, table, 2, [short, *groups[1:]])
    assert pairs.counts["without_negative"] == 1
    assert pairs.identities["code"] == [group["positive"]["code"] for group in groups[1:]]
    assert pairs.texts["negative_2"] == [group["negatives"][1]["text"] for group in groups[1:]]
    assert pairs.texts["positive"] == [group["positive"]["text"] for group in groups[1:]]


def test_nothing_to_tell_apart_is_refused(table):
    with pytest.raises(UserError, match="at least two codes"):
        training_pairs(mentions(("one", "A03"), ("two", "Z99")), table, 0, None)


def test_examples_of_data_set_a_bring_their_own_negatives(examples):
    short = examples[0] | {"hard_negatives": examples[0]["hard_negatives"][:1]}
    pairs = example_pairs([short, *examples[1:]], 2)
    assert pairs.counts == {"not_in_table": 0, "without_negative": 1, "pairs": 31, "codes": 16}
    assert pairs.texts["positive"] == [example["positive"] for example in examples[1:]]
    assert pairs.texts["negative_2"] == [example["hard_negatives"][1]["text"] for example in examples[1:]]
    assert pairs.identities["negative_1"] == [
        example["hard_negatives"][0]["code"] for example in examples[1:]
    ]
    with pytest.raises(UserError, match="32 examples, 0 of them with 3 hard negatives"):
        example_pairs(examples, 3)


def batches(identities, size, epochs=1):
    generator = torch.Generator().manual_seed(0)
    sampler = apart(identities)(
        None, batch_size=size, drop_last=False, valid_label_columns=[], generator=generator, seed=0
    )
    found = []
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        found.append(list(sampler))
    return found


def test_two_codes_with_the_same_text_are_never_in_one_batch(table, examples):
    names = ["Úlcera gástrica", "ulcera  GASTRICA", "Onca", "Cardia", "Sepsa", "Ossa"]
    codes = table["code"].to_list()[:6]
    two = pl.DataFrame({**{name: [""] * 6 for name in table.columns}, "code": codes, "text": names})
    train = mentions(*((f"mention {at}", code) for at, code in enumerate(codes)))
    # A third row's mention, or its near miss, is the text of the first code.
    named = [{"code": code, "text": f"near {at}"} for at, code in enumerate(table["code"].to_list()[6:12])]
    named[3]["text"] = "ulcera gastrica"
    own = [
        example | {"code": code, "positive": name, "query": f"q {name} {at}", "hard_negatives": [named[at]]}
        for at, (example, code, name) in enumerate(zip(examples, codes, names, strict=False))
    ]
    own[2]["query"] = "ÚLCERA gástrica"
    cases = [
        (training_pairs(train, two, 0, None), {0, 1}),
        (partner_pairs(train, two, 1, 0), {0, 1}),
        (example_pairs(own, 1), {0, 1, 2, 3}),
    ]
    for pairs, same in cases:
        for epoch in batches(pairs.identities, 3, epochs=8):
            assert sorted(row for batch in epoch for row in batch) == list(range(6))
            assert all(len(same & set(batch)) <= 1 for batch in epoch)


def test_no_batch_has_a_code_or_mention_twice():
    identities = {
        "mention": [f"m{at % 17}" for at in range(60)],
        "code": [f"A{at % 12}" for at in range(60)],
        "negative_1": [f"A{(at * 7 + 1) % 12}" for at in range(60)],
    }
    (found,) = batches(identities, 4)
    assert sorted(row for batch in found for row in batch) == list(range(60))
    for batch in found:
        for at in batch:
            others = [row for row in batch if row != at]
            mine = {identities[name][at] for name in identities}
            assert not mine & {identities[name][row] for name in identities for row in others}
