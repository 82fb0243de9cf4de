"""What every script of a rule does around its work: log, threads, device, provenance, clear errors."""

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clinbench.coding.encoders import Found, find_encoder
from clinbench.digest import value_digest
from clinbench.errors import UserError
from clinbench.files import sweep, write_json
from clinbench.interrupts import handled
from clinbench.provenance import environment_hash, git_state
from clinbench.runtime import compute_facts, granted_gpus, torch_device, usable_precision, usable_threads
from sharing import shared


class Job:
    """One running job: its device and threads, and the run record it leaves."""

    def __init__(self, snakemake):
        self._snakemake, self._start = snakemake, time.monotonic()
        self.earlier = 0.0  # seconds of interrupted jobs that this one goes on from
        self.threads, self.device, self.precision = usable_threads(snakemake.threads), "cpu", None

    def use_torch(self) -> str:
        """Set up torch for this job and return its device; CUDA only if a GPU was granted."""
        self.device = torch_device(granted_gpus(self._snakemake.resources), self.threads)
        self.precision = usable_precision(self.device, self._snakemake.params.get("precision", "fp32"))
        return self.device

    def encoder(self) -> Found | None:
        """Find the encoder the rule names; its place is this machine's and no parameter."""
        name, config = self._snakemake.params.name, self._snakemake.config
        if not name:
            return None
        return find_encoder(config["coding"]["encoders"][name], config["allow_download"], name)

    def tell(self, message: str) -> None:
        """Print to the log and to the terminal."""
        print(message)
        print(message, file=sys.__stdout__, flush=True)

    def record(self, data_fingerprint: object, n: object, selection: str = "none", **more: object) -> dict:
        """Return the run record of this job so far (``clinbench.provenance.REQUIRED`` and more)."""
        seed = getattr(self._snakemake.wildcards, "seed", None)
        return {
            "rule": self._snakemake.rule,
            "wildcards": dict(self._snakemake.wildcards.items()),
            **git_state(str(Path(__file__).resolve().parent)),
            "config_hash": value_digest({**self._snakemake.config, "data": None}),  # paths differ by machine
            "code_digest": self._snakemake.params.get("code"),
            "environment_hash": environment_hash(),
            "python": sys.version.split()[0],
            "data_fingerprint": data_fingerprint,
            "seed": None if seed is None else int(seed),
            **compute_facts(self.device, self.precision),
            "threads": self.threads,
            "wall_seconds": round(time.monotonic() - self._start + self.earlier, 3),
            "selection": selection,
            "n": n,
            **more,
        }

    def write_record(self, **fields: object) -> None:
        """Write the run record to the rule's ``run`` output."""
        write_json(self._snakemake.output.run, shared(self._snakemake, self.record(**fields)))


@contextmanager
def job(snakemake) -> Iterator[Job]:
    """Send output to the rule's log, and end a user's mistake with its message instead of a traceback."""
    terminal = sys.stderr
    # Names of files may be no text; a message that tells one has to be written all the same.
    with open(snakemake.log[0], "w", buffering=1, encoding="utf-8", errors="backslashreplace") as log:
        sys.stdout = sys.stderr = log
        try:
            sweep(snakemake.output)
            with handled():
                yield Job(snakemake)
        except UserError as error:
            print(f"\nError: {error}", file=log)
            print(f"\nError in {snakemake.rule}: {error}\nLog: {log.name}\n", file=terminal, flush=True)
            raise SystemExit(1) from None
        except Exception:
            traceback.print_exc(file=log)
            raise
        finally:
            sys.stdout, sys.stderr = sys.__stdout__, terminal
