package fmu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
)

// legalCalls is the table of FMI 2.0, 4.2.4, transcribed from the standard a second time. Columns:
// instantiated, initialization mode, step complete, step failed, terminated, error, fatal. Marks: x
// legal; 7, 8 legal for debugging; a, b, c legal for the variables that [settable] names.
//
//nolint:dupword // it is a table
const legalCalls = `
fmi2SetDebugLogging           x x x x x x .
fmi2SetupExperiment           x . . . . . .
fmi2EnterInitializationMode   x . . . . . .
fmi2ExitInitializationMode    . x . . . . .
fmi2Terminate                 . . x x . . .
fmi2Reset                     x x x x x x .
fmi2GetReal                   . x x 8 x 7 .
fmi2GetInteger                . x x 8 x 7 .
fmi2GetBoolean                . x x 8 x 7 .
fmi2GetString                 . x x 8 x 7 .
fmi2SetReal                   a b c . . . .
fmi2SetInteger                a b c . . . .
fmi2SetBoolean                a b c . . . .
fmi2SetString                 a b c . . . .
fmi2GetFMUstate               x x x 8 x 7 .
fmi2SetFMUstate               x x x x x x .
fmi2FreeFMUstate              x x x x x x .
fmi2SerializedFMUstateSize    x x x x x x .
fmi2SerializeFMUstate         x x x x x x .
fmi2DeSerializeFMUstate       x x x x x x .
fmi2GetDirectionalDerivative  . x x x x x .
fmi2SetRealInputDerivatives   x x x . . . .
fmi2GetRealOutputDerivatives  . . x x x x .
fmi2DoStep                    . . x . . . .
fmi2CancelStep                . . . . . . .
fmi2GetStatus                 . . x x x . .
fmi2GetRealStatus             . . x x x . .
fmi2GetIntegerStatus          . . x x x . .
fmi2GetBooleanStatus          . . x x x . .
fmi2GetStringStatus           . . x x x . .
`

// caller makes one call of a function, with arguments that are valid in every state where the
// function is legal.
type caller struct {
	call func(b *bench, saved *fmu.Snapshot) fmi.Status
	want fmi.Status // where it is legal
}

// inputOrParameter picks a variable that may be set in the state of b.
func inputOrParameter(b *bench, parameter, input fmi.ValueReference) []fmi.ValueReference {
	if b.State() == fmi.Instantiated {
		return refs(parameter)
	}
	return refs(input)
}

