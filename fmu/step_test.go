package fmu_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/timebase"
)

func TestDoStep_RefusedArguments(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name string
		t, h float64
		want []string
	}{
		{"h zero", 0.02, 0, []string{"communicationStepSize: wrong argument: found 0", "above 0"}},
		{"h negative zero", 0.02, math.Copysign(0, -1),
			[]string{"communicationStepSize: wrong argument: found -0"}},
		{"h negative", 0.02, -0.02, []string{"communicationStepSize: wrong argument: found -0.02"}},
		{"h NaN", 0.02, nan, []string{"communicationStepSize: wrong argument: found NaN"}},
		{"h infinite", 0.02, inf, []string{"communicationStepSize: wrong argument: found +Inf"}},
		{"h below a nanosecond", 0.02, 1e-12,
			[]string{"communicationStepSize: wrong argument: found 1e-12",
				"at least a nanosecond"}},
		{"h denormal", 0.02, 5e-324, []string{"communicationStepSize: wrong argument: found 5e-324",
			"at least a nanosecond"}},
		{"h beyond all time", 0.02, 1e10,
			[]string{"communicationStepSize: wrong argument: found 1e+10", "±292 years"}},
		{"h absurd", 0.02, 1e300, []string{"communicationStepSize: wrong argument: found 1e+300",
			"±292 years"}},
		{"t NaN", nan, 0.02, []string{"currentCommunicationPoint: wrong argument: found NaN",
			"finite seconds"}},
		{"t infinite", -inf, 0.02,
			[]string{"currentCommunicationPoint: wrong argument: found -Inf"}},
		{"t beyond all time", 1e300, 0.02,
			[]string{"currentCommunicationPoint: wrong argument: found 1e+300"}},
		{"one step late", 0.04, 0.02,
			[]string{"currentCommunicationPoint: wrong argument: found 0.040000000s",
				"0.020000000s, where the last step ended"}},
		{"one step early", 0, 0.02,
			[]string{"currentCommunicationPoint: wrong argument: found 0.000000000s",
				"0.020000000s"}},
		{"three microseconds late", 0.020003, 0.02,
			[]string{"currentCommunicationPoint: wrong argument: found 0.020003000s"}},
		{"a quarter of a short step late", 0.020000003, 1e-8,
			[]string{"currentCommunicationPoint: wrong argument: found 0.020000003s"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := reach(t, fmi.StepComplete)
			require.Equal(t, fmi.OK, b.DoStep(0, 0.02))
			require.Equal(t, fmi.Error, b.DoStep(c.t, c.h))
			require.Equal(t, fmi.Erroneous, b.State())
			require.Equal(t, 1, b.model.Steps, "the model is not troubled")
			oneLine(t, b.log, fmi.Error, append(c.want, "fmi2DoStep: ", ": wrong argument: ")...)
		})
	}
}

func TestDoStep_ForgivesTheLastBits(t *testing.T) {
	for _, now := range []float64{0.02, 1. / 3, 12.34, 86400, 3.2e7} {
		up, down := math.Nextafter(now, math.Inf(1)), math.Nextafter(now, 0)
		for _, point := range []float64{now, up, down, now + 1e-9, now - 1e-9} {
			b := reach(t, fmi.StepComplete)
			require.Equal(t, fmi.OK, b.DoStep(0, now))
			first := b.model.Last
			require.Equal(t, fmi.OK, b.DoStep(point, 0.5), "point %v after %v", point, now)
			require.Equal(t, first.End, b.model.Last.Start, "spans connect")
		}
	}
}

// Far from zero the resolution of a float64 is coarser than a nanosecond. A point that is off by a
// few of its last bits is the same point; one that is off by a millisecond is not.
func TestDoStep_ToleranceGrowsWithTheTimeOnly(t *testing.T) {
	const now = 9e9 // 285 years; the last bit is 1.9 us
	for offset, want := range map[float64]fmi.Status{0: fmi.OK, 2e-6: fmi.OK, -2e-6: fmi.OK,
		1e-3: fmi.Error, -1e-3: fmi.Error} {
		b := scripted(t)
		begin(t, b.Instance, fmu.ExperimentSetup{Start: now})
		require.Equal(t, want, b.DoStep(now+offset, 1), "offset %v", offset)
	}
}

