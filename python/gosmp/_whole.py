"""Files that are written completely or not at all."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """The place of a new file, which replaces the file at path at the end of the block.

    The place is in a new folder next to path, so that no other file is overwritten. An exception in the block leaves
    an older file alone. Errors of writing name path.
    """
    prefix = f".{path.name}-"
    try:
        with tempfile.TemporaryDirectory(prefix=prefix, dir=path.parent) as folder:
            place = Path(folder, path.name)
            yield place
            place.replace(path)
    except OSError as error:
        if error.filename is not None and not str(error.filename).startswith(str(path.parent / prefix)):
            raise  # it concerns another file
        raise OSError(error.errno, error.strerror, str(path)) from error
