// Package importer makes participants of a co-simulation from FMUs of FMI 2.0 and 3.0, whoever made them.
//
//	fmu, err := importer.Open("sensor.fmu")
//	pool := &importer.Pool{}
//	defer pool.Close()
//	sensor, err := fmu.NewInstance("sensor", pool, importer.Options{})
//	engine.Add("sensor", sensor)
//
// Open reads an FMU, checks that it can be run here, and unpacks it into a cache by the hash of its content. An [Instance] lives in a
// worker process (package importer/worker): what goes wrong in the FMU has a name and ends nobody else. The rules:
//
//   - The order of calls is that of the standards (FMI 2.0, 4.2.4; FMI 3.0, 4.2.1): structural parameters in Configuration Mode, start
//     values that are exact or approximate before initialization, inputs in Initialization Mode, then get outputs, set inputs, step.
//     Only start values of the user are sent, unless Options.SetAllStart says otherwise.
//   - A start value of bad text, or for an unknown, constant or calculated variable, is refused before anything is loaded. Units in
//     brackets are converted: "20[degC]".
//   - Statuses: Warning goes on. Discard of a step is asked for its reason and handed to the engine; of a setter it is an error.
//     After Error the instance is freed and not terminated, after Fatal its worker is ended without another call.
//   - FMI 3.0: a step is repeated until its point is reached; a wish to end is honoured; early return and event mode are offered on
//     request. Clocks that nobody but the host could let tick are refused; those that the FMU triggers are not followed.
//   - Notional binary variables of OSMP are variables of the kind Binary, whatever the version of FMI. The addresses of a triple mean
//     something in the worker only: it copies outputs after the step in which they are valid, and inputs lie in its memory until the
//     step has returned. In Initialization Mode the host reads each configuration request and answers it.
//
// Types: [FMU], [Pool], [Instance] with [Options]; [Message] is what an FMU logs; [Error] with the kinds [ErrInvalid], [ErrFailed],
// [ErrTimeout].
package importer

import (
	"errors"

	"gosmp/importer/worker"
	"gosmp/internal/fault"
)

// Error is an error with its place: an FMU, a variable.
type Error = fault.Error

// The kinds of errors of this package.
var (
	// ErrInvalid reports an FMU that cannot be run here, or options that do not fit it. Nothing was started.
	ErrInvalid = errors.New("cannot run this FMU")
	// ErrValue reports a start value that cannot be used.
	ErrValue = errors.New("unusable start value")
	// ErrFailed reports an FMU that has failed: a status, a crash, an exit.
	ErrFailed = errors.New("the FMU has failed")
	// ErrTimeout reports a call that took longer than Options.Timeout.
	ErrTimeout = worker.ErrTimeout
)
