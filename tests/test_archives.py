"""Reading members from folders, archives and compressed files."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile

import pytest

from clinbench.archives import read_members
from clinbench.errors import UserError

FILES = {
    "data/set-a/2.txt": b"two\n" * 500,
    "data/set-a/1.txt": os.urandom(3000),
    "data/set-b/1.txt": b"other\n",
    "data/notes.md": b"no\n",
}
WANTED = [("1.txt", FILES["data/set-a/1.txt"]), ("2.txt", FILES["data/set-a/2.txt"])]


def write_tar(path, files, mode):
    with tarfile.open(path, mode) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def write_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)


def pack(folder, kind, files=FILES):
    folder.mkdir(exist_ok=True)
    if kind == "folder":
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        return folder
    path = folder / f"set-a.{kind}"
    write_zip(path, files) if kind == "zip" else write_tar(path, files, f"w:{kind.split('.')[-1][-2:]}")
    return path


@pytest.mark.parametrize("kind", ["folder", "tar.gz", "tgz", "tar.xz", "zip"])
@pytest.mark.parametrize("whole", [True, False])
def test_same_members_however_packed(tmp_path, kind, whole):
    path = pack(tmp_path / "root", kind)
    before = sorted(tmp_path.rglob("*"))
    members = list(read_members(path if whole else tmp_path / "root", "set-a/*.txt"))
    assert [(member.name.rsplit("/", 1)[1], member.data) for member in members] == WANTED
    assert all(member.origin.startswith(str(path)) and "1.txt" in members[0].origin for member in members)
    assert sorted(tmp_path.rglob("*")) == before, "something was extracted"


def test_name_alone_matches_at_any_depth(tmp_path):
    pack(tmp_path / "root", "zip")
    assert [member.name for member in read_members(tmp_path, "notes.md")] == ["data/notes.md"]
    assert list(read_members(tmp_path, "absent.md")) == []
    assert list(read_members(tmp_path, "a/data/notes.md")) == []


def test_single_compressed_file_counts_as_its_content(tmp_path):
    (tmp_path / "table.csv.xz").write_bytes(lzma.compress(b"a,b\n"))
    assert [(m.name, m.data) for m in read_members(tmp_path, "table.csv")] == [("table.csv", b"a,b\n")]
    assert [m.data for m in read_members(tmp_path / "table.csv.xz", "*.csv")] == [b"a,b\n"]


def test_unpacked_files_come_before_archives(tmp_path):
    pack(tmp_path, "zip", {"set-a/1.txt": b"packed"})
    pack(tmp_path, "folder", {"set-a/1.txt": b"unpacked"})
    assert [member.data for member in read_members(tmp_path, "set-a/*.txt")] == [b"unpacked"]


def test_only_the_archive_named_like_the_folder_is_opened(tmp_path):
    pack(tmp_path, "tar.xz")
    (tmp_path / "set-b.tar.xz").write_bytes(b"broken")
    assert len(list(read_members(tmp_path, "set-a/*.txt"))) == 2
    with pytest.raises(UserError, match="set-b.tar.xz"):
        list(read_members(tmp_path, "notes.md"))


def test_hidden_and_macos_files_are_passed_over(tmp_path):
    extra = {"__MACOSX/set-a/3.txt": b"x", "set-a/._1.txt": b"x", ".cache/set-a/4.txt": b"x"}
    for kind in ("zip", "folder"):
        pack(tmp_path / kind, kind, FILES | extra)
        names = [member.name for member in read_members(tmp_path / kind, "set-a/*.txt")]
        assert names == ["data/set-a/1.txt", "data/set-a/2.txt"]


def test_copies_count_once_and_contradictions_are_refused(tmp_path):
    pack(tmp_path, "folder", {"x/set-a/1.txt": b"same", "y/set-a/1.txt": b"same"})
    assert [member.data for member in read_members(tmp_path, "set-a/*.txt")] == [b"same"]
    pack(tmp_path, "folder", {"y/set-a/1.txt": b"else"})
    with pytest.raises(UserError, match=r"set-a/1.txt.*x/set-a/1.txt.*y/set-a/1.txt"):
        list(read_members(tmp_path, "set-a/*.txt"))


@pytest.mark.parametrize("kind", ["tar.gz", "tar.xz", "zip", "tar"])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.4, 0.6, 0.99])
def test_cut_archive_is_named(tmp_path, kind, share):
    path = pack(tmp_path, kind) if kind != "tar" else tmp_path / "set-a.tar"
    if kind == "tar":
        write_tar(path, FILES, "w")
        share = min(share, 0.5)  # the rest of a plain tar is padding
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(UserError, match=f"set-a.{kind}.*Download it again"):
        list(read_members(tmp_path, "set-a/*.txt"))


def test_damage_that_tarfile_takes_for_the_end_is_named(tmp_path):
    write_tar(tmp_path / "set-a.tar", FILES, "w")
    data = bytearray((tmp_path / "set-a.tar").read_bytes())
    second = data.index(b"data/set-a/1.txt")
    data[second + 20 : second + 200] = os.urandom(180)
    (tmp_path / "set-a.tar").write_bytes(data)
    with pytest.raises(UserError, match="set-a.tar: truncated, damaged"):
        list(read_members(tmp_path, "set-a/*.txt"))


@pytest.mark.parametrize("name", ["/etc/1.txt", "../set-a/1.txt", "set-a/../../1.txt", "C:/set-a/1.txt"])
@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_member_that_leads_out_is_refused(tmp_path, kind, name):
    pack(tmp_path, kind, {"set-a/2.txt": b"x", name: b"x"})
    with pytest.raises(UserError, match="leads out of the archive"):
        list(read_members(tmp_path, "set-a/*.txt"))


def test_links_are_refused(tmp_path):
    with tarfile.open(tmp_path / "set-a.tar.gz", "w:gz") as archive:
        entry = tarfile.TarInfo("set-a/1.txt")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(entry)
    with pytest.raises(UserError, match="'set-a/1.txt' is a link"):
        list(read_members(tmp_path, "set-a/*.txt"))
    with zipfile.ZipFile(tmp_path / "set-b.zip", "w") as archive:
        entry = zipfile.ZipInfo("set-b/1.txt")
        entry.external_attr = 0o120777 << 16
        archive.writestr(entry, "/etc/passwd")
    with pytest.raises(UserError, match="'set-b/1.txt' is a link"):
        list(read_members(tmp_path, "set-b/*.txt"))


def test_missing_and_empty_roots_are_named(tmp_path):
    with pytest.raises(UserError, match="nowhere: no such file or folder"):
        list(read_members(tmp_path / "nowhere", "*.txt"))
    (tmp_path / ".DS_Store").write_bytes(b"")
    with pytest.raises(UserError, match="the folder is empty"):
        list(read_members(tmp_path, "*.txt"))


def test_linked_folder_is_followed_and_a_loop_ends(tmp_path):
    pack(tmp_path / "far", "folder", {"1.txt": b"x"})
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "set-a").symlink_to(tmp_path / "far")
    (tmp_path / "far" / "loop").symlink_to(tmp_path / "root")
    assert [member.data for member in read_members(tmp_path / "root", "set-a/*.txt")] == [b"x"]


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "tar.xz", "csv.gz", "csv.xz", "csv.bz2", "csv"])
def test_what_would_fill_the_memory_is_refused(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("clinbench.archives.LARGEST", 1 << 20)
    content = bytes(3 << 20)
    packers = {"csv.gz": gzip.compress, "csv.xz": lzma.compress, "csv.bz2": bz2.compress, "csv": bytes}
    if kind in packers:
        (tmp_path / f"x.{kind}").write_bytes(packers[kind](content))
        named = "x.csv"
    else:
        pack(tmp_path, kind, {"set-a/x.csv": content})
        named = f"set-a.{kind}: its member 'set-a/x.csv'"
    with pytest.raises(UserError, match=f"{named}.*more than 1 MiB"):
        list(read_members(tmp_path, "*.csv"))
    monkeypatch.setattr("clinbench.archives.LARGEST", 3 << 20)
    assert [member.data for member in read_members(tmp_path, "*.csv")] == [content]


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_many_members_that_would_fill_the_memory_are_refused(tmp_path, monkeypatch, kind):
    monkeypatch.setattr("clinbench.archives.MOST", 1 << 20)
    pack(
        tmp_path, kind, {f"set-a/{n}.txt": bytes([n]) * 300_000 for n in range(5)} | {"b.md": bytes(1 << 21)}
    )
    with pytest.raises(UserError, match="its files up to 'set-a/3.txt'.*more than 1 MiB"):
        list(read_members(tmp_path, "set-a/*.txt"))


def test_a_member_larger_than_it_says_is_not_read_further(tmp_path):
    path = pack(tmp_path, "zip", {"set-a/x.csv": bytes(3 << 20)})
    content = path.read_bytes()
    assert content.count((3 << 20).to_bytes(4, "little")) == 2
    path.write_bytes(content.replace((3 << 20).to_bytes(4, "little"), (5).to_bytes(4, "little")))
    with pytest.raises(UserError, match="set-a.zip: truncated, damaged"):
        list(read_members(tmp_path, "*.csv"))


def test_a_name_that_is_not_utf_8_is_damage(tmp_path):
    path = pack(tmp_path, "zip", {"set-a/é.csv": b"x"})
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xe9\xe9"))
    with pytest.raises(UserError, match="set-a.zip: truncated, damaged"):
        list(read_members(tmp_path, "*.csv"))
