"""Downloads from a server on this machine: what arrives is checked, and nothing that fails it is kept."""

import hashlib
import io
import tarfile
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from clinbench import plugins
from clinbench.downloads import SOURCES, Source, download
from clinbench.errors import UserError
from clinbench.files import atomic_folder
from planning.downloads import require_permission


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, *parts):
        pass

    def send_header(self, name, value):
        if name == "Content-Length" and self.path.endswith("cut.txt"):
            value = str(int(value) + 5)
        super().send_header(name, value)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    root = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(root / "corpus.zip", "w") as archive:
        archive.writestr("final/train/trainX.tsv", "a\tb\n\nc\td\n")
    with tarfile.open(root / "set-a.tar.gz", "w:gz") as archive:
        for name in ("1.txt", "2.txt"):
            entry = tarfile.TarInfo(f"set-a/{name}")
            entry.size = 2
            archive.addfile(entry, io.BytesIO(b"x\n"))
    (root / "cut.txt").write_text("half\n")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield root, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def source(site, **changes):
    base = {"address": site[1], "files": ("corpus.zip", "set-a.tar.gz"), "licence": "CC0"}
    counts = {"lines": {"trainX.tsv": 2}, "members": {"set-a/*.txt": 2}}
    return Source(**(base | counts | changes))


def test_files_arrive_whole_and_are_counted(site, tmp_path):
    said = []
    found = download("ours", source(site), tmp_path, said.append)
    assert found["counts"] == {"trainX.tsv": 2, "set-a/*.txt": 2}
    data = (site[0] / "corpus.zip").read_bytes()
    assert (tmp_path / "corpus.zip").read_bytes() == data
    assert found["files"]["corpus.zip"] == {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    assert said[0] == f"ours: {site[1]}/corpus.zip (CC0)"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lines": {"trainX.tsv": 3}}, "trainX.tsv: 2 found, 3 expected"),
        ({"members": {"set-b/*.txt": 1}}, "set-b/.*: 0 found, 1 expected"),
        ({"files": ("missing.zip",)}, "missing.zip could not be downloaded .*404.*data.ours"),
        ({"files": ("cut.txt",)}, "cut.txt.*(could not be downloaded|bytes arrived)"),
        ({"address": "http://127.0.0.1:1"}, "corpus.zip could not be downloaded"),
    ],
)
def test_what_is_not_the_published_data_set_is_told_and_not_kept(site, tmp_path, changes, message):
    with pytest.raises(UserError, match=message), atomic_folder(tmp_path / "ours") as folder:
        download("ours", source(site, **changes), folder, lambda text: None)
    assert not list(tmp_path.iterdir())


def test_each_source_is_a_key_under_data_of_open_data():
    known = {}
    for package in ("cohorts", "coding.benchmarks", "coding.tables"):
        for name in plugins.names(package):
            access = plugins.declared(package, name, "ACCESS", "open")
            known |= dict.fromkeys(plugins.declared(package, name, "DATA", {}), access)
    assert {known[name] for name in SOURCES} == {"open"}
    assert all(found.address.startswith("https://") for found in SOURCES.values())


def test_nothing_is_fetched_without_permission():
    assert require_permission({"allow_download": True}) == []
    with pytest.raises(UserError, match="allow_download is false"):
        require_permission({"allow_download": False})
