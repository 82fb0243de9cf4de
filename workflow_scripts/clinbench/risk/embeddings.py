"""Test embeddings with their anchors, as kept for figures."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from clinbench.files import atomic_path

if TYPE_CHECKING:
    from clinbench.risk.selected import Applied


@dataclass(frozen=True)
class Embeddings:
    """Embeddings (N, d) float32, labels (N,) or (N, C), anchors (2, d) negative and positive, and the setting.

    With several labels there are no anchors: (0, d).
    """

    embeddings: np.ndarray
    labels: np.ndarray
    anchors: np.ndarray
    setting: dict

    @classmethod
    def of(cls, applied: "Applied", setting: dict) -> "Embeddings":
        """Take what a figure needs from an applied model."""
        anchors = applied.embeddings[:0] if applied.anchors is None else applied.anchors
        return cls(applied.embeddings, applied.labels, anchors, setting)

    def save(self, path: str | Path) -> None:
        """Write npz atomically, without pickled objects."""
        with atomic_path(path) as temporary, open(temporary, "wb") as handle:
            np.savez(
                handle,
                embeddings=self.embeddings,
                labels=self.labels,
                anchors=self.anchors,
                setting=np.array(json.dumps(self.setting)),
            )

    @classmethod
    def load(cls, path: str | Path) -> "Embeddings":
        """Read what ``save`` wrote."""
        with np.load(path, allow_pickle=False) as stored:
            return cls(
                stored["embeddings"], stored["labels"], stored["anchors"], json.loads(str(stored["setting"]))
            )
