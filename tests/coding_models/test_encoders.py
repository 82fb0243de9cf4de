import subprocess
import sys

import pytest

from clinbench.coding import encoders
from clinbench.coding.encoders import Found, fetch, find_encoder, folder_fault
from clinbench.errors import UserError

HUB = "made-up/little-encoder"


def model_folder(path, weights="model.safetensors"):
    path.mkdir(parents=True)
    (path / "config.json").write_text("{}")
    if weights:
        (path / weights).write_bytes(b"0")
    return path


@pytest.fixture
def world(tmp_path, monkeypatch):
    """An empty hub cache and an importable folder for packages."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "SENTENCE_TRANSFORMERS_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    (tmp_path / "site").mkdir()
    return tmp_path


def install(world, name):
    package = world / "site" / name
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    return model_folder(package / "model")


def cache(world, commit="abc", revision="main", root=None, **settings):
    repo = (root or world / "hf" / "hub") / "models--made-up--little-encoder"
    (repo / "refs").mkdir(parents=True, exist_ok=True)
    (repo / "refs" / revision).write_text(commit)
    return model_folder(repo / "snapshots" / commit, **settings)


def test_order_is_folder_package_cache_download(world):
    spec = {"folder": None, "package": "little_one", "hub": HUB}
    assert find_encoder(spec, True, "little") == Found("download", HUB)
    cached = cache(world)
    assert find_encoder(spec, True, "little") == Found("cache", cached)
    packaged = install(world, "little_one")
    assert find_encoder(spec, True, "little") == Found("package", packaged)
    folder = model_folder(world / "mine")
    assert find_encoder(spec | {"folder": str(folder)}, True, "little") == Found("folder", folder)
    assert "little_one" not in sys.modules


def test_nothing_found_names_all_places_and_remedies(world):
    with pytest.raises(UserError) as caught:
        find_encoder({"package": "no_such_thing", "hub": HUB}, False, "little")
    message = str(caught.value)
    for part in ("'little'", "no_such_thing", "no-such-thing", HUB, str(world / "hf" / "hub"), "not allowed"):
        assert part in message
    assert "hf download" in message and "coding.encoders.little.folder" in message


def test_a_wrong_folder_never_gives_way_to_another_model(world):
    cache(world)
    for path, fault in (
        (world / "nowhere", "no such folder"),
        (model_folder(world / "bin", "pytorch_model.bin"), r"\.bin"),
        (model_folder(world / "bare", None), "no weights"),
    ):
        with pytest.raises(UserError, match=fault) as caught:
            find_encoder({"folder": str(path), "hub": HUB}, True, "little")
        assert str(path) in str(caught.value)


def test_bin_weights_advise_conversion(world):
    assert "S('OLD').save('NEW')" in folder_fault(model_folder(world / "bin", "pytorch_model.bin"))


def test_unfinished_cache_is_passed_over_and_named(world):
    cached = cache(world, weights=None)
    assert find_encoder({"hub": HUB}, True, "little").source == "download"
    with pytest.raises(UserError, match=f"{cached}: has no weights"):
        find_encoder({"hub": HUB}, False, "little")


def test_revision_must_match_the_cache(world):
    cached = cache(world, commit="abc")
    pinned = {"hub": HUB, "revision": "abc"}
    assert find_encoder(pinned, False, "little") == Found("cache", cached)
    assert find_encoder(pinned | {"revision": "def"}, True, "little").path == f"{HUB}@def"


def test_cache_variables(world, monkeypatch):
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(world / "st"))
    cached = cache(world, root=world / "st")
    assert find_encoder({"hub": HUB}, False, "little").path == cached
    monkeypatch.setenv("HF_HUB_CACHE", str(world / "first"))
    first = cache(world, root=world / "first")
    assert find_encoder({"hub": HUB}, False, "little").path == first


def test_download_asks_for_safe_files_and_checks_them(world, monkeypatch):
    import huggingface_hub

    asked = {}

    def snapshot_download(hub, revision, allow_patterns):
        asked.update(hub=hub, revision=revision, patterns=allow_patterns)
        return str(world / "fetched")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    model_folder(world / "fetched", None)
    with pytest.raises(UserError, match="no weights"):
        fetch(Found("download", f"{HUB}@v1"))
    (world / "fetched" / "model.safetensors").write_bytes(b"0")
    assert fetch(Found("download", f"{HUB}@v1")) == world / "fetched"
    assert asked["hub"] == HUB and asked["revision"] == "v1" and "*.bin" not in asked["patterns"]


def test_failed_download_is_told(monkeypatch):
    import huggingface_hub

    def snapshot_download(*_, **__):
        raise OSError("no route to host")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    with pytest.raises(UserError, match="no route to host"):
        fetch(Found("download", HUB))


def test_planning_imports_no_model_library():
    code = (
        "import sys; from clinbench.coding.encoders import find_encoder;"
        "from clinbench.coding.systems import bi_encoder, cross_encoder, dense;"
        "find_encoder({'package': 'nothing_here', 'hub': 'a/b'}, True, 'x');"
        "print([name for name in ('torch', 'transformers', 'sentence_transformers', 'huggingface_hub', 'datasets')"
        " if name in sys.modules])"
    )
    scripts = str(encoders.Path(encoders.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=scripts, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
