"""The extras: packages that only some uses of adjudge need. Says whether one is installed, and the command that adds it
to the installation that is running."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from urllib.parse import urlsplit
from urllib.request import url2pathname

from .errors import SetupError

# Each extra and the module by which we see that it is installed.
EXTRAS = {
    "local": "xllamacpp",
    "postgres": "psycopg",
    "providers": "pydantic_ai",
    "ray": "ray",
    # hosts that adjudge is an adapter in
    "deepeval": "deepeval",
    "inspect": "inspect_ai",
    "mlflow": "mlflow",
    "opentelemetry": "opentelemetry",
}


def is_installed(extra: str) -> bool:
    """Say whether an extra is installed, without importing it."""
    return find_spec(EXTRAS[extra]) is not None


def install_command(extra: str) -> str:
    """Return the shell command that adds an extra to this installation, be it a checkout or a package."""
    checkout = _checkout()
    return _install(*([f"adjudge[{extra}]"] if checkout is None else ["-e", f"{checkout}[{extra}]"]))


def _install(*wanted: str) -> str:
    python = sys.executable or "python"
    # An environment that uv made has no pip.
    installer = [python, "-m", "pip", "install"] if find_spec("pip") else ["uv", "pip", "install", "--python", python]
    return (subprocess.list2cmdline if os.name == "nt" else shlex.join)([*installer, *wanted])


def missing_extra(purpose: str, extra: str) -> SetupError:
    """Return the error that says what needs an extra, and the command that installs it."""
    return SetupError(f"{purpose} needs the extra {extra}; install it with: {install_command(extra)}")


def require_package(purpose: str, package: str) -> None:
    """Raise the error that says what needs a package of the user's own, and the command that installs it."""
    if find_spec(package) is None:
        raise SetupError(f"{purpose} needs {package}; install it with: {_install(package)}")


def _checkout() -> str | None:
    """Return the folder that adjudge runs from if it is an editable installation (PEP 610)."""
    try:
        origin = json.loads(distribution("adjudge").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        return None
    editable = origin.get("dir_info", {}).get("editable", False)
    return url2pathname(urlsplit(origin["url"]).path) if editable else None
