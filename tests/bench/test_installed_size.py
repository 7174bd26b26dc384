"""What an installation takes: packages counted once, an extra beside the base."""

import pytest


@pytest.fixture
def size(bench):
    return bench("installed_size")


@pytest.fixture
def site(tmp_path):
    """A folder of packages: writes one with files of these sizes."""

    def write(name, **files):
        (tmp_path / f"{name}-1.dist-info").mkdir()
        (tmp_path / f"{name}-1.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        for file, count in files.items():
            (tmp_path / file).write_bytes(b"x" * count)
        recorded = "".join(f"{file},,\n" for file in [*files, "never_installed.py"])
        (tmp_path / f"{name}-1.dist-info" / "RECORD").write_text(recorded)
        return tmp_path

    return write


def test_a_package_weighs_what_its_files_take_on_disk(size, site):
    site("Small", small=10)
    found = size.measure(site("large", large=3_000_000, more=1_000_000))
    assert 4_000_000 <= found.packages["large"] < 4_050_000
    assert 10 <= found.packages["small"] < 10_000
    assert found.packages["large"] + found.packages["small"] < found.size < 4_100_000


def test_a_file_with_two_names_counts_once(size, site, tmp_path):
    site("large", large=3_000_000)
    (tmp_path / "same").hardlink_to(tmp_path / "large")
    assert size.measure(tmp_path).size < 3_100_000


def test_an_extra_is_shown_with_what_it_adds_to_the_base(size):
    base = size.Installed({"adjudge": 6_000_000, "scipy": 100_000_000}, 110_000_000)
    more = size.Installed({**base.packages, "ray": 190_000_000, "grpcio": 10_000_000}, 320_000_000)
    assert size.row("base", base) == "| base | 110 | 2 | scipy 100, adjudge 6 |"
    assert size.row("ray", more, base) == "| ray | +210 | +2 | ray 190, grpcio 10 |"


def test_every_extra_with_packages_is_measured(size):
    assert {"local", "ray", "mlflow"} <= {*size.extras()}
    assert not {"dev", "runs", "agreement", "fit"} & {*size.extras()}
