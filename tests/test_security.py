"""What the library never does with files from outside, read from its code."""

import ast

import pytest

from tests.paths import ROOT

FILES = sorted((ROOT / "workflow_scripts").rglob("*.py"))
PICKLE = {"normaliser_state.py"}  # reads one kind of published pickle without running any of its code
REFUSED = {
    **dict.fromkeys(("eval", "exec", "compile_command", "os.system", "os.popen"), "runs what it reads"),
    **{f"pickle.{name}": "runs what it reads" for name in ("load", "loads", "Unpickler")},
    **dict.fromkeys(
        ("joblib.load", "torch.load", "yaml.unsafe_load", "yaml.full_load"), "runs what it reads"
    ),
    **dict.fromkeys(("extractall", "extract", "shutil.unpack_archive"), "writes where an archive says"),
}


def called(node):
    """Return the dotted name of what is called, and its last part."""
    name = ast.unparse(node.func)
    return {name, name.rsplit(".", 1)[-1]} if name.endswith(("extractall", "extract")) else {name}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT / "workflow_scripts")))
def test_nothing_read_is_run_or_unpacked(file):
    tree = ast.parse(file.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = {alias.name.split(".")[0] for alias in node.names}
            assert file.name in PICKLE or not names & {"pickle", "dill", "cloudpickle", "shelve", "marshal"}
        if not isinstance(node, ast.Call):
            continue
        for name in called(node) & set(REFUSED):
            is_frame = name == "extract" and ".str." in ast.unparse(node.func)  # a column of text
            assert is_frame, f"line {node.lineno}: {name} {REFUSED[name]}"
        keywords = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
        assert keywords.get("shell", "False") == "False", f"line {node.lineno}: a shell"
        assert keywords.get("trust_remote_code", "False") == "False", f"line {node.lineno}: code from a hub"
        assert keywords.get("allow_pickle", "False") == "False", f"line {node.lineno}: arrays of objects"
        if ast.unparse(node.func) == "np.load":
            assert keywords.get("allow_pickle") == "False", f"line {node.lineno}: say allow_pickle=False"
        if ast.unparse(node.func) == "yaml.load":
            assert "Loader" in keywords
