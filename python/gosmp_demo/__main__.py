"""The command line of the demo; see the package's docstring.

Exit code: 0 if the run is complete; 1 if expected rows are missing; 2 for wrong arguments; 4 if the
FMU does not load, a step fails, no message arrives, or the results cannot be written; 130 after
Ctrl-C.
"""

from __future__ import annotations

import sys

from . import options, run


def main() -> int:
    """Parses the command line and runs."""
    chosen = options.parse()
    if chosen.check:
        return 0
    try:
        from . import player  # imported here: the checks above run without its packages
    except ModuleNotFoundError as missing:
        print(
            f"gosmp_demo: the Python package {missing.name!r} is missing in {sys.executable}. `make run` sets up .venv and "
            "uses it; by hand: scripts/setup.sh run && PYTHONPATH=python .venv/bin/python -m gosmp_demo",
            file=sys.stderr,
        )
        return 2
    try:
        return player.play(chosen)
    except run.Failure as failure:
        print(f"\ngosmp_demo: {failure}", file=sys.stderr)
        return failure.code
    except KeyboardInterrupt:
        print("\ngosmp_demo: interrupted before the results were complete", file=sys.stderr)
        return run.INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