// An error of four units in the last place is tolerated, an error of five is reported, both at the
// beginning of a step and at the stop time. The magnitude of the numbers counts, not their sign,
// and the ends of a long step are as coarse as the ends of a late step.
func TestDoStep_FourLastBitsAreForgiven(t *testing.T) {
	off := func(x float64, bits int) float64 {
		for range bits {
			x = math.Nextafter(x, math.Inf(1))
		}
		return x
	}
	for bits, lines := range map[int]int{4: 0, 5: 1} {
		const late = 1 << 23 // a bit is 1.9 ns
		b := scripted(t)
		begin(t, b.Instance, fmu.ExperimentSetup{Start: late})
		require.Equal(t, fmi.OK, b.DoStep(off(late, bits), 1), "communication point, %d bits", bits)
		require.Len(t, b.log.Drain(), lines)

		b = scripted(t)
		begin(t, b.Instance, fmu.ExperimentSetup{StopDefined: true, Stop: late})
		require.Equal(t, fmi.OK, b.DoStep(0, off(late, bits)), "long step, %d bits", bits)
		require.Len(t, b.log.Drain(), lines)
	}
	const early = -3e7
	b := scripted(t)
	begin(t, b.Instance, fmu.ExperimentSetup{Start: early})
	require.Equal(t, fmi.OK, b.DoStep(off(early, 4), -early-1), "from far before 0 to near it")
}

// A host whose clock is coarse is reported once, and each of its steps is accepted: float32,
// multiplied or accumulated, and microseconds, with the step itself exact or rounded.
func TestDoStep_CoarseClocks(t *testing.T) {
	single := func(x float64) float64 { return float64(float32(x)) }
	micro := func(x float64) float64 { return math.Round(x*1e6) / 1e6 }
	plain := func(x float64) float64 { return x }
	for name, c := range map[string]struct {
		time, size func(float64) float64
		adds       bool
		lines      int
	}{
		"double":                   {plain, plain, false, 0},
		"double, added up":         {plain, plain, true, 0},
		"float32":                  {single, single, false, 1},
		"float32, added up":        {single, single, true, 1},
		"float32, an exact step":   {single, plain, false, 1},
		"microseconds":             {micro, micro, false, 1},
		"microseconds, exact step": {micro, plain, false, 1},
		"exact time, rounded step": {plain, micro, false, 1},
	} {
		for _, h := range []float64{1. / 60, 1. / 24, 1. / 3} {
			b := scripted(t)
			begin(t, b.Instance, fmu.ExperimentSetup{})
			at, end := 0.0, timebase.Time(0)
			for k := 1; k <= 6000; k++ {
				require.Equal(t, fmi.OK, b.DoStep(at, c.size(h)), "%s, %v s, step %d", name, h, k)
				require.Equal(t, end, b.model.Last.Start, "spans connect")
				end = b.model.Last.End
				b.lastTime(t, at+c.size(h))
				if at = c.time(float64(k) * h); c.adds {
					at = c.time(b.model.Last.Start.Seconds() + c.size(h))
				}
			}
			lines := b.log.Drain()
			require.Len(t, lines, c.lines, "%s, %v s", name, h)
			if c.lines > 0 {
				require.Equal(t, fmi.Warning, lines[0].Status)
				require.Contains(t, lines[0].Text,
					"seems to be rounded to microseconds or to float32")
			}
			require.Equal(t, fmi.Error, b.DoStep(at-h, h), "%s: the last step once more", name)
			b.log.Drain()
		}
	}
}

func TestDoStep_ExtremeTimesDoNotWrapAround(t *testing.T) {
	b := scripted(t)
	begin(t, b.Instance, fmu.ExperimentSetup{Start: -9.2233720368547739e9})
	// so short that its end is within the range of time
	require.Equal(t, fmi.Error, b.DoStep(9.2233720368547739e9, 1e-7))
	oneLine(t, b.log, fmi.Error, "currentCommunicationPoint: wrong argument: found 9223372036.8")

	const last = 9.2233720368547739e9
	b = scripted(t)
	begin(t, b.Instance, fmu.ExperimentSetup{Start: last - 1, StopDefined: true, Stop: last})
	require.Equal(t, fmi.OK, b.DoStep(last-1, 1))
}

