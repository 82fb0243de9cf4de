"""A classification loss plus λ·SCR in one interface, with the presets of risk.md §8."""

import math

from torch import Tensor, nn

from clinbench import plugins
from clinbench.errors import UserError
from clinbench.risk.losses.scr import scr_per_class

PRESETS = {
    "clean": {"reference_scale": False, "cbce_scale": 1.0, "singleton": "skip_anchor", "proba": "paper"},
    "paper": {"reference_scale": False, "cbce_scale": 1.0, "singleton": "skip_anchor", "proba": "paper"},
    "reference": {"reference_scale": True, "cbce_scale": 0.5, "singleton": "skip_batch", "proba": "paper"},
}
CONTRACT = ("OUTPUTS", "classification_loss", "probability", "anchors")
BASE_TEMPERATURE = 0.07  # the reference divides τ by this constant (risk.md 3.2, row 2)


class SupervisedContrastiveLoss(nn.Module):
    """Classification loss + λ·SCR, a drop-in for ``BCEWithLogitsLoss`` that also sees embeddings.

    Args:
        contrast: ``bce`` (one logit a label), ``cbce`` or ``csce`` (two: negative, positive), or the
            name of any other plug-in in ``clinbench.risk.losses``.
        scr_weight: λ ≥ 0.
        temperature: τ > 0 of the SCR.
        preset: ``clean``, ``paper`` or ``reference``; sets the switches below.
        scr_scale: factor of the SCR (1; τ/0.07 in ``reference``).
        cbce_scale: factor of the CBCE (1; ½ in ``reference``).
        singleton: ``skip_anchor`` drops anchors without partner; ``skip_batch`` drops the SCR of a
            class with fewer than two positives; ``error`` refuses such a batch.
        proba: ``paper`` or ``posterior``, see ``clinbench.risk.losses.cbce``.
        options: further arguments of the plug-in's loss.

    Attributes:
        skipped_anchors: anchors without partner, counted since construction.

    Raises:
        UserError: a bad argument or shape, by name.
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
        **options: object,
    ):
        super().__init__()
        _one_of("preset", preset, PRESETS)
        switches = PRESETS[preset]
        _above("temperature", temperature, 0, strict=True)
        if scr_scale is None:
            scr_scale = temperature / BASE_TEMPERATURE if switches["reference_scale"] else 1.0
        self.contrast = plugins.load("risk.losses", contrast)
        missing = [name for name in CONTRACT if not hasattr(self.contrast, name)]
        if missing:
            raise UserError(
                f"The loss plug-in '{contrast}' lacks {', '.join(missing)}; see docs/extending.md."
            )
        self.outputs: int = self.contrast.OUTPUTS
        self.scr_weight = _above("scr_weight", scr_weight, 0)
        self.temperature = temperature
        self.scr_scale = _above("scr_scale", scr_scale, 0)
        cbce_scale = switches["cbce_scale"] if cbce_scale is None else cbce_scale
        self.scale = _above("cbce_scale", cbce_scale, 0) if contrast == "cbce" else 1.0
        self.singleton = singleton or switches["singleton"]
        _one_of("singleton", self.singleton, ("skip_anchor", "skip_batch", "error"))
        self.proba = proba or switches["proba"]
        _one_of("proba", self.proba, ("paper", "posterior"))
        self.options = options
        self.skipped_anchors = 0

    def forward(self, logits: Tensor, embeddings: Tensor, labels: Tensor) -> Tensor:
        """Return the scalar loss.

        Args:
            logits: (N,) or (N, C) for one output a label, (N, 2) or (N, C, 2) for two.
            embeddings: (N, d) the representation the head reads.
            labels: (N,) or (N, C) of 0 and 1.
        """
        check_shapes(logits, embeddings, labels, self.outputs)
        total = self.scale * self.contrast.classification_loss(logits, embeddings, labels, **self.options)
        if self.scr_weight:
            total = total + self.scr_weight * self.scr_scale * self._scr(embeddings, labels)
        return total

    def probability(self, logits: Tensor) -> Tensor:
        """Return the probability of each label, (N,) or (N, C)."""
        return self.contrast.probability(logits, self.proba)

    def _scr(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        labels = labels[:, None] if labels.ndim == 1 else labels
        per_class, skipped = scr_per_class(embeddings, labels, self.temperature)
        self.skipped_anchors += int(skipped.sum())
        if self.singleton == "error" and skipped.any():
            raise UserError(f"{int(skipped.sum())} anchors have no partner in a batch of {len(labels)}.")
        if self.singleton == "skip_batch":
            kept = labels.sum(0) >= 2  # (C,)
            return (per_class * kept).sum() / kept.sum().clamp(min=1)
        return per_class.mean()


def check_shapes(logits: Tensor, embeddings: Tensor, labels: Tensor, outputs: int) -> None:
    """Refuse shapes and labels that would broadcast or mislead in silence."""
    expected = tuple(labels.shape) + ((2,) if outputs == 2 else ())
    if labels.ndim not in (1, 2):
        raise UserError(f"labels: shape (N,) or (N, C) expected, got {tuple(labels.shape)}.")
    if tuple(logits.shape) != expected:
        raise UserError(f"logits: shape {expected} expected beside labels, got {tuple(logits.shape)}.")
    if embeddings.ndim != 2 or len(embeddings) != len(labels):
        raise UserError(f"embeddings: shape ({len(labels)}, d) expected, got {tuple(embeddings.shape)}.")
    if labels.device.type == "cpu" and not ((labels == 0) | (labels == 1)).all():
        raise UserError("labels: only 0 and 1 are allowed.")


def _above(name: str, value: float, bound: float, strict: bool = False) -> float:
    if not math.isfinite(value) or value < bound or (strict and value == bound):
        raise UserError(f"{name}: a finite number {'>' if strict else '>='} {bound} expected, got {value}.")
    return float(value)


def _one_of(name: str, value: str, choices: object) -> None:
    if value not in choices:
        raise UserError(f"{name}: one of {', '.join(choices)} expected, got {value!r}.")
