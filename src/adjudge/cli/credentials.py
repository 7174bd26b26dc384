"""Keys from files, as systemd (`LoadCredential=`) and containers (`/run/secrets`) hand them over.

Each file in the folder `$CREDENTIALS_DIRECTORY` that is named like a variable for a key or a password becomes that
variable in this process alone: it stands in no command line, and in no environment that `ps` shows.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import SetupError, plain_reason
from ..redaction import names_secret

FOLDER = "CREDENTIALS_DIRECTORY"
_OTHERS = ("ADJUDGE_JOURNAL", "ADJUDGE_DB")  # an address may hold a password
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def read_credentials() -> None:
    """Set the variables; one that is set already stays as it is."""
    folder = Path(os.environ.get(FOLDER) or os.devnull)
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        wanted = _VARIABLE.fullmatch(path.name) and (path.name in _OTHERS or names_secret(path.name))
        if not wanted or path.name in os.environ:
            continue
        try:
            os.environ[path.name] = path.read_text("utf-8").strip()
        except OSError as error:
            raise SetupError(f"{path}: {plain_reason(error)}; this user must be able to read it") from None
        except ValueError:  # not UTF-8, or a NUL
            raise SetupError(f"{path}: not text; a key or a password is needed") from None
