package fmu_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
)

// settable defines notes a, b and c of the table of legal calls for each variable of the test FMU.
// Columns: instantiated (variability not constant, initial exact or approx), initialization mode
// (initial exact and not constant, or an input), step complete (inputs and tunable parameters).
const settable = `
gain      Real     a b .
trim      Real     a b c
force     Real     a b c
speed     Real     . . .
reach     Real     . . .
gravity   Real     . . .
estimate  Real     a . .
offset    Integer  a b .
gear      Integer  a b c
count     Integer  a b .
enabled   Boolean  a b .
brake     Boolean  a b c
valid     Boolean  a b .
label     String   a b .
note      String   a b c
text      String   . . .
`

func setOne(i *fmu.Instance, v *fmu.Variable) fmi.Status {
	list := refs(v.Reference(fmi.FMI2))
	switch v.Type {
	case fmi.Real:
		return i.SetReal(list, []float64{3})
	case fmi.Integer:
		return i.SetInteger(list, []int32{3})
	case fmi.Boolean:
		return i.SetBoolean(list, []bool{v.Start == false})
	default:
		return i.SetString(list, []string{"3"})
	}
}

func TestSet_EveryVariableInEveryState(t *testing.T) {
	d := testDefinition(newCart)
	rows := strings.Split(strings.TrimSpace(settable), "\n")
	require.Len(t, rows, len(d.Variables.All()))
	for _, row := range rows {
		cells := strings.Fields(row)
		v := d.Variables.Named(cells[0])
		require.Equal(t, cells[1], v.Type.String())
		for k, state := range allStates[:3] {
			t.Run(fmt.Sprintf("%s in %v", v.Name, state), func(t *testing.T) {
				b := reach(t, state)
				before := saved(t, b.Instance)
				status := setOne(b.Instance, v)
				if cells[2+k] != "." {
					require.Equal(t, fmi.OK, status)
					require.NotEqual(t, before, saved(t, b.Instance))
					return
				}
				require.Equal(t, fmi.Error, status)
				require.Equal(t, fmi.Erroneous, b.State())
				oneLine(t, b.log, fmi.Error, "fmi2Set"+v.Type.String(), "variable not settable",
					v.Name,
					string(v.Variability), string(v.Causality), whereSettable(cells[2:], state))
			})
		}
	}
}

// whereSettable returns the part of the message that names the current state and the states in
// which the variable may be set.
func whereSettable(cells []string, found fmi.State) string {
	var where []string
	for k, state := range allStates[:3] {
		if cells[k] != "." {
			where = append(where, fmt.Sprintf("%q", state.String()))
		}
	}
	if where == nil {
		return "is never set by the environment"
	}
	return fmt.Sprintf("state is %q, settable in %s", found.String(), strings.Join(where, ", "))
}

func TestAccess_UnknownReference(t *testing.T) {
	for _, c := range []struct {
		name  string
		count string
		call  func(b *bench, ref fmi.ValueReference) fmi.Status
	}{
		{"fmi2GetReal", "7", func(b *bench, r fmi.ValueReference) fmi.Status {
			return b.GetReal(refs(0, r), make([]float64, 2))
		}},
		{"fmi2GetInteger", "3", func(b *bench, r fmi.ValueReference) fmi.Status {
			return b.GetInteger(refs(0, r), make([]int32, 2))
		}},
		{"fmi2GetBoolean", "3", func(b *bench, r fmi.ValueReference) fmi.Status {
			return b.GetBoolean(refs(0, r), make([]bool, 2))
		}},
		{"fmi2GetString", "3", func(b *bench, r fmi.ValueReference) fmi.Status {
			return b.GetString(refs(0, r), make([]string, 2))
		}},
		{"fmi2SetReal", "7", func(b *bench, r fmi.ValueReference) fmi.Status {
			return b.SetReal(refs(realForce, r), make([]float64, 2))
		}},
		{"fmi2SetInteger", "3", func(b *bench, r fmi.ValueReference) fmi.Status {
			return b.SetInteger(refs(integerGear, r), make([]int32, 2))
		}},
		{"fmi2SetBoolean", "3", func(b *bench, r fmi.ValueReference) fmi.Status {
			return b.SetBoolean(refs(booleanBrake, r), make([]bool, 2))
		}},
		{"fmi2SetString", "3", func(b *bench, r fmi.ValueReference) fmi.Status {
			return b.SetString(refs(stringNote, r), make([]string, 2))
		}},
		{"fmi2GetRealOutputDerivatives", "7", func(b *bench, r fmi.ValueReference) fmi.Status {
			return b.RealOutputDerivatives(refs(realSpeed, r), []int32{1, 1}, make([]float64, 2))
		}},
	} {
		for _, ref := range []fmi.ValueReference{7, 1 << 31, math.MaxUint32} {
			t.Run(fmt.Sprint(c.name, " of ", ref), func(t *testing.T) {
				b := reach(t, fmi.StepComplete)
				require.Equal(t, fmi.Error, c.call(b, ref))
				oneLine(t, b.log, fmi.Error, c.name,
					fmt.Sprintf("unknown valueReference: %d, expected a number below %s", ref,
						c.count))
			})
		}
	}
}

