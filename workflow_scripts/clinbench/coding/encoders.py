"""Where an encoder's weights are: folder, installed package, hub cache, hub; found without importing torch."""

import hashlib
import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

from clinbench.errors import UserError, refuse
from clinbench.files import read_text

CONVERT = (
    "Convert it once where its origin is trusted: "
    "python -c \"from sentence_transformers import SentenceTransformer as S; S('OLD').save('NEW')\""
)
# Weights in another format are left on the hub: pickled files can run code when they are read.
WEIGHING = {".json", ".txt", ".model", ".safetensors"}  # files that shape an embedding
SAMPLE, SAMPLES = 4096, 256  # bytes a sample, samples a file
WANTED = ["*.json", "*.txt", "*.safetensors", "*.model", "*.md"]


@dataclass(frozen=True)
class Found:
    """An encoder's place: ``source`` is folder, package, cache or download.

    ``path`` is a model folder, but for ``download`` the hub's name of the model (``owner/model``,
    or ``owner/model@revision``), which ``fetch`` turns into a folder.
    """

    source: str
    path: str | Path

    def identity(self, spec: dict) -> str:
        """Return what the encoder is, wherever it lies: its hub name and revision, or a digest of its files.

        The digest is of names, sizes and samples of the content, quick enough for every planning; trained
        weights differ everywhere.
        """
        if self.source in ("cache", "download"):
            return f"hub:{spec['hub']}@{spec.get('revision') or 'main'}"
        digest = hashlib.sha256()
        for file in sorted(path for path in Path(self.path).rglob("*") if path.suffix in WEIGHING):
            size = file.stat().st_size
            digest.update(f"{file.relative_to(self.path)} {size}".encode())
            with open(file, "rb") as handle:
                for start in range(0, size, max(SAMPLE, size // SAMPLES)):
                    handle.seek(start)
                    digest.update(handle.read(SAMPLE))
        return f"files:{digest.hexdigest()[:16]}"


def find_encoder(spec: dict, allow_download: bool, name: str) -> Found:
    """Find an encoder, cheaply and without network: this runs while the workflow is planned.

    The order is: the local ``folder``, the installed ``package``, the local hub cache of ``hub``,
    and the hub itself if downloads are allowed. A ``folder`` that is set must be right: a mistyped
    one never gives way to another model.

    Args:
        spec: config entry with the keys ``folder``, ``package``, ``hub`` and ``revision``, each
            absent or null if there is no such source.
        allow_download: whether a model may come from the hub.
        name: the encoder's name in the configuration, for messages.

    Raises:
        UserError: no source has a usable model; all places tried are named.
    """
    if spec.get("folder"):
        fault = folder_fault(Path(spec["folder"]))
        remedy = "Mend coding.encoders.{}.folder, or set it to null to use the other sources."
        refuse([f"{spec['folder']}: {fault}."] if fault else [], f"Encoder '{name}': {remedy.format(name)}")
        return Found("folder", Path(spec["folder"]))
    tried = ["folder: none is set"]
    packaged, cached = (
        _package_folders(spec.get("package")),
        _cached_folders(spec.get("hub"), spec.get("revision")),
    )
    for source, places in (("package", packaged), ("cache", cached)):
        for place in places:
            fault = place if isinstance(place, str) else folder_fault(place)
            if fault is None:
                return Found(source, place)
            tried.append(f"{source}: {fault}" if isinstance(place, str) else f"{source}: {place}: {fault}")
    if spec.get("hub") and allow_download:
        return Found("download", "@".join(filter(None, (spec["hub"], spec.get("revision")))))
    tried.append(f"download: {'not allowed' if spec.get('hub') else 'no hub name is set'}")
    raise UserError("\n  - ".join([_headline(spec, name), *tried]))


def fetch(found: Found) -> Path:
    """Return the encoder's folder, downloading it into the hub cache if that is its source.

    Raises:
        UserError: the hub cannot be reached, or what it holds is not usable.
    """
    if found.source != "download":
        return Path(found.path)
    from huggingface_hub import snapshot_download

    hub, _, revision = str(found.path).partition("@")
    try:
        folder = Path(snapshot_download(hub, revision=revision or None, allow_patterns=WANTED))
    except Exception as error:
        raise UserError(
            f"Cannot download encoder '{hub}': {error}. Check the name and the network, or put the "
            "model in a folder and set coding.encoders.<name>.folder."
        ) from error
    fault = folder_fault(folder)
    refuse([f"{folder}: {fault}."] if fault else [], f"Encoder '{hub}' was downloaded but cannot be used:")
    return folder


def folder_fault(folder: Path) -> str | None:
    """Say why a folder is not a usable encoder, or None if it is one: it has a config and safe weights."""
    if not folder.is_dir():
        return "no such folder"
    files = {file.name for depth in ("*", "*/*") for file in folder.glob(depth)}
    if not files & {"config.json", "modules.json"}:
        return "has no config.json"
    if any(name.endswith(".safetensors") for name in files):
        return None
    if any(name.endswith(".bin") for name in files):
        return f"has its weights as *.bin only, which may hold code; *.safetensors is needed. {CONVERT}"
    return "has no weights (*.safetensors)"


def _package_folders(package: str | None) -> list[Path | str]:
    """List model folders of an installed package, found without importing it, or say why there are none."""
    if not package:
        return ["none is set"]
    found = importlib.util.find_spec(package) if package.isidentifier() else None
    roots = [Path(root) for root in (found.submodule_search_locations or ())] if found else []
    if not roots:
        return [f"no Python package '{package}' is installed"]
    files = [file for root in roots for depth in ("*", "*/*") for file in sorted(root.glob(depth))]
    folders = dict.fromkeys(file.parent for file in files if file.name in ("modules.json", "config.json"))
    return list(folders) or [f"the package '{package}' holds no model folder"]


def _cached_folders(hub: str | None, revision: str | None) -> list[Path | str]:
    """List snapshots of a model in the local hub caches, or say where there is none."""
    if not hub:
        return ["no hub name is set"]
    revision = revision or "main"
    found: list[Path | str] = []
    for root in _cache_roots():
        repo = root / f"models--{hub.replace('/', '--')}"
        pointer = repo / "refs" / revision
        commit = read_text(pointer).strip() if pointer.is_file() else revision
        if (repo / "snapshots" / commit).is_dir():
            found.append(repo / "snapshots" / commit)
    return found or [f"'{hub}' ({revision}) is not in {', '.join(str(root) for root in _cache_roots())}"]


def _cache_roots() -> list[Path]:
    """Return the hub's cache folders by its own environment variables, first choice first."""
    home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    hub_home = os.environ.get("HF_HOME") or os.path.join(home, "huggingface")
    hub_cache = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    roots = [hub_cache or os.path.join(hub_home, "hub"), os.environ.get("SENTENCE_TRANSFORMERS_HOME")]
    return [Path(os.path.expandvars(root)).expanduser() for root in roots if root]


def _headline(spec: dict, name: str) -> str:
    """Word the error and its remedies, for the sources that are set."""
    ways = ["set coding.encoders." + name + ".folder to a folder with the model"]
    if spec.get("package"):
        ways.append(f"install the Python package {spec['package'].replace('_', '-')}")
    if spec.get("hub"):
        ways.append(f"allow downloads, or run 'hf download {spec['hub']}' on a machine with network")
    return f"Encoder '{name}' was not found. To get it: {'; or '.join(ways)}. Tried:"
