// Package results records the values of variables over time as tables: CSV, which FMPy and
// spreadsheets read, Parquet for data frames, and MCAP for viewers of robotics.
//
//   - [FormatOf] chooses a format by the name of a file.
//   - A [Column] is a variable, or one element of an array; [Columns] makes them of signals.
//   - A [Recorder] is an observer of an engine. It can thin out the rows to a grid of its own.
//
// In CSV the elements of an array share a cell, with blanks between them, unless each is a column. In
// Parquet each element is a column, as data frames want it. In MCAP each participant is a topic with
// messages in JSON, which have the structure of the names of its variables.
//
// Sources: RFC 4180; Apache Parquet 2; MCAP 1 with JSON Schema, as its registry of well-known
// encodings describes it.
package results
