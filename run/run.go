package run

import (
	"context"
	"errors"

	"gosmp/bridge"
	"gosmp/cosim"
	"gosmp/experiment/scxml"
	"gosmp/experiment/trial"
	"gosmp/importer"
	"gosmp/importer/ssp"
	"gosmp/internal/state"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/seat"
	"gosmp/run/fileuse"
	"gosmp/run/kind"
	"gosmp/run/statechart"
	"gosmp/run/usage"
	"gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/participant"
	"gosmp/scenario/play"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
	"gosmp/sweep"
)

// Result is the result of a run. One of Summary, Verdict, Chart and Scenario is set, unless the run
// could not start.
type Result struct {
	Passed  bool                // the run was completed, and no verdict is negative or undecided
	Summary *Summary            // of FMUs and maps
	Verdict *trial.Verdict      // of an experiment
	Chart   *statechart.Summary // of a statechart
	// Scenario is the result of a scenario. Its negative verdict is not an error.
	Scenario *play.Result
}

// Run runs files to their end, or until the context ends. The result contains any negative verdict.
// An error means that the run was not completed; the result then describes how far it got.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.Check(); err != nil {
		return &Result{}, err
	}
	switch o.Kind() {
	case kind.Experiment:
		return runExperiment(ctx, o)
	case kind.Statechart:
		return runChart(ctx, o)
	case kind.Scenario:
		return runScenario(ctx, o)
	}
	return runFMUs(ctx, o)
}

// The exit codes of the run contract.
const (
	Done     = 0
	Negative = 1 // a verdict failed or is undecided
	Invalid  = 2 // options or files
	TimedOut = 3
	Failed   = 4 // an FMU or gosmp itself
)

// inputError marks an error as caused by an input.
type inputError struct{ error }

// Unwrap returns the cause.
func (e *inputError) Unwrap() error { return e.error }

// ExitCode returns the code of the run contract for an error of a run of FMUs and maps, or of a
// test.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, importer.ErrTimeout):
		return TimedOut
	case fileuse.IsFull(err), // regardless of where it happened, it is not an input error
		errors.Is(err, seat.ErrUpdate), errors.Is(err, seat.ErrMessage),
		errors.Is(err, seat.ErrRequest):
		return Failed
	case errors.As(err, new(*usage.Error)), errors.As(err, new(*inputError)),
		errors.As(err, new(*scxml.InvalidError)):
		return Invalid
	}
	for _, kind := range []error{
		usage.ErrNoFile, importer.ErrInvalid, importer.ErrValue,
		cosim.ErrName, cosim.ErrConnection, cosim.ErrSpec, cosim.ErrTable, state.ErrState,
		ssp.ErrSystem, ssp.ErrUnreadable, opendrive.ErrMap, mocksim.ErrValue,
		bridge.ErrConfig, bridge.ErrDefinition,
		trial.ErrInvalid, sweep.ErrPlan,
		scenario.ErrDocument, scenario.ErrExpression, scenario.ErrOperand, scenario.ErrParameter,
		scenario.ErrConstraint, scenario.ErrCatalog, scenario.ErrValues,
		storyboard.ErrUnsupported, play.ErrRequirement, position.ErrPlace, entities.ErrAbsent,
		participant.ErrSeat, seat.ErrStart,
	} {
		if errors.Is(err, kind) {
			return Invalid
		}
	}
	return Failed
}
