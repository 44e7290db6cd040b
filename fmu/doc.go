// Package fmu is an FMI 2.0 co-simulation slave in pure Go: no C, no OSI, no model of its own.
//
// A [Definition] holds the fixed parts: the variable table, units, log categories and the
// constructor of the model. [Instantiate] creates an [Instance], whose methods are the fmi2
// functions with slices instead of pointers. The instance enforces the rules of the standard, so
// that a [Model] does not have to:
//
//   - Legal calls: one table in state.go (FMI 2.0, 4.2.4). An illegal call has no effect, returns
//     fmi2Error and logs one line.
//   - Values: checked against type, causality, variability, state and range before anything is
//     changed (2.2.7).
//   - Time: integer nanoseconds. A communication point is rounded once and compared with a
//     tolerance: a few of its last bits (4.2.2), and more with a log line if the clock is coarse.
//   - State: a snapshot holds everything; a restored instance continues bit for bit like the
//     original (2.1.8).
//   - Errors: models return errors, which [AsWarning] and [ErrDiscard] downgrade; only errors.go
//     maps errors to statuses.
//   - Logging: every status other than fmi2OK logs exactly one line, in a declared category
//     (2.1.5).
//
// Nothing here starts a goroutine, reads the environment or writes to the standard streams. An
// Instance must not be used by two threads at once; different instances are independent.
package fmu