var callers = map[fmu.Function]caller{
	fmu.SetDebugLogging: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.SetDebugLogging(true, nil)
	}, fmi.OK},
	fmu.SetupExperiment: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.SetupExperiment(fmu.ExperimentSetup{})
	}, fmi.OK},
	fmu.EnterInitializationMode: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.EnterInitializationMode()
	}, fmi.OK},
	fmu.ExitInitializationMode: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.ExitInitializationMode()
	}, fmi.OK},
	fmu.Terminate: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.Terminate()
	}, fmi.OK},
	fmu.Reset: {func(b *bench, _ *fmu.Snapshot) fmi.Status { return b.Reset() },
		fmi.OK},
	fmu.GetReal: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.GetReal(refs(0), make([]float64, 1))
	}, fmi.OK},
	fmu.GetInteger: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.GetInteger(refs(0), make([]int32, 1))
	}, fmi.OK},
	fmu.GetBoolean: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.GetBoolean(refs(0), make([]bool, 1))
	}, fmi.OK},
	fmu.GetString: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.GetString(refs(0), make([]string, 1))
	}, fmi.OK},
	fmu.SetReal: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.SetReal(inputOrParameter(b, realGain, realForce), []float64{1})
	}, fmi.OK},
	fmu.SetInteger: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.SetInteger(inputOrParameter(b, integerOffset, integerGear), []int32{1})
	}, fmi.OK},
	fmu.SetBoolean: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.SetBoolean(inputOrParameter(b, booleanEnabled, booleanBrake), []bool{true})
	}, fmi.OK},
	fmu.SetString: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.SetString(inputOrParameter(b, stringLabel, stringNote), []string{"x"})
	}, fmi.OK},
	fmu.GetFMUstate: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		_, status := b.GetFMUstate(nil)
		return status
	}, fmi.OK},
	fmu.SetFMUstate: {func(b *bench, s *fmu.Snapshot) fmi.Status { return b.SetFMUstate(s) },
		fmi.OK},
	fmu.FreeFMUstate: {func(b *bench, _ *fmu.Snapshot) fmi.Status { return b.FreeFMUstate() },
		fmi.OK},
	fmu.SerializedFMUstateSize: {func(b *bench, s *fmu.Snapshot) fmi.Status {
		_, status := b.SerializedFMUstateSize(s)
		return status
	}, fmi.OK},
	fmu.SerializeFMUstate: {func(b *bench, s *fmu.Snapshot) fmi.Status {
		return b.SerializeFMUstate(s, make([]byte, s.Size()))
	}, fmi.OK},
	fmu.DeSerializeFMUstate: {func(b *bench, s *fmu.Snapshot) fmi.Status {
		_, status := b.DeSerializeFMUstate(serialized(s))
		return status
	}, fmi.OK},
	fmu.GetDirectionalDerivative: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.DirectionalDerivative()
	}, fmi.Error},
	fmu.SetRealInputDerivatives: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.SetRealInputDerivatives()
	}, fmi.Error},
	fmu.GetRealOutputDerivatives: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.RealOutputDerivatives(refs(realSpeed), []int32{1}, make([]float64, 1))
	}, fmi.OK},
	fmu.DoStep: {func(b *bench, _ *fmu.Snapshot) fmi.Status { return b.DoStep(0, 0.02) },
		fmi.OK},
	fmu.CancelStep: {func(b *bench, _ *fmu.Snapshot) fmi.Status { return b.CancelStep() },
		fmi.OK},
	fmu.GetStatus: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.AskStatus(fmu.GetStatus, 0)
	}, fmi.Discard},
	fmu.GetIntegerStatus: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.AskStatus(fmu.GetIntegerStatus, 0)
	}, fmi.Discard},
	fmu.GetStringStatus: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		return b.AskStatus(fmu.GetStringStatus, 1)
	}, fmi.Discard},
	fmu.GetRealStatus: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		_, status := b.RealStatus(fmu.LastSuccessfulTime)
		return status
	}, fmi.OK},
	fmu.GetBooleanStatus: {func(b *bench, _ *fmu.Snapshot) fmi.Status {
		_, status := b.BooleanStatus(fmu.TerminatedStatus)
		return status
	}, fmi.OK},
}

// readLegalCalls returns, for each function name, the states in which the table allows it.
func readLegalCalls(t *testing.T) map[string]map[fmi.State]bool {
	table := map[string]map[fmi.State]bool{}
	for _, line := range strings.Split(strings.TrimSpace(legalCalls), "\n") {
		cells := strings.Fields(line)
		require.Len(t, cells, 1+len(allStates), line)
		row := map[fmi.State]bool{}
		for k, state := range allStates {
			row[state] = cells[1+k] != "."
		}
		table[cells[0]] = row
	}
	return table
}

func TestLegalCalls_EveryFunctionInEveryState(t *testing.T) {
	table := readLegalCalls(t)
	for f := fmu.SetDebugLogging; f.String() != "unknown function"; f++ {
		if f.Name(fmi.FMI2) == "" {
			continue
		}
		require.Contains(t, table, f.String())
		require.Contains(t, callers, f, "no caller for %v", f)
	}
	require.Len(t, callers, len(table))
	saved, status := reach(t, fmi.StepComplete).GetFMUstate(nil)
	require.Equal(t, fmi.OK, status)

	for f, c := range callers {
		for _, state := range allStates {
			t.Run(fmt.Sprintf("%v in %v", f, state), func(t *testing.T) {
				b := reach(t, state)
				steps := b.model.Steps
				got := c.call(b, saved)
				switch {
				case state == fmi.Dead:
					require.Equal(t, fmi.Fatal, got)
					require.Equal(t, fmi.Dead, b.State())
					oneLine(t, b.log, fmi.Fatal, f.String())
				case !table[f.String()][state]:
					require.Equal(t, fmi.Error, got)
					require.Equal(t, fmi.Erroneous, b.State())
					require.Equal(t, steps, b.model.Steps, "an illegal call reaches no model")
					oneLine(t, b.log, fmi.Error, f.String()+": illegal call sequence: ",
						wanted(table[f.String()], state))
				case c.want == fmi.OK:
					require.Equal(t, fmi.OK, got)
					require.Empty(t, b.log.Drain())
				default:
					require.Equal(t, c.want, got)
					oneLine(t, b.log, c.want, f.String())
				}
			})
		}
	}
}

