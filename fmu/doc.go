// Package fmu is an FMI 2.0 co-simulation slave in pure Go: no C, no OSI, no model of its own.
//
// A [Definition] holds what is fixed: the variable table, units, log categories and the maker of the model. [Instantiate] makes
// an [Instance], whose methods are the fmi2 functions with slices instead of pointers. The instance keeps the rules of the
// standard so that a [Model] need not know them:
//
//   - Legal calls: one table in state.go (FMI 2.0, 4.2.4). An illegal call gives fmi2Error and one log line and does nothing.
//   - Values: checked against type, causality, variability, state and range before anything is changed (2.2.7).
//   - Time: integer nanoseconds. A communication point is rounded once and compared with a tolerance of the last bits (4.2.2).
//   - State: a snapshot holds everything, a restored instance goes on bit for bit as the first one did (2.1.8).
//   - Errors: models return errors, [AsWarning] and [ErrDiscard] soften them; statuses are made in one place, errors.go.
//   - Logging: every status other than fmi2OK logs exactly one line, in a declared category (2.1.5).
//
// Nothing here starts a goroutine, reads the environment or writes to the standard streams. An Instance is for one thread at a
// time; different instances are independent.
package fmu
