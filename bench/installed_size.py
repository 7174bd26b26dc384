"""Installs this checkout into fresh environments, alone and with each extra, and prints how much that takes.

    python bench/installed_size.py [--before COMMIT] [--only base,ray]

Each environment has nothing but adjudge and what it needs: pip is outside, and compiled modules are counted, because
pip makes them. Sizes are blocks on disk, as `du` counts them, and depend on platform and Python. An extra's row is what
it adds to the base. With --before the base is also installed as an earlier commit has it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
BASE = "base"
_MB = 1_000_000
_NAMED = 4  # the packages that weigh most


class Installed(NamedTuple):
    """The packages of an environment with their sizes, and what all its files take, in bytes."""

    packages: dict[str, int]
    size: int


def extras() -> list[str]:
    """Return the extras that bring packages, without that for development."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [name for name, needs in project["optional-dependencies"].items() if needs and name != "dev"]


def install(folder: Path, wanted: str) -> Installed:
    """Install into a new environment, and measure it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet"]
    subprocess.run([*pip, wanted], check=True)
    (site,) = {*folder.glob("lib/python*/site-packages"), *folder.glob("Lib/site-packages")}
    return measure(site)


def measure(site: Path) -> Installed:
    """Measure a folder of packages."""
    found = {each.name.lower(): _size_of(each) for each in distributions(path=[str(site)])}
    return Installed(found, _on_disk(site.rglob("*")))


def _size_of(package: Distribution) -> int:
    return _on_disk({Path(str(file.locate())) for file in package.files or ()})


def _on_disk(paths: Iterable[Path]) -> int:
    """Return what files and folders take on disk; a file that has several names there counts once."""
    found = (path.lstat() for path in paths if path.is_symlink() or path.exists())
    by_file = {(each.st_dev, each.st_ino): each for each in found}
    return sum(512 * each.st_blocks if hasattr(each, "st_blocks") else each.st_size for each in by_file.values())


def row(name: str, found: Installed, base: Installed | None = None) -> str:
    """Return a line of the table: what is installed, or what an extra adds to the base, and what weighs most of it."""
    known = base.packages if base else {}
    own = {package: size for package, size in found.packages.items() if package not in known}
    largest = sorted(own, key=lambda package: -own[package])[:_NAMED]
    weights = ", ".join(f"{package} {own[package] / _MB:.0f}" for package in largest)
    sign = "+" if base else ""
    size = found.size - (base.size if base else 0)
    return f"| {name} | {sign}{size / _MB:.0f} | {sign}{len(own)} | {weights} |"


def main() -> None:
    """Print the table, a line when it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="COMMIT", help="also measure the base of an earlier commit")
    parser.add_argument("--only", metavar="A,B", default=",".join(extras()), help="these extras; base: none")
    args = parser.parse_args()
    print("| installed | MB | packages | largest, MB |\n| --- | ---: | ---: | --- |", flush=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if args.before:
            wanted = f"adjudge @ git+{ROOT.as_uri()}@{args.before}"
            print(row(f"{BASE}, {args.before}", install(folder / "before", wanted)), flush=True)
        base = install(folder / BASE, str(ROOT))
        print(row(BASE, base), flush=True)
        for extra in (name for name in args.only.split(",") if name != BASE):
            with tempfile.TemporaryDirectory(dir=folder) as own:
                print(row(extra, install(Path(own) / "env", f"{ROOT}[{extra}]"), base), flush=True)


if __name__ == "__main__":
    main()
