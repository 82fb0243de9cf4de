"""Everything is written under a temporary name and renamed: no other way of writing is in the sources."""

import ast
from pathlib import Path

import pytest

from clinbench.files import atomic_folder, atomic_path, sweep
from tests.paths import ROOT

SOURCES = ROOT / "workflow_scripts"
SAFE = {"atomic_path", "atomic_folder"}
# Functions and methods that write to the path they are given, whichever argument that is.
WRITERS = {
    *("write_text", "write_bytes", "savefig", "savez", "savez_compressed", "savetxt", "save_file", "tofile"),
    *("write_parquet", "write_ipc", "sink_csv", "sink_parquet", "to_parquet", "to_pickle", "save_pretrained"),
    *("copy2", "copyfile", "copytree", "extractall", "symlink_to", "hardlink_to"),
}
WITH_PATH = {"write_csv", "to_csv", "to_latex", "to_markdown"}  # without arguments they return text
OF_MODULE = {
    *(("np", "save"), ("torch", "save"), ("json", "dump"), ("pickle", "dump")),
    *(("os", "replace"), ("os", "rename"), ("shutil", "copy"), ("shutil", "move")),
}
FILLS = "fills the temporary folder of its caller"
ELSEWHERE = {
    "clinbench/files.py": "is the writer",
    "clinbench/cohorts/synthetic_folder.py": FILLS,
    "clinbench/cohorts/mimic/events.py": FILLS,
    "clinbench/cohorts/mimic/folders.py": FILLS,
    "clinbench/cohorts/mimic/prepare.py": FILLS,
    "clinbench/cohorts/mimic/root_tables.py": FILLS,
    "clinbench/coding/systems/bi_encoder.py": FILLS,
    "clinbench/coding/systems/cross_encoder.py": FILLS,
    "clinbench/downloads.py": FILLS,
    "snakejob.py": "writes the log, which nothing is made from and which is read while it grows",
}
CALLERS = ("generate_cohort.py", "prepare_cohort.py", "train_system.py", "download_data.py")


def own_write(name: str) -> bool:
    return name in {"write_text", "write_json"}  # of clinbench.files, when called as plain functions


def writes(call: ast.Call) -> bool:
    """Tell whether a call writes a file under the name it is given."""
    function = call.func
    if isinstance(function, ast.Name):
        mode = [*call.args[1:2], *(key.value for key in call.keywords if key.arg == "mode")]
        opened = function.id == "open" and any(
            isinstance(value, ast.Constant) and set(str(value.value)) & set("wax+") for value in mode
        )
        return opened or (function.id in WRITERS and not own_write(function.id))
    if not isinstance(function, ast.Attribute):
        return False
    module = function.value.id if isinstance(function.value, ast.Name) else ""
    if function.attr in WITH_PATH:
        return bool(call.args)
    if function.attr == "ZipFile":
        return len(call.args) > 1
    return function.attr in WRITERS or (module, function.attr) in OF_MODULE


def direct_writes(tree: ast.AST) -> list[int]:
    """Return the lines of the writes that are not inside a ``with`` of the atomic writer."""
    found = []

    def visit(node: ast.AST, safe: bool) -> None:
        if isinstance(node, ast.With):
            calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
            safe = safe or any(isinstance(call.func, ast.Name) and call.func.id in SAFE for call in calls)
        if isinstance(node, ast.Call) and not safe and writes(node):
            found.append(node.lineno)
        for child in ast.iter_child_nodes(node):
            visit(child, safe)

    visit(tree, False)
    return found


FILES = sorted(file.relative_to(SOURCES).as_posix() for file in SOURCES.rglob("*.py"))


@pytest.mark.parametrize("name", FILES)
def test_no_file_is_written_under_its_final_name(name):
    lines = direct_writes(ast.parse((SOURCES / name).read_text()))
    if name in ELSEWHERE:
        assert lines, f"{name} writes nothing any more; take it off the list"
    else:
        assert not lines, f"{name}: lines {lines} write without clinbench.files"


def test_folders_are_filled_under_a_temporary_name():
    for name in CALLERS:
        assert "with atomic_folder(" in (SOURCES / name).read_text()
    folders = (SOURCES / "clinbench/cohorts/mimic/folders.py").read_text()
    assert "with atomic_folder(target" in folders


@pytest.mark.parametrize(
    "code",
    [
        "open(path, 'w')",
        "open(path, mode='ab')",
        "path.write_text('x')",
        "figure.savefig(path)",
        "frame.write_csv(path)",
        "np.save(path, x)",
        "torch.save(x, path)",
        "save_file(x, path)",
        "zipfile.ZipFile(path, 'w')",
        "shutil.copy(a, b)",
        "with atomic_path(path) as t:\n    pass\npath.write_bytes(b'')",
    ],
)
def test_a_direct_write_is_found(code):
    assert direct_writes(ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        "open(path)",
        "open(path, 'rb')",
        "frame.write_csv()",
        "write_text(path, 'x')",
        "with atomic_path(path) as t, open(t, 'wb') as handle:\n    np.savez(handle, x)",
        "with atomic_folder(path) as folder:\n    for x in y:\n        (folder / x).write_text('')",
    ],
)
def test_reading_and_atomic_writing_are_not(code):
    assert not direct_writes(ast.parse(code))


def test_what_a_killed_writer_left_is_swept(tmp_path):
    target, folder, other = tmp_path / "a[1].txt", tmp_path / "model", tmp_path / "b.txt"
    left = []
    for path, writer in ((target, atomic_path), (folder, atomic_folder), (other, atomic_path)):
        leaving = writer(path)
        temporary = Path(leaving.__enter__())
        (temporary / "x" if temporary.is_dir() else temporary).write_text("half")
        left.append((leaving, temporary))
    sweep([target, folder])
    assert [temporary.exists() for _, temporary in left] == [False, False, True]
    sweep([other, tmp_path / "none" / "c.txt"])
    assert not list(tmp_path.iterdir())
