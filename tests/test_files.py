"""Atomic writes: whole or not at all."""

import pytest

from clinbench.errors import UserError, closest, refuse
from clinbench.files import atomic_folder, atomic_path, read_json, require_space, write_json, write_text


def test_a_failed_write_leaves_the_old_file_and_no_debris(tmp_path):
    target = tmp_path / "a.txt"
    write_text(target, "old")
    with pytest.raises(RuntimeError), atomic_path(target) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("error", [OSError(28, "x"), ValueError("io: No space left on device (os error 28)")])
def test_a_full_disk_is_told(tmp_path, error):
    for writer in (atomic_path, atomic_folder):
        with pytest.raises(UserError, match="target: the disk is full"), writer(tmp_path / "target"):
            raise error
    assert not [*tmp_path.iterdir()]


def test_too_little_space_is_told_before_the_work(tmp_path):
    require_space(tmp_path, 1, "two files")
    with pytest.raises(UserError, match=r"two files need about 1048576.0 GiB, .* GiB are free"):
        require_space(tmp_path, 2**50, "two files")


def test_files_are_readable_as_the_umask_says(tmp_path):
    with atomic_path(tmp_path / "a") as temporary:
        temporary.touch(mode=0o600)
    write_text(tmp_path / "b", "x")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_failed_folder_leaves_the_old_one(tmp_path):
    with atomic_folder(tmp_path / "model") as folder:
        (folder / "x").write_text("1")
    with pytest.raises(RuntimeError), atomic_folder(tmp_path / "model") as folder:
        (folder / "y").write_text("2")
        raise RuntimeError
    assert [path.name for path in (tmp_path / "model").iterdir()] == ["x"]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_a_path_below_a_file_is_a_users_mistake(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="Cannot write"):
        write_text(tmp_path / "file" / "a.txt", "x")


def test_json_round_trip_and_broken_json(tmp_path):
    write_json(tmp_path / "a.json", {"ñ": [1, None]})
    assert read_json(tmp_path / "a.json") == {"ñ": [1, None]}
    (tmp_path / "b.json").write_text('{"a":\n 1,}')
    with pytest.raises(UserError, match="b.json, line 2"):
        read_json(tmp_path / "b.json")
    with pytest.raises(ValueError):
        write_json(tmp_path / "c.json", float("nan"))


def test_refuse_lists_problems_and_counts_the_rest():
    refuse([], "fine")
    with pytest.raises(UserError) as caught:
        refuse([f"problem {i}" for i in range(12)], "Bad file:", limit=10)
    assert "problem 9" in str(caught.value)
    assert "2 more of 12" in str(caught.value)
    assert closest("mortalty", ["mortality", "x"]) == " (did you mean 'mortality'?)"