// The times of hosts that count from 1970 are 238 ns apart. Each time is rounded to the nearest
// nanosecond and converted back unchanged.
func TestDoStep_TimesSince1970(t *testing.T) {
	const start = 1.7955e9
	b := scripted(t)
	begin(t, b.Instance, fmu.ExperimentSetup{Start: start})
	for at := start; at < start+2; {
		next := at + 0.02
		require.Equal(t, fmi.OK, b.DoStep(at, next-at))
		exact := new(big.Rat).Mul(new(big.Rat).SetFloat64(next), big.NewRat(1e9, 1))
		off := exact.Sub(exact, new(big.Rat).SetInt64(int64(b.model.Last.End)))
		require.LessOrEqual(t, off.Abs(off).Cmp(big.NewRat(1, 2)), 0, "%v is %v", next,
			b.model.Last.End)
		b.lastTime(t, next)
		at = next
	}
}

func TestDoStep_StopTime(t *testing.T) {
	const h = 0.02
	for _, c := range []struct {
		name string
		last float64 // size of the last step, which ends near the stop time 1 s
		want fmi.Status
	}{
		{"exactly", h, fmi.OK},
		{"an ulp beyond", math.Nextafter(1, 2) - 0.98, fmi.OK},
		{"a nanosecond beyond", h + 1e-9, fmi.OK},
		{"short of it", h / 2, fmi.OK},
		{"a microsecond beyond", h + 1e-6, fmi.OK},
		{"three microseconds beyond", h + 3e-6, fmi.Error},
		{"a step beyond", 2 * h, fmi.Error},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := scripted(t)
			begin(t, b.Instance, fmu.ExperimentSetup{StopDefined: true, Stop: 1})
			require.Equal(t, fmi.OK, b.DoStep(0, 0.98))
			require.Equal(t, c.want, b.DoStep(0.98, c.last))
			if c.want == fmi.Error {
				oneLine(t, b.log, fmi.Error, "end of the step: wrong argument: found 1.0",
					"at most the stop time 1.000000000s")
			}
		})
	}
	b := reach(t, fmi.StepComplete)
	require.Equal(t, fmi.OK, b.DoStep(0, 1e6), "no stop time, no limit")
}

// A host that accumulates its time ends many runs one ulp beyond the stop time.
func TestDoStep_StopTimeIsReachedByAddingUp(t *testing.T) {
	for _, h := range []float64{0.1, 0.02, 0.01, 0.001} {
		b := scripted(t)
		begin(t, b.Instance, fmu.ExperimentSetup{StopDefined: true, Stop: 10})
		now := 0.0
		for range int(math.Round(10 / h)) {
			require.Equal(t, fmi.OK, b.DoStep(now, h), "%v + %v", now, h)
			now += h
		}
		require.Equal(t, 10*timebase.Second, b.model.Last.End)
	}
}

// nanoseconds rounds an exact number of seconds to the nearest nanosecond, ties to even.
func nanoseconds(seconds *big.Rat) timebase.Time {
	n := new(big.Rat).Mul(seconds, big.NewRat(1e9, 1))
	floor := new(big.Int).Div(n.Num(), n.Denom()) // Euclidean, and the denominator is positive
	rest := n.Sub(n, new(big.Rat).SetInt(floor))
	if c := rest.Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && floor.Bit(0) == 1 {
		floor.Add(floor, big.NewInt(1))
	}
	return timebase.Time(floor.Int64())
}

const manySteps = 100_000

// A host that multiplies computes the instants k*h to float64 precision. Every span ends at the
// exact multiple of the step size, rounded to nanoseconds once, so that errors do not accumulate.
func TestDoStep_MultipliedTimeIsExact(t *testing.T) {
	for _, h := range []*big.Rat{big.NewRat(1, 50), big.NewRat(1, 3), big.NewRat(1, 1000)} {
		t.Run(h.String(), func(t *testing.T) {
			b := reach(t, fmi.StepComplete)
			size, _ := h.Float64()
			end := timebase.Time(0)
			for k := range int64(manySteps) {
				if status := b.DoStep(float64(k)*size, size); status != fmi.OK {
					require.Equal(t, fmi.OK, status, "step %d: %v", k, b.log.Lines)
				}
				exact := nanoseconds(new(big.Rat).Mul(h, big.NewRat(k+1, 1)))
				if want := (timebase.Span{Start: end, End: exact}); b.model.Last != want {
					require.Equal(t, want, b.model.Last, "step %d", k)
				}
				end = exact
			}
		})
	}
}

