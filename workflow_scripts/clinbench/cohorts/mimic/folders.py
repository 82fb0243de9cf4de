"""The benchmark's own folders and list files, for other tools (specification risk.md §1.1-1.3).

Files are written from Parquet that the pass over the raw tables leaves, some patients at a time.
"""

import shutil
from pathlib import Path

import numpy as np
import polars as pl

from clinbench.cohorts.benchmark_folder import MORTALITY, PHENOTYPING
from clinbench.cohorts.channels import NAMES
from clinbench.cohorts.discretiser import EPSILON
from clinbench.cohorts.mimic import root_tables
from clinbench.cohorts.mimic.lines import csv_lines, header, lines_by
from clinbench.cohorts.mimic.resources import Resources
from clinbench.cohorts.mimic.timeseries import Series
from clinbench.errors import UserError
from clinbench.files import atomic_folder, write_json
from clinbench.progress import progress

GROUPS = 32  # most groups of patients whose events are sorted out together; bounds the memory
WAITING = 2_000_000  # events sorted by group together
GROUP = 64 << 20  # bytes of event tables that are worth a group of their own
MARK = "written_by_clinbench.json"
HEADER = ",".join(["Hours", *NAMES]) + "\n"


def require_target(target: Path) -> None:
    """Refuse, before any work, a folder that is not ours to replace or cannot be written.

    Raises:
        UserError: it says what to do.
    """
    if target.exists() and not (target.is_dir() and (not any(target.iterdir()) or (target / MARK).is_file())):
        raise UserError(
            f"risk.mimic3.write_benchmark_folders: {target} has other content, which would be replaced. "
            "Name an empty or a new folder."
        )
    with atomic_folder(target.parent / f".{target.name}.trial"):
        pass
    (target.parent / f".{target.name}.trial").rmdir()


