// Package importer turns FMI 1.0, 2.0 and 3.0 FMUs, from any exporting tool, into participants of a
// co-simulation.
//
//	fmu, err := importer.Open("sensor.fmu")
//	pool := &importer.Pool{}
//	defer pool.Close()
//	sensor, err := fmu.NewInstance("sensor", pool, importer.Options{})
//	engine.Add("sensor", sensor)
//
// Open reads an FMU and checks that it can be run here. Each [Instance] gets an unpacked copy of
// its own, which the FMU may change, and lives in a worker process (package importer/worker), so a
// failure of the FMU is reported with its name and ends no other process. The rules:
//
//   - The calls follow the order of the standards (FMI 2.0, 4.2.4; FMI 3.0, 4.2.1): structural
//     parameters in Configuration Mode, exact and approximate start values before initialization,
//     inputs in Initialization Mode, and then in turn: get the outputs, set the inputs, step. Only
//     the user's start values are sent, unless Options.SetAllStart is set.
//   - A start value that cannot be parsed, or that is for an unknown, constant or calculated
//     variable, is rejected before anything is loaded. Units in brackets are converted: "20[degC]".
//   - Statuses: after Warning, the run continues. After a step is discarded, the host queries the
//     reason and passes it to the engine; a Discard of a setter is an error. After Error, the
//     instance is freed but not terminated; after Fatal, its worker is ended without another call.
//   - FMI 3.0: a step is repeated until its end point is reached; a request to terminate is
//     honored; early return and event mode are available as options.
//   - Clocks of FMI 3.0 tick: time-based clocks at the times that the FMU specifies, also between
//     two communication points if the FMU accepts steps of any length, and triggered clocks when
//     the number at their input changes. A clock is a variable whose value is the number of its
//     ticks (cosim.Clock). Variables that belong to a clock are read and set only while it is
//     active, and keep their values in between.
//   - Notional binary variables of OSMP are variables of the kind Binary in every version of FMI.
//     The addresses of a triple are valid only in the worker, which copies outputs after each step,
//     while they are valid, and keeps inputs in its memory until the step has returned. In
//     Initialization Mode the host reads each configuration request and answers it.
//
// Types: [FMU], [Pool], [Instance] with [Options]; [Message] is a log message of an FMU; [Error]
// with the kinds [ErrInvalid], [ErrFailed], [ErrTimeout].
package importer

import (
	"errors"

	"gosmp/importer/worker"
	"gosmp/internal/fault"
)

// Error is an error with its location: an FMU, a variable.
type Error = fault.Error

// The kinds of errors of this package.
var (
	// ErrInvalid reports an FMU that cannot be run here, or options that are not valid for it.
	// Nothing was started.
	ErrInvalid = errors.New("cannot run this FMU")
	// ErrValue reports a start value that cannot be used.
	ErrValue = errors.New("unusable start value")
	// ErrFailed reports that an FMU has failed, by its status, a crash or an exit.
	ErrFailed = errors.New("the FMU has failed")
	// ErrLibrary reports that a library of the FMU cannot be loaded because this machine lacks
	// another library that it needs. Such an error is also an ErrInvalid.
	ErrLibrary = errors.New("a library is missing on this machine")
	// ErrTimeout reports a step or phase that took longer than Options.Timeout; its error names the
	// call.
	ErrTimeout = worker.ErrTimeout
)
