"""Length-bucketed batches."""

import pytest
import torch

from clinbench.risk.batches import bucketed


def lengths(n: int) -> torch.Tensor:
    return torch.randn(n, generator=torch.Generator().manual_seed(1)).mul(1.05).exp().mul(50).ceil().long()


def batches(n: int, size: int, seed: int = 0, **options) -> list[torch.Tensor]:
    return list(bucketed(lengths(n), size, torch.Generator().manual_seed(seed), **options))


@pytest.mark.parametrize(("n", "size", "mega"), [(1000, 16, 20), (37, 8, 2), (5, 8, 20), (16, 8, 1)])
def test_each_stay_comes_once(n, size, mega):
    found = batches(n, size, mega=mega)
    assert torch.cat(found).sort().values.tolist() == list(range(n))
    assert max(map(len, found)) <= size
    assert len(found) == -(-n // size)


def test_order_is_the_generator_s():
    first, again, other = batches(300, 16), batches(300, 16), batches(300, 16, seed=1)
    assert all(map(torch.equal, first, again))
    assert not torch.equal(torch.cat(first), torch.cat(other))
    of_one_generator = torch.Generator().manual_seed(0)
    passes = [torch.cat(list(bucketed(lengths(300), 16, of_one_generator))) for _ in range(2)]
    assert not torch.equal(*passes)


def test_padding_is_short_and_the_order_is_mixed():
    n, size = 5000, 32
    steps = lengths(n)
    found = batches(n, size)
    bucketed_steps = sum(int(steps[rows].max()) * len(rows) for rows in found)
    random = torch.randperm(n, generator=torch.Generator().manual_seed(0)).split(size)
    random_steps = sum(int(steps[rows].max()) * len(rows) for rows in random)
    assert bucketed_steps < 1.5 * steps.sum() < random_steps / 2
    longest = torch.tensor([steps[rows].max() for rows in found])
    assert not torch.equal(longest, longest.sort().values)
    # Mega-batches differ, so a stay does not always meet the same neighbours.
    assert longest[: len(longest) // 2].max() > 3 * longest[: len(longest) // 2].min()