// wanted returns the part of an illegal call's message that names the current state and the states
// in which the call is allowed.
func wanted(row map[fmi.State]bool, found fmi.State) string {
	var legal []string
	for _, state := range allStates {
		if row[state] {
			legal = append(legal, fmt.Sprintf("%q", state.String()))
		}
	}
	if legal == nil {
		return "never allowed, because this FMU steps synchronously"
	}
	return fmt.Sprintf("state is %q, allowed in %s", found.String(), strings.Join(legal, ", "))
}

// Status queries and derivatives that are refused with fmi2Discard do not change the state of the
// instance.
func TestStatusQuestions_ChangeNoState(t *testing.T) {
	for _, state := range []fmi.State{fmi.StepComplete, fmi.StepFailed, fmi.Terminated} {
		for _, f := range []fmu.Function{fmu.GetStatus, fmu.GetIntegerStatus, fmu.GetStringStatus} {
			for kind := fmu.DoStepStatus; kind <= fmu.TerminatedStatus; kind++ {
				b := reach(t, state)
				require.Equal(t, fmi.Discard, b.AskStatus(f, kind))
				require.Equal(t, state, b.State())
				oneLine(t, b.log, fmi.Discard, f.String(), fmt.Sprintf("status kind %d", kind))
			}
		}
	}
}

func TestStatusQuestions_UnknownKindIsAnError(t *testing.T) {
	for _, kind := range []fmu.StatusKind{-1, 4, 1 << 30} {
		b := reach(t, fmi.StepComplete)
		_, status := b.RealStatus(kind)
		require.Equal(t, fmi.Error, status)
		oneLine(t, b.log, fmi.Error, "fmi2GetRealStatus",
			fmt.Sprintf("status kind: wrong argument: found %d, expected 0 to 3", kind))

		b = reach(t, fmi.StepComplete)
		_, status = b.BooleanStatus(kind)
		require.Equal(t, fmi.Error, status)
		require.Equal(t, fmi.Error, reach(t, fmi.StepComplete).AskStatus(fmu.GetStatus, kind))
	}
}

func TestStatusQuestions_RealAndBooleanAnswerOneKindEach(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	for kind := fmu.DoStepStatus; kind <= fmu.TerminatedStatus; kind++ {
		_, status := b.RealStatus(kind)
		require.Equal(t, kind == fmu.LastSuccessfulTime, status == fmi.OK, "real status of kind %d",
			kind)
		_, status = b.BooleanStatus(kind)
		require.Equal(t, kind == fmu.TerminatedStatus, status == fmi.OK,
			"boolean status of kind %d", kind)
	}
	require.Equal(t, fmi.StepComplete, b.State())
}

func TestRejected_FollowsTheTableOfLegalCalls(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	require.Equal(t, fmi.Error, b.Rejected(fmu.GetReal, "vr", "a null pointer", "3 references"))
	oneLine(t, b.log, fmi.Error,
		"fmi2GetReal: vr: wrong argument: found a null pointer, expected 3 references")

	b = reach(t, fmi.Instantiated)
	require.Equal(t, fmi.Error, b.Rejected(fmu.GetReal, "vr", "a null pointer", "3 references"))
	oneLine(t, b.log, fmi.Error, "illegal call sequence")
}

func TestNames_OutOfRangeAreReportedNotIndexed(t *testing.T) {
	require.Equal(t, "State(200)", fmi.State(200).String())
	require.Equal(t, "unknown function", fmu.Function(200).String())
	require.Equal(t, "fmi2Status(-1)", fmi.Status(-1).String())
	for status, name := range []string{"fmi2OK", "fmi2Warning", "fmi2Discard", "fmi2Error",
		"fmi2Fatal", "fmi2Pending"} {
		require.Equal(t, name, fmi.Status(status).String())
	}
}
