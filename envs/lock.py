"""Write requirements.txt and suite.yaml from requirements.in, by installing it in a fresh environment.

Pins are complete but for what a CUDA build of torch brings along, and carry no local version tag.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CUDA = re.compile(r"^(nvidia|cuda|triton|cusparselt|pip\b)", re.IGNORECASE)
HEADER = "# Written by `make lock` from requirements.in; do not edit.\n"
CONDA = """\
# Written by `make lock`; the same pins as requirements.txt, for `--sdm conda`.
name: clinbench
channels: [conda-forge, nodefaults]
dependencies:
  - python >=3.11,<3.14
  - pip
  - pip:
"""


def freeze() -> list[str]:
    """Install requirements.in into a temporary environment and return its pins."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [f"{folder}/bin/python", "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", "-r", HERE / "requirements.in"], check=True)
        frozen = subprocess.run([*pip, "freeze", "--all"], check=True, capture_output=True, text=True)
    return pins(frozen.stdout)


def pins(frozen: str) -> list[str]:
    """Drop CUDA packages, pip itself and local version tags from the output of ``pip freeze``."""
    lines = [line.split("+")[0] for line in frozen.splitlines() if "==" in line]
    return sorted((line for line in lines if not CUDA.match(line)), key=str.lower)


def write(lines: list[str]) -> None:
    """Write both files."""
    (HERE / "requirements.txt").write_text(HEADER + "\n".join(lines) + "\n")
    (HERE / "suite.yaml").write_text(CONDA + "".join(f"      - {line}\n" for line in lines))


if __name__ == "__main__":
    write(pins(Path(sys.argv[1]).read_text()) if len(sys.argv) > 1 else freeze())
