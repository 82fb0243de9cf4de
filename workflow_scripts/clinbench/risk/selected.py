"""Apply a selected setting to the test stays."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from clinbench.errors import UserError
from clinbench.risk.losses.supervised import SupervisedContrastiveLoss
from clinbench.risk.models.layers import parameter_count
from clinbench.risk.settings import make_builder, make_loss, restore
from clinbench.risk.stays import Stays, predict
from clinbench.runtime import seeded

if TYPE_CHECKING:
    from clinbench.cohorts.new_stays import NewStays
    from clinbench.cohorts.tensors import Cohort


@dataclass(frozen=True)
class Applied:
    """A trained model on the test stays.

    Attributes:
        stays: (N,) names.
        hours: (N,) length of each stay.
        labels: (N,) or (N, C) of 0 and 1.
        probabilities: (N,) or (N, C) float32.
        embeddings: (N, d) float32.
        anchors: (2, d) negative and positive anchor, or None with several labels.
        weights: of the model, by parameter name.
        parameters: how many are trainable.
    """

    stays: np.ndarray
    hours: np.ndarray
    labels: np.ndarray
    probabilities: np.ndarray
    embeddings: np.ndarray
    anchors: np.ndarray | None
    weights: dict[str, Tensor]
    parameters: int


def untrained(
    cohort: "Cohort", scr_weight: float, model: dict, loss: dict, preset: str
) -> tuple[nn.Module, SupervisedContrastiveLoss]:
    """Build a configured model, whose weights are about to be loaded, and its loss at one λ."""
    module = make_loss(loss, scr_weight, preset)
    with seeded(0):  # start values are overwritten; the caller's random state stays as it was
        return make_builder(model, cohort, module.outputs, preset)(), module


def apply(
    cohort: "Cohort",
    setting: dict,
    weights: dict[str, Tensor],
    model: dict,
    loss: dict,
    preset: str,
    device: str,
) -> Applied:
    """Rebuild the model of ``setting`` (as ``search.choose`` returns it) and predict the test split."""
    network, module = untrained(cohort, setting["scr_weight"], model, loss, preset)
    restore(weights, setting["index"], network)
    network.to(device)
    test = cohort.select("test")
    probabilities, embeddings = predict(network, module, Stays.of(test, device))
    anchors = None
    if cohort.labels.ndim == 1:
        with torch.no_grad():
            anchors = module.contrast.anchors(network.head.weight).cpu().numpy()
    state = {name: tensor.cpu().contiguous() for name, tensor in network.state_dict().items()}
    return Applied(
        test.stays,
        test.lengths,
        test.labels,
        probabilities,
        embeddings,
        anchors,
        state,
        parameter_count(network),
    )


def score_new(
    new: "NewStays",
    cohort: "Cohort",
    weights: dict[str, Tensor],
    model: dict,
    loss: dict,
    preset: str,
    device: str,
) -> np.ndarray:
    """Return the probabilities, (N,) or (N, C) float32, a trained model gives to new stays.

    Args:
        new: stays with the features of ``cohort``, in its scale.
        cohort: what the model was trained on, for its sizes.
        weights: of the model, by parameter name.
        model, loss, preset: as configured when it was trained.

    Raises:
        UserError: the new stays have other features.
    """
    for name in ("features", "static_features"):
        if list(getattr(new, name)) != list(getattr(cohort, name)):
            raise UserError(
                f"The new stays' {name} are not those the model was trained on: {getattr(new, name)}."
            )
    network, module = untrained(cohort, 0.0, model, loss, preset)
    network.load_state_dict(weights)
    return predict(network.to(device), module, Stays.of(new, device))[0]
