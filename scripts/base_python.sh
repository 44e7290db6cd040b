#!/bin/sh
# Prints the interpreter for creating virtual environments: PYTHON (default python3) or, while a virtual environment is
# active, the interpreter that it was created from. An environment must not depend on another one, least of all on the
# one that it replaces.
set -eu

"${PYTHON:-python3}" - <<'EOP'
import os
import sys

python = sys.executable
if sys.prefix != sys.base_prefix:
    python = os.path.join(sys.base_prefix, "bin", "python%d.%d" % sys.version_info[:2])
print(python if os.path.exists(python) else sys.executable)
EOP
