package trial

import (
	"errors"
	"fmt"

	"gosmp/internal/fault"
)

// State is the phase of a trial's life cycle.
type State string

// The states, with the names of the platform. Initialize leads from Created to Paused, Start and
// Pause lead from Paused to Started and back, and Reset leads from both to Paused at the beginning;
// Stop leads from all three to Stopped. An error leads to Failed before the initialization, and to
// Halted after it.
const (
	Created State = "created"
	Paused  State = "paused"
	Started State = "started"
	Stopped State = "stopped"
	Failed  State = "failed"
	Halted  State = "halted"
)

// Error is an error with its place.
type Error = fault.Error

// The kinds of errors of this package.
var (
	// ErrState reports a call that the state of the trial does not allow.
	ErrState = errors.New("not possible in this state")
	// ErrInvalid reports a description that cannot be run.
	ErrInvalid = errors.New("the experiment cannot be run")
	// ErrAction reports an event of a machine that cannot be carried out.
	ErrAction = errors.New("impossible action")
)

// legal lists the states in which a call may be made.
var legal = map[string][]State{
	"Initialize": {Created},
	"Start":      {Paused},
	"Pause":      {Started},
	"Step":       {Started},
	"Reset":      {Paused, Started},
	"Stop":       {Created, Paused, Started},
}

func (t *Trial) allow(call string) error {
	for _, s := range legal[call] {
		if s == t.state {
			return nil
		}
	}
	return fault.New(ErrState, fault.At(call), string(t.state), fmt.Sprint(legal[call]))
}

// State returns the state of the trial.
func (t *Trial) State() State { return t.state }
