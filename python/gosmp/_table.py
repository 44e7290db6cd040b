"""Tables: the recorded values of a run, the objects of a trace, the runs of a sweep."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    import pyarrow


class Table:
    """Columns of equal length, by name.

    table["time"] is a list of int, float or str. The columns are read from a CSV file when they
    are needed for the first time.
    """

    def __init__(self, csv_file: str | Path | None) -> None:
        self._csv = Path(csv_file) if csv_file is not None else None
        self._columns: dict[str, list[Any]] | None = None

    @property
    def columns(self) -> dict[str, list[Any]]:
        """All columns by name, in the order of the file."""
        if self._columns is None:
            self._columns = _read(self._csv) if self._csv is not None else {}
        return self._columns

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.columns)

    def __getitem__(self, name: str) -> list[Any]:
        try:
            return self.columns[name]
        except KeyError:
            known = ", ".join(self.names) or "none"
            raise KeyError(f"there is no column {name!r}; the columns are: {known}") from None

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), []))

    def row(self, number: int) -> dict[str, Any]:
        """A row by column. The first row has number 0, the last row -1."""
        return {name: values[number] for name, values in self.columns.items()}

    def numpy(self) -> numpy.ndarray:
        """A structured array, as fmpy.simulate_fmu returns: array["time"], array.dtype.names."""
        import numpy

        arrays = {name: numpy.asarray(values) for name, values in self.columns.items()}
        table = numpy.empty(len(self), dtype=[(name, array.dtype) for name, array in arrays.items()])
        for name, array in arrays.items():
            table[name] = array
        return table

    def pandas(self) -> pandas.DataFrame:
        """A DataFrame of pandas."""
        import pandas

        return pandas.DataFrame(self.columns)

    def polars(self) -> polars.DataFrame:
        """A DataFrame of polars."""
        import polars

        return polars.DataFrame(self.columns)

    def arrow(self) -> pyarrow.Table:
        """A Table of pyarrow."""
        import pyarrow

        return pyarrow.table(self.columns)


def _read(path: Path) -> dict[str, list[Any]]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        names = next(rows, [])
        columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return {name: _typed(texts) for name, texts in zip(names, columns, strict=True)}


def _typed(texts: tuple[str, ...]) -> list[Any]:
    """The values of a column: the first of int, float and str that all cells can be.

    An empty cell among numbers is NaN.
    """
    readers: list[Callable[[str], Any]] = [int, float, lambda text: float(text) if text else math.nan]
    if any(texts) and not any("_" in text for text in texts):  # int("1_0") is 10 in Python
        for reader in readers:
            try:
                return [reader(text) for text in texts]
            except ValueError:
                continue
    return list(texts)
