import math

import pytest
import torch
import torch.nn.functional as F

from clinbench.coding.lengths import forward_by_length, merge_columns
from clinbench.coding.listwise import ListwiseLoss, listwise_loss


def naive(logits, sizes):
    total, start = 0.0, 0
    for size in sizes:
        group = [float(value) for value in logits[start : start + size]]
        total += -math.log(math.exp(group[0]) / sum(math.exp(value) for value in group))
        start += size
    return total / len(sizes)


@pytest.mark.parametrize("sizes", [[4], [10, 10, 10], [1], [2, 10, 1, 5], [3, 3, 2]])
def test_equals_naive_loop(sizes):
    torch.manual_seed(0)
    logits = torch.randn(sum(sizes), dtype=torch.float64)
    assert float(listwise_loss(logits, sizes)) == pytest.approx(naive(logits, sizes), abs=1e-12)


def test_equals_cross_entropy_on_equal_groups_with_gradient():
    torch.manual_seed(1)
    logits = torch.randn(6, 10, dtype=torch.float64, requires_grad=True)
    ours = listwise_loss(logits.view(-1), [10] * 6)
    theirs = F.cross_entropy(logits, torch.zeros(6, dtype=torch.long))
    assert ours.item() == pytest.approx(theirs.item(), abs=1e-12)
    gradients = [torch.autograd.grad(value, logits, retain_graph=True)[0] for value in (ours, theirs)]
    assert torch.allclose(*gradients, atol=1e-12)


def test_short_group_neither_counts_its_padding_nor_feels_its_neighbours():
    short = torch.tensor([0.3, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    alone = listwise_loss(short, [3])
    filler = torch.full((10,), 50.0, dtype=torch.float64)
    beside = 2 * listwise_loss(torch.cat([short, filler]), [3, 10]) - listwise_loss(filler, [10])
    assert alone.item() == pytest.approx(beside.item(), abs=1e-12)
    gradient = torch.autograd.grad(beside, short)[0]
    assert torch.allclose(gradient, torch.autograd.grad(alone, short)[0], atol=1e-12)


def test_large_logits_stay_finite_and_half_precision_is_lifted():
    assert float(listwise_loss(torch.tensor([1000.0, -1000.0, 999.0]), [3])) == pytest.approx(
        0.3133, abs=1e-4
    )
    half = listwise_loss(torch.tensor([20.0, 20.0], dtype=torch.float16), [2])
    assert half.dtype == torch.float32 and float(half) == pytest.approx(math.log(2), abs=1e-6)


class Toy(torch.nn.Module):
    """Sums embedded tokens that are not masked, so that padding would show."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(2)
        self.table = torch.nn.Embedding(50, 1).double()
        self.device = torch.device("cpu")
        self.widths = []

    def preprocess(self, pairs):
        rows = [[ord(sign) % 49 + 1 for sign in "|".join(pair)] for pair in pairs]
        width = max(map(len, rows))
        ids = torch.tensor([row + [7] * (width - len(row)) for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        return {"input_ids": ids, "attention_mask": mask, "modality": "text"}

    def forward(self, features):
        self.widths.append(features["input_ids"].shape[1])
        hidden = self.table(features["input_ids"]).squeeze(-1) * features["attention_mask"]
        return {"scores": hidden.sum(dim=1, keepdim=True)}


def test_module_scores_each_pair_in_its_group():
    toy = Toy()
    queries, candidates = ["q", "longer mention"], [["a", "bb", "ccccccc"], ["dd", "e"]]
    loss = ListwiseLoss(toy, rows=2)([queries, candidates], None)
    logits = [
        toy(toy.preprocess([(query, text)]))["scores"].item()
        for query, texts in zip(queries, candidates, strict=True)
        for text in texts
    ]
    assert loss.item() == pytest.approx(naive(logits, [3, 2]), abs=1e-9)


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_passes_by_length_change_neither_output_nor_gradient(rows):
    toy = Toy()
    features = toy.preprocess([("a" * size, "b") for size in (3, 9, 1, 5, 1, 7)])
    whole = toy(features)["scores"]
    toy.widths.clear()
    parts = forward_by_length(toy, features, rows, "scores")
    assert torch.allclose(whole, parts, atol=1e-12)
    weight = torch.arange(6, dtype=torch.float64)[:, None]
    ours, theirs = (
        torch.autograd.grad((value * weight).sum(), toy.table.weight)[0] for value in (parts, whole)
    )
    assert torch.allclose(ours, theirs, atol=1e-12)
    assert toy.widths[0] == 11 and toy.widths[-1] == {1: 3, 2: 3, 3: 5, 100: 11}[rows]


def test_merged_columns_keep_rows_and_pad_with_masked_zeros():
    toy = Toy()
    columns = [toy.preprocess([("a", "b"), ("cc", "d")]), toy.preprocess([("eeeee", "f"), ("g", "h")])]
    merged = merge_columns(columns)
    assert merged["input_ids"].shape == (4, 7) and merged["modality"] == "text"
    separate = torch.cat([toy(column)["scores"] for column in columns])
    assert torch.allclose(toy(merged)["scores"], separate, atol=1e-12)