// A host that accumulates its time drifts, and its slave must drift with it: every span ends at the
// sum that the host has computed, rounded to nanoseconds once.
func TestDoStep_AddedUpTimeFollowsTheHost(t *testing.T) {
	for _, h := range []float64{0.02, 1. / 3, 0.001} {
		t.Run(fmt.Sprint(h), func(t *testing.T) {
			b := reach(t, fmi.StepComplete)
			now, end := 0.0, timebase.Time(0)
			for k := range manySteps {
				if status := b.DoStep(now, h); status != fmi.OK {
					require.Equal(t, fmi.OK, status, "step %d: %v", k, b.log.Lines)
				}
				now += h
				sum := nanoseconds(new(big.Rat).SetFloat64(now))
				if want := (timebase.Span{Start: end, End: sum}); b.model.Last != want {
					require.Equal(t, want, b.model.Last, "step %d", k)
				}
				end = sum
			}
		})
	}
}

func TestDoStep_Warning(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	b.stepAnswers(t, fmt.Errorf("lane 3: %w", fmu.AsWarning(errTest)), fmi.Warning)
	require.Equal(t, fmi.StepComplete, b.State())
	oneLine(t, b.log, fmi.Warning, "fmi2DoStep: lane 3: "+errTest.Error())
	b.lastTime(t, 0.02)
	require.Equal(t, fmi.OK, b.DoStep(0.02, 0.02),
		"the simulation continues at the end of the step with the warning")
}

func TestDoStep_Discard(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	require.Equal(t, fmi.OK, b.DoStep(0, 0.25))
	saved, _ := b.GetFMUstate(nil)
	b.model.OnStep = func(timebase.Span) error {
		return fmt.Errorf("%w: %w", fmu.ErrDiscard, errTest)
	}
	b.model.Done = true
	require.Equal(t, fmi.Discard, b.DoStep(0.25, 0.25))
	require.Equal(t, fmi.StepFailed, b.State())
	oneLine(t, b.log, fmi.Discard, "fmi2DoStep", errTest.Error())

	b.lastTime(t, 0.25)
	done, status := b.BooleanStatus(fmu.TerminatedStatus)
	require.Equal(t, fmi.OK, status)
	require.True(t, done)
	b.model.Done = false
	done, _ = b.BooleanStatus(fmu.TerminatedStatus)
	require.False(t, done)

	b.model.OnStep = nil
	require.Equal(t, fmi.OK, b.SetFMUstate(saved))
	require.Equal(t, fmi.OK, b.DoStep(0.25, 0.1), "tried again with another size")
	b.lastTime(t, 0.35)
}

func TestDoStep_ErrorOfTheModel(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	require.Equal(t, fmi.OK, b.DoStep(0, 0.25))
	b.model.OnStep = func(timebase.Span) error { return errTest }
	require.Equal(t, fmi.Error, b.DoStep(0.25, 0.25))
	require.Equal(t, fmi.Erroneous, b.State())
	oneLine(t, b.log, fmi.Error, "fmi2DoStep: "+errTest.Error())
	require.Equal(t, fmi.Error, b.Terminate(), "not allowed after an error")
}

func TestDoStep_InternalErrorOfTheModelIsFatal(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	b.stepAnswers(t, errors.Join(fmu.ErrPanic, errTest), fmi.Fatal)
	require.Equal(t, fmi.Dead, b.State())
	oneLine(t, b.log, fmi.Fatal, errTest.Error())
}

// lastTime checks the value of fmi2LastSuccessfulTime.
func (b *bench) lastTime(t *testing.T, want float64) {
	last, status := b.RealStatus(fmu.LastSuccessfulTime)
	require.Equal(t, fmi.OK, status)
	require.Equal(t, want, last)
}
