"""Runs the command line as `python -m adjudge`, for when the `adjudge` script is not on the path."""

import sys

from .cli.main import main

sys.exit(main())
