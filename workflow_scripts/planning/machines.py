"""What jobs ask of the machine they run on: a GPU, on a cluster its kind and queue, and more after a failure."""

import os
from collections.abc import Callable

from clinbench.runtime import gpus_per_job

# In a profile's default-resources, for GPU jobs alone: the name the SLURM plug-in has for it.
GPU_SETTINGS = {"gpu_type": "gpu_model", "gpu_partition": "slurm_partition", "gpu_gres": "gres"}
DECIDED = "CLINBENCH_GPUS"  # what the run decided, for its jobs: they plan again, on machines of another kind


def growing(base: int) -> Callable:
    """Return a resource that grows with each attempt at a job."""
    return lambda wildcards, attempt: base * attempt


class Machines:
    """How GPU rules of one run ask for a GPU.

    Args:
        device: the config key.
        workflow: Snakemake's, for its limits and default resources.

    Attributes:
        gpus: GPUs a job asks for, 0 or 1. A limit of 0 on the command line counts here too, since only this way it
            reaches the jobs of a cluster.
    """

    def __init__(self, device: str, workflow):
        defaults = workflow.resource_settings.default_resources or {}
        self._site = {
            name: _text(defaults[name]) for name in defaults if name in (*GPU_SETTINGS, "slurm_partition")
        }
        decided = os.environ.get(DECIDED)
        if workflow.is_main_process or decided is None:
            limit = workflow.global_resources.get("gpu").value
            self.gpus = 0 if limit == 0 else gpus_per_job(device, cluster="slurm_partition" in self._site)
            os.environ[DECIDED] = str(self.gpus)
        else:
            self.gpus = int(decided)

    def on_gpu(self, needed: Callable | None = None) -> dict[str, object]:
        """Return the resources of a GPU rule.

        Args:
            needed: tells from the wildcards whether a job profits from a GPU; None: every one does.
        """
        if not self.gpus:
            return {"gpu": 0}
        asked = {"gpu": self.gpus}
        asked |= {GPU_SETTINGS[name]: value for name, value in self._site.items() if name in GPU_SETTINGS}
        if "gres" in asked:
            asked["gpu"] = 0  # asked for under that name only
        if needed is None:
            return asked
        other = {"gpu": 0, "slurm_partition": self._site.get("slurm_partition")}
        return {name: _either(needed, value, other.get(name)) for name, value in asked.items()}


def _either(needed: Callable, value: object, other: object) -> Callable:
    return lambda wildcards: value if needed(wildcards) else other


def _text(resource: object) -> str:
    """Return a default resource as written in the profile, without its quotes."""
    return str(getattr(resource, "raw", None) or getattr(resource, "value", resource)).strip("'\"")
