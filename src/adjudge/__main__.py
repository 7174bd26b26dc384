"""`python -m adjudge`: the command line, where the script is not on the path."""

import sys

from .cli.main import main

sys.exit(main())
