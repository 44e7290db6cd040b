// Package results records the values of variables over time as tables: CSV, which FMPy and
// spreadsheets can read, Parquet for data frames, and MCAP for robotics viewers.
//
//   - [FormatOf] returns the format for a file name.
//   - A [Column] is a variable, or one element of an array; [Columns] creates them from signals.
//   - A [Recorder] is an observer of an engine. It can thin out the rows to its own time grid.
//
// In CSV, the elements of an array share a cell, separated by blanks, unless each element has its
// own column. In Parquet, each element is a column, as usual in data frames. In MCAP, each
// participant is a topic with JSON messages, which are structured like the names of its variables.
//
// Sources: RFC 4180; Apache Parquet 2; MCAP 1 with JSON Schema, as described by its registry of
// well-known encodings.
package results
