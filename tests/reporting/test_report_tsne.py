"""t-SNE with anchors: shapes, determinism, normalisation, small cohorts."""

import numpy as np
import pytest

from clinbench.errors import UserError
from clinbench.reporting.tsne import tsne_embedding


@pytest.fixture(scope="module")
def clouds():
    """Two well separated clouds, and anchors in the middle of each."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 30)
    anchors = np.stack([-np.ones(4), np.ones(4)])
    return anchors[labels] + 0.1 * rng.standard_normal((60, 4)), anchors, labels


@pytest.fixture(scope="module")
def embedded(clouds):
    return tsne_embedding(clouds[0], clouds[1], perplexity=10, iterations=400, seed=3)


def test_anchors_fall_into_their_clouds(clouds, embedded):
    coords, anchors, used = embedded
    assert coords.shape == (60, 2) and anchors.shape == (2, 2) and used == 10
    centres = np.stack([coords[clouds[2] == label].mean(axis=0) for label in (0, 1)])
    distances = np.linalg.norm(anchors[:, None] - centres, axis=-1)
    assert distances.argmin(axis=1).tolist() == [0, 1]


def test_same_seed_same_picture(clouds, embedded):
    again = tsne_embedding(clouds[0], clouds[1], perplexity=10, iterations=400, seed=3)
    assert np.array_equal(again[0], embedded[0]) and np.array_equal(again[1], embedded[1])


def test_lengths_do_not_matter(clouds, embedded):
    scale = np.linspace(1, 8, 60)[:, None]
    coords, _, _ = tsne_embedding(clouds[0] * 4, clouds[1] * 0.5, perplexity=10, iterations=400, seed=3)
    assert np.allclose(coords, embedded[0], atol=1e-3)
    assert np.isfinite(tsne_embedding(clouds[0] * scale, clouds[1], 10, 250, 3)[0]).all()


def test_small_cohorts_lower_the_perplexity_and_say_so(clouds, capsys):
    _, _, used = tsne_embedding(clouds[0][:7], clouds[1], perplexity=50, iterations=250, seed=0)
    assert used == pytest.approx(8 / 3)
    assert "perplexity 50 lowered to 2.667 for 7 points" in capsys.readouterr().err


def test_equal_and_zero_vectors_give_numbers():
    coords, anchors, _ = tsne_embedding(np.zeros((5, 3)), np.ones((2, 3)), 2, 250, 0)
    assert np.isfinite(coords).all() and np.isfinite(anchors).all()


@pytest.mark.parametrize(
    ("z", "anchors", "told"),
    [
        (np.ones((2, 4)), np.ones((2, 4)), "N >= 3"),
        (np.ones((9, 1)), np.ones((2, 1)), "d >= 2"),
        (np.ones((9, 4)), np.ones((2, 3)), "anchors"),
        (np.full((9, 4), np.nan), np.ones((2, 4)), "9 of 11 vectors"),
    ],
)
def test_bad_input_is_refused(z, anchors, told):
    with pytest.raises(UserError, match=told):
        tsne_embedding(z, anchors)


def test_bad_options_are_refused(clouds):
    with pytest.raises(UserError, match="iterations"):
        tsne_embedding(clouds[0], clouds[1], iterations=10)
    with pytest.raises(UserError, match="perplexity"):
        tsne_embedding(clouds[0], clouds[1], perplexity=0)