func TestSet_RangeAndFiniteness(t *testing.T) {
	for _, c := range []struct {
		value float64
		want  string // empty for an accepted value
	}{
		{-100, ""}, {100, ""}, {math.Copysign(0, -1), ""}, {5e-324, ""},
		{math.Nextafter(100, 200), "is above the maximum 100"},
		{math.Nextafter(-100, -200), "is below the minimum -100"},
		{math.NaN(), "NaN is not finite"}, {math.Inf(1), "+Inf is not finite"}, {math.Inf(-1),
			"-Inf is not finite"},
	} {
		b := reach(t, fmi.StepComplete)
		status := b.SetReal(refs(realForce), []float64{c.value})
		if c.want == "" {
			require.Equal(t, fmi.OK, status)
			require.Equal(t, math.Float64bits(c.value),
				math.Float64bits(b.model.Values.Reals[realForce]))
			continue
		}
		require.Equal(t, fmi.Error, status)
		oneLine(t, b.log, fmi.Error, "fmi2SetReal: wrong argument: force", c.want)
	}
	for value, ok := range map[int32]bool{-6: false, -5: true, 5: true, 6: false,
		math.MinInt32: false, math.MaxInt32: false} {
		b := reach(t, fmi.Instantiated)
		require.Equal(t, ok, b.SetInteger(refs(integerOffset), []int32{value}) == fmi.OK,
			"offset %d", value)
	}
	b := reach(t, fmi.StepComplete) // no stop time or other limits
	require.Equal(t, fmi.OK, b.SetReal(refs(realTrim), []float64{math.MaxFloat64}))
	require.Equal(t, fmi.OK, b.SetInteger(refs(integerGear), []int32{math.MinInt32}))
}

func TestSet_TextOutsideItsList(t *testing.T) {
	d := testDefinition(newCart)
	d.Variables.Named("note").OneOf = []string{"", "a", "b"}
	log := &mock.Log{}
	i := instantiate(t, d, log)
	require.Equal(t, fmi.OK, i.SetString(refs(stringNote), []string{"b"}))
	require.Equal(t, fmi.Error, i.SetString(refs(stringNote), []string{"c"}))
	oneLine(t, log, fmi.Error, `fmi2SetString: wrong argument: note: "c" is not one of , a, b`)
}