class Writer:
    """Collects what the folders need during the pass over the raw tables, and writes them at its end."""

    def __init__(self, scratch: Path, stays: pl.DataFrame, resources: Resources, size: int):
        self.scratch, self.stays, self.resources = scratch, stays, resources
        self.groups = min(GROUPS, 1 + size // GROUP)
        self.waiting: list[pl.DataFrame] = []
        self.stored = self.parts = 0
        for name in ("events", "series"):
            (scratch / name).mkdir(parents=True)

    def keep_events(self, block: pl.DataFrame) -> None:
        """Store valid events of all items, by groups of patients; few large files, not many small ones."""
        self.waiting.append(block)
        if sum(one.height for one in self.waiting) >= WAITING:
            self._store_events()

    def _store_events(self) -> None:
        if self.waiting:
            events = pl.concat(self.waiting).with_columns((pl.col("subject_id") % self.groups).alias("group"))
            for (group,), part in events.group_by("group", maintain_order=True):
                path = self.scratch / "events" / f"{group:02}-{self.stored:06}.parquet"
                part.drop("group").write_parquet(path, compression="lz4")
        self.waiting, self.stored = [], self.stored + 1

    def write_series(self, series: Series) -> None:
        """Store the time series of some patients as they are written: seven variables as text."""
        row = series.rows["row"].to_numpy()
        numbers = pl.DataFrame(series.values[row], schema=list(NAMES), nan_to_null=True)
        wide = numbers.with_columns(series.texts[row]).select(NAMES)
        path = self.scratch / "series" / f"{self.parts:05}.parquet"
        series.rows.drop("row").hstack(wide).write_parquet(path, compression="lz4")
        self.parts += 1

    def finish(self, stays: pl.DataFrame, diagnoses: pl.DataFrame, options: dict, target: Path) -> None:
        """Write ``root``, ``in-hospital-mortality`` and ``phenotyping`` below ``target``, all or nothing.

        Args:
            stays: cohort with the columns of ``add_tasks``, ``height``, ``weight`` and ``labels``.
            diagnoses: those that count.
            options: of the plug-in.
            target: the folder.
        """
        self._store_events()
        with atomic_folder(target, durable=False) as folder:
            self._make_folders(folder)
            root_tables.write_tables(folder / "root", stays, diagnoses, self.resources.phenotypes)
            root_tables.write_patients(
                folder / "root", stays, diagnoses, options["diagnosis_flags"] == "exact"
            )
            self._write_events(folder / "root")
            lookup = {row["icustay_id"]: row for row in stays.iter_rows(named=True)}
            for part in progress(range(self.parts), "writing time series, parts done"):
                self._write_series_files(part, lookup, folder)
            self._write_lists(folder, stays)
            switches = {name: value for name, value in options.items() if name != "write_benchmark_folders"}
            write_json(folder / MARK, {"layout": "mimic3-benchmarks", "options": switches})
        shutil.rmtree(self.scratch)

    def _make_folders(self, folder: Path) -> None:
        for half in ("train", "test"):
            for task in ("root", MORTALITY.folder, PHENOTYPING.folder):
                (folder / task / half).mkdir(parents=True)
        for patient in self.stays["subject_id"].unique().to_list():
            (folder / "root" / self._half(patient) / str(patient)).mkdir()

    def _half(self, patient: int) -> str:
        return "test" if patient in self.resources.test else "train"

    def _write_events(self, root: Path) -> None:
        for group in progress(range(self.groups), "writing events, groups of patients done"):
            files = sorted((self.scratch / "events").glob(f"{group:02}-*.parquet"))
            events = pl.concat([pl.read_parquet(file) for file in files]) if files else None
            if events is not None:
                ordered = events.sort("subject_id", maintain_order=True).rename(str.upper)
                for patient, text in lines_by(ordered, "SUBJECT_ID"):
                    path = root / self._half(patient) / str(patient) / "events.csv"
                    path.write_bytes((header(ordered) + text).encode())

    def _write_series_files(self, part: int, stays: dict[int, dict], folder: Path) -> None:
        """Write the series of one part: into root whole, into the tasks cut to their hours."""
        frame = pl.read_parquet(self.scratch / "series" / f"{part:05}.parquet")
        lines = csv_lines(frame.drop("icustay_id"))
        hours, ids = frame["hours"].to_numpy(), frame["icustay_id"].to_numpy()
        starts = np.concatenate([[0], np.flatnonzero(np.diff(ids)) + 1, [len(ids)]])
        for start, end in zip(starts[:-1], starts[1:], strict=True):
            stay, times = stays[int(ids[start])], hours[start:end]
            half = self._half(stay["subject_id"])
            place = folder / "root" / half / str(stay["subject_id"])
            _write(place / f"episode{stay['episode']}_timeseries.csv", lines[start:end])
            for task, member, until in (
                (MORTALITY, stay["mortality_task"], MORTALITY.hours),
                (PHENOTYPING, stay["phenotyping_task"], 24.0 * (stay["los"] or 0.0)),
            ):
                if member:
                    inside = np.flatnonzero((times > -EPSILON) & (times < until + EPSILON)) + start
                    _write(folder / task.folder / half / stay["name"], [lines[i] for i in inside])

    def _write_lists(self, folder: Path, stays: pl.DataFrame) -> None:
        ordered = stays.sort("name")
        lists = {
            MORTALITY.folder: (
                "stay,y_true\n",
                ordered.filter("mortality_task").select("split", "name", pl.col("mortality")),
            ),
            PHENOTYPING.folder: (
                ",".join(["stay", "period_length", *self.resources.phenotypes]) + "\n",
                ordered.filter("phenotyping_task").select("split", "name", "end", "labels"),
            ),
        }
        for name, (titles, frame) in lists.items():
            rows = [(split, _list_line(fields)) for split, *fields in frame.iter_rows()]
            for path, splits in (
                ("train/listfile.csv", ("train", "val")),
                ("test/listfile.csv", ("test",)),
                *((f"{split}_listfile.csv", (split,)) for split in ("train", "val", "test")),
            ):
                chosen = [line for split, line in rows if split in splits]
                (folder / name / path).write_bytes((titles + "".join(chosen)).encode())


def _list_line(fields: list) -> str:
    """Return a line of a list file: name and label, or name, hours and 25 labels."""
    if len(fields) == 2:
        return f"{fields[0]},{fields[1]}\n"
    name, hours, labels = fields
    return f"{name},{hours:.6f}," + ",".join(map(str, labels)) + "\n"


def _write(path: Path, lines: list[str]) -> None:
    path.write_bytes((HEADER + "".join(lines)).encode())
