"""Asks a vulnerability database about every locked package, through pip-audit.

Status 0: none is known. Status 1: some are, and are listed. Status 3: no database gave an answer, so nothing is known.

    python requirements/audit.py [--osv-url URL]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

_HERE = Path(__file__).parent
_FILES = ("dev.txt", "model.txt")  # dev.txt holds all of base.txt
VULNERABLE, UNKNOWN = 1, 3


def main() -> int:
    """Ask, say what is known, and return the status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--osv-url", metavar="URL", help="another server of the OSV API")
    args = parser.parse_args()
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--vulnerability-service", "osv", "--format", "json"]
    command += ["--progress-spinner", "off", "--timeout", "15"]
    for name in _FILES:
        command += ["--requirement", str(_HERE / name)]
    command += ["--osv-url", args.osv_url] if args.osv_url else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        why = (done.stderr.strip().splitlines() or [f"pip-audit ended with status {done.returncode}"])[-1]
        print(f"audit: no vulnerability database could be asked, so nothing is known: {why[:300]}")
        return UNKNOWN
    found = [(package, known) for package in packages for known in package.get("vulns", ())]
    for package, known in found:
        fixed = ", ".join(known["fix_versions"]) or "no version yet"
        print(f"{package['name']} {package['version']}: {known['id']}, fixed in {fixed}")
    if skipped := [package["name"] for package in packages if "skip_reason" in package]:
        print(f"audit: nothing is known about {', '.join(skipped)}")
    print(f"audit: {len(packages)} packages, {len(found)} known vulnerabilities")
    return VULNERABLE if found else UNKNOWN if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
