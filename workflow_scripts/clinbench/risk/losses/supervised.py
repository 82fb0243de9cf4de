"""A classification loss plus λ·SCR in one interface, with the presets of risk.md §8."""

import importlib
from types import ModuleType

import torch
from torch import Tensor, nn

from clinbench import plugins
from clinbench.defaults import with_defaults
from clinbench.errors import UserError, closest
from clinbench.risk.losses.checks import check_batch, number_above, one_of
from clinbench.risk.losses.scr import scr_per_class

PRESETS = {
    "clean": {"reference_scale": False, "cbce_scale": 1.0, "singleton": "skip_anchor", "proba": "paper"},
    "paper": {"reference_scale": False, "cbce_scale": 1.0, "singleton": "skip_anchor", "proba": "paper"},
    "reference": {"reference_scale": True, "cbce_scale": 0.5, "singleton": "skip_batch", "proba": "paper"},
}
CONTRACT = ("OPTIONS", "OUTPUTS", "classification_loss", "probability", "anchors")
BASE_TEMPERATURE = 0.07  # the reference divides τ by this constant (risk.md 3.2, row 2)


class SupervisedContrastiveLoss(nn.Module):
    """Classification loss + λ·SCR, a drop-in for ``BCEWithLogitsLoss`` that also sees embeddings.

    Args:
        contrast: ``bce`` (one logit a label), ``cbce`` or ``csce`` (two: negative, positive), or the
            name of any other plug-in in ``clinbench.risk.losses``.
        scr_weight: λ ≥ 0.
        temperature: τ > 0 of the SCR.
        preset: ``clean``, ``paper`` or ``reference``; sets the four switches below.
        scr_scale: factor of the SCR (1; τ/0.07 in ``reference``).
        cbce_scale: factor of the CBCE (1; ½ in ``reference``).
        singleton: ``skip_anchor`` drops anchors without partner; ``skip_batch`` drops the SCR of a
            class with fewer than two positives; ``error`` refuses such a batch.
        proba: ``paper`` or ``posterior``, see ``clinbench.risk.losses.cbce``.
        check_values: refuse NaN and labels other than 0 and 1 in each batch; on a GPU this waits for
            the device. Types and shapes are always checked.
        options: further arguments of the plug-in's loss.

    Raises:
        UserError: a bad argument or batch, by name.
    """

    def __init__(
        self,
        contrast: str = "bce",
        scr_weight: float = 0.0,
        temperature: float = 0.1,
        preset: str = "clean",
        *,
        scr_scale: float | None = None,
        cbce_scale: float | None = None,
        singleton: str | None = None,
        proba: str | None = None,
        check_values: bool = True,
        **options: object,
    ):
        super().__init__()
        switches = PRESETS[one_of("preset", preset, PRESETS)]
        plugin = _plugin(contrast, options)
        self.kind = contrast
        self.outputs: int = plugin.OUTPUTS
        self.options = with_defaults(plugin.OPTIONS, options, preset)
        self.scr_weight = number_above("scr_weight", scr_weight, 0)
        self.temperature = number_above("temperature", temperature, 0, strict=True)
        if scr_scale is None:
            scr_scale = self.temperature / BASE_TEMPERATURE if switches["reference_scale"] else 1.0
        self.scr_scale = number_above("scr_scale", scr_scale, 0)
        cbce_scale = number_above(
            "cbce_scale", switches["cbce_scale"] if cbce_scale is None else cbce_scale, 0
        )
        self.scale = cbce_scale if contrast == "cbce" else 1.0
        singleton = switches["singleton"] if singleton is None else singleton
        self.singleton = one_of("singleton", singleton, ("skip_anchor", "skip_batch", "error"))
        proba = switches["proba"] if proba is None else proba
        self.proba = one_of("proba", proba, ("paper", "posterior"))
        self.check_values = check_values
        self._skipped: Tensor | int = 0

    @property
    def contrast(self) -> ModuleType:
        """Return the plug-in; looked up, because a module held as an attribute could not be deep-copied."""
        return importlib.import_module(plugins.module("risk.losses", self.kind))

    @property
    def skipped_anchors(self) -> int:
        """Return how many anchors had no partner, over all classes and batches so far."""
        return int(self._skipped)

    def forward(self, logits: Tensor, embeddings: Tensor, labels: Tensor) -> Tensor:
        """Return the scalar loss, the mean over samples and labels.

        Args:
            logits: (N,) or (N, C) for one output a label, (N, 2) or (N, C, 2) for two, last axis
                negative, positive.
            embeddings: (N, d) the representation the head reads.
            labels: (N,) or (N, C) of 0 and 1.
        """
        check_batch(labels, logits, embeddings, self.outputs, self.check_values)
        total = self.scale * self.contrast.classification_loss(logits, embeddings, labels, **self.options)
        if self.scr_weight:
            total = total + self.scr_weight * self.scr_scale * self._scr(embeddings, labels)
        return total

    def probability(self, logits: Tensor) -> Tensor:
        """Return the probability of each label, (N,) or (N, C)."""
        return self.contrast.probability(logits, self.proba)

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        return (
            f"{self.kind}, scr_weight={self.scr_weight}, temperature={self.temperature}, proba={self.proba}"
        )

    def _scr(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        labels = labels[:, None] if labels.ndim == 1 else labels
        per_class, skipped = scr_per_class(embeddings, labels, self.temperature)
        self._skipped = self._skipped + skipped.sum()
        if self.singleton == "error" and skipped.any():
            raise UserError(f"{int(skipped.sum())} anchors have no partner in a batch of {len(labels)}.")
        if self.singleton == "skip_batch":
            kept = labels.sum(0) >= 2  # (C,)
            return torch.where(kept, per_class, 0).sum() / kept.sum().clamp(min=1)
        return per_class.mean()


def _plugin(name: str, options: dict) -> ModuleType:
    """Import a loss and refuse options it does not have."""
    module = plugins.load("risk.losses", name)
    missing = [part for part in CONTRACT if not hasattr(module, part)]
    if missing:
        raise UserError(f"The loss plug-in '{name}' lacks {', '.join(missing)}; see docs/extending.md.")
    for option in options:
        if option not in module.OPTIONS:
            raise UserError(
                f"{option}: the loss '{name}' has no such option{closest(option, module.OPTIONS)}; "
                f"it has {', '.join(module.OPTIONS) or 'none'}."
            )
    return module