func TestSet_AllOrNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		call func(b *bench) fmi.Status
	}{
		{"out of range", func(b *bench) fmi.Status {
			return b.SetReal(refs(realTrim, realForce), []float64{9, 101})
		}},
		{"not settable", func(b *bench) fmi.Status {
			return b.SetReal(refs(realTrim, realGain), []float64{9, 1})
		}},
		{"unknown", func(b *bench) fmi.Status {
			return b.SetInteger(refs(integerGear, 3), []int32{9, 9})
		}},
		{"output", func(b *bench) fmi.Status {
			return b.SetBoolean(refs(booleanBrake, booleanValid), []bool{true, true})
		}},
		{"parameter", func(b *bench) fmi.Status {
			return b.SetString(refs(stringNote, stringLabel), []string{"a", "b"})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := reach(t, fmi.StepComplete)
			w := &watcher{}
			b.model.Values.Watch(w, fmi.Integer, fmu.Index(integerGear))
			before := picture(t, b.Instance)
			require.Equal(t, fmi.Error, c.call(b))
			oneLine(t, b.log, fmi.Error)
			after := picture(t, b.Instance) // the error state still allows a Get
			require.Equal(t, before[len(fmi.StepComplete.String()):],
				after[len(fmi.Erroneous.String()):])
			require.Zero(t, w.sets)
		})
	}
}

func TestSetThenGet_ReadsBackTheSame(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	require.Equal(t, fmi.OK, b.SetReal(refs(realForce, realTrim, realForce), []float64{1, 2, 3}),
		"the last of two wins")
	require.Equal(t, fmi.OK, b.SetString(refs(stringNote), []string{"ä\U0001F697 100 % #"}))
	reals, strings := make([]float64, 3), make([]string, 1)
	require.Equal(t, fmi.OK, b.GetReal(refs(realTrim, realForce, realTrim), reals))
	require.Equal(t, []float64{2, 3, 2}, reals)
	require.Equal(t, fmi.OK, b.GetString(refs(stringNote), strings))
	require.Equal(t, "ä\U0001F697 100 % #", strings[0])
	require.Equal(t, fmi.OK, b.SetReal(nil, nil))
	require.Equal(t, fmi.OK, b.GetReal(nil, nil))
}

// watcher counts its notifications.
type watcher struct{ sets, releases int }

func (w *watcher) VariableSet()    { w.sets++ }
func (w *watcher) MemoryReleased() { w.releases++ }

func TestWatch_EverySetOfAWatchedVariableIsReported(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	gear, force, both := &watcher{}, &watcher{}, &watcher{}
	v := b.model.Values
	v.Watch(gear, fmi.Integer, fmu.Index(integerGear))
	v.Watch(force, fmi.Real, fmu.Index(realForce))
	v.Watch(both, fmi.Integer, fmu.Index(integerGear))
	v.Watch(both, fmi.Real, fmu.Index(realForce))
	counts := func() []int { return []int{gear.sets, force.sets, both.sets} }
	set := func() { require.Equal(t, fmi.OK, b.SetInteger(refs(integerGear), []int32{5})) }
	set()
	require.Equal(t, []int{1, 0, 1}, counts())
	set()
	require.Equal(t, []int{2, 0, 2}, counts(), "the same value again is a new Set")
	require.Equal(t, fmi.OK, b.SetReal(refs(realTrim, realForce, realForce), []float64{1, 2, 3}))
	require.Equal(t, []int{2, 2, 4}, counts())
	require.Equal(t, fmi.OK, b.SetString(refs(stringNote), []string{""}))
	require.Equal(t, []int{2, 2, 4}, counts(), "values that nothing observes")

	s, status := b.GetFMUstate(nil)
	require.Equal(t, fmi.OK, status)
	require.Equal(t, fmi.OK, b.SetFMUstate(s))
	require.Equal(t, fmi.OK, b.Reset())
	require.Equal(t, []int{2, 2, 4}, counts(), "neither a restored state nor a reset is a Set")
	begin(t, b.Instance, fmu.ExperimentSetup{})
	set()
	require.Equal(t, []int{3, 2, 5}, counts(), "a watcher stays for as long as the instance exists")
}

func TestWatch_MemoryIsReleasedByStepsAndFailures(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	w := &watcher{}
	b.model.Values.Watch(w, fmi.Integer, fmu.Index(integerGear), fmu.Index(integerOffset))
	require.Equal(t, fmi.OK, b.DoStep(0, 0.5))
	require.Equal(t, 1, w.releases)
	require.Equal(t, fmi.Error, b.DoStep(0.5, -1))
	require.Equal(t, 3, w.releases, "by the step and by the failure")
	require.Equal(t, fmi.OK, b.Reset())
	require.Equal(t, 3, w.releases)
	require.Equal(t, fmi.Error, b.SetInteger(refs(99), []int32{1}))
	require.Equal(t, 4, w.releases)
}

