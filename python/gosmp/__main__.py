"""`python -m gosmp` runs the command `gosmp` of this package."""

from __future__ import annotations

import os
import subprocess
import sys

from ._call import binary


def main() -> None:
    """Replaces this process by the command or, on Windows, which has no exec, waits for it."""
    try:
        command = binary()
    except FileNotFoundError as error:
        sys.exit(str(error))
    words = [command, *sys.argv[1:]]
    if os.name == "posix":
        os.execv(command, words)
    sys.exit(subprocess.run(words, check=False).returncode)


main()