func TestOutputDerivatives_AreZeroAboveOrderZero(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	values := []float64{7, 7}
	require.Equal(t, fmi.OK, b.RealOutputDerivatives(refs(realSpeed, realGravity), []int32{1, 4},
		values))
	require.Equal(t, []float64{0, 0}, values)
	require.Equal(t, fmi.Error, b.RealOutputDerivatives(refs(realSpeed), []int32{0}, values))
	oneLine(t, b.log, fmi.Error, "order: wrong argument: found 0, expected at least 1")
	b = reach(t, fmi.StepComplete)
	require.Equal(t, fmi.Error, b.RealOutputDerivatives(refs(realForce), []int32{1}, values))
	oneLine(t, b.log, fmi.Error, "variable: wrong argument: found force, expected an output")
}

func TestUnsupported_NamesTheFlag(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	require.Equal(t, fmi.Error, b.DirectionalDerivative())
	oneLine(t, b.log, fmi.Error, "not supported", "providesDirectionalDerivative is false")
	b = reach(t, fmi.StepComplete)
	require.Equal(t, fmi.Error, b.SetRealInputDerivatives())
	oneLine(t, b.log, fmi.Error, "not supported", "canInterpolateInputs is false")
}

// An environment that shares the integers may read and set them exactly if a call would do the
// same.
func TestDirectIntegers_AreThoseThatACallWouldOnlyCopy(t *testing.T) {
	for _, state := range allStates {
		get, set := reach(t, state).DirectIntegers()
		b := reach(t, state)
		// where Get may compute values, as it does after a Set
		initializing := state == fmi.InitializationMode
		require.Equal(t, b.GetInteger(refs(integerGear), make([]int32, 1)) == fmi.OK &&
			!initializing, get, "%v", state)
		b = reach(t, state)
		require.Equal(t, b.SetInteger(refs(integerGear), []int32{1}) == fmi.OK &&
			state == fmi.StepComplete, set, "%v", state)
	}
}

func TestConfigIntegers_AreWhereTheValuesAre(t *testing.T) {
	var model *mock.Model
	d := testDefinition(func(h fmu.Host) fmu.Model {
		model = &mock.Model{Host: h}
		return model
	})
	shared := []int32{7, 7, 7}
	i, err := fmu.Instantiate(d, fmu.Config{InstanceName: "cart", GUID: guid, Integers: shared})
	require.NoError(t, err)
	begin(t, i, fmu.ExperimentSetup{})
	require.Equal(t, int32(0), shared[integerGear], "the start value")
	w := &watcher{}
	model.Values.Watch(w, fmi.Integer, fmu.Index(integerGear))
	shared[integerGear] = 3
	marks := []bool{false, false, false}
	i.IntegersSet(marks, 0xFFFFFFFF)
	require.Zero(t, w.sets)
	marks[integerGear] = true
	i.IntegersSet(marks, 1<<integerGear)
	require.Equal(t, 1, w.sets)
	require.Equal(t, []bool{false, false, false}, marks)
	i.IntegersSet(marks[:integerGear], 1<<integerGear)
	require.Equal(t, 1, w.sets)
	got := make([]int32, 1)
	require.Equal(t, fmi.OK, i.GetInteger(refs(integerGear), got))
	require.Equal(t, []int32{3}, got)
	require.Equal(t, fmi.OK, i.SetInteger(refs(integerGear), []int32{4}))
	require.Equal(t, int32(4), shared[integerGear])

	_, err = fmu.Instantiate(d, fmu.Config{InstanceName: "cart", GUID: guid, Integers: shared[:2]})
	require.ErrorIs(t, err, fmu.ErrArgument)
	require.ErrorContains(t, err, "Integers: wrong argument: found 2, expected 3")
}
