package fmu

import (
	"fmt"
	"math"

	"gosmp/fmi"
	"gosmp/timebase"
)

// DoStep is fmi2DoStep: it advances from the communication point t by h, both in seconds. It has no
// argument for noSetFMUStatePriorToCurrentPoint, because common importers always pass true and
// restore earlier states all the same.
func (i *Instance) DoStep(t, h float64) fmi.Status {
	err := i.allowed(DoStep)
	if err == nil {
		err = i.step(t, h)
	}
	i.values.releaseMemory()
	if err == nil { // the hot path
		return fmi.OK
	}
	status := i.done(DoStep, err)
	// FMI 3.0 has no such state: after a discarded step, the instance keeps its time and state.
	if status == fmi.Discard && i.version < fmi.FMI3 {
		i.state = fmi.StepFailed
	}
	return status
}

func (i *Instance) step(t, h float64) error {
	span, err := i.span(t, h)
	if err != nil {
		return err
	}
	end := t + h
	if span, i.early = i.cut(span); i.early {
		end = span.End.Seconds()
	}
	i.stepSize = sizeOf(span, h)
	err = i.model.Step(span)
	if Usable(err) {
		i.now = span.End
		i.reach(end)
	}
	return err
}

// sizeOf returns the length of a span in seconds: h, unless the span ends early or the host's clock
// is coarse.
func sizeOf(s timebase.Span, h float64) float64 {
	if length := float64(s.End - s.Start); math.Abs(float64(h*1e9)-length) > 1 {
		return length / 1e9
	}
	return h
}

// span turns the communication point and the step size into the span to compute. The instance keeps
// its own integer time; the host's floating-point communication point only needs to denote the same
// instant, as precisely as its clock can.
func (i *Instance) span(t, h float64) (timebase.Span, error) {
	if !(h > 0) { // also false for NaN
		return timebase.Span{}, wrongArgument("communicationStepSize", h, "finite seconds above 0")
	}
	point, err := timebase.FromSeconds(t)
	if err != nil {
		return timebase.Span{}, wrongArgument("currentCommunicationPoint", t, "finite seconds")
	}
	end, err := timebase.FromSeconds(t + h)
	if err != nil {
		return timebase.Span{}, wrongArgument("communicationStepSize", h,
			"a step that ends within ±292 years")
	}
	if point == i.now && end > point && (!i.stopDefined || end <= i.stop) { // most steps
		return timebase.Span{Start: point, End: end}, nil
	}
	return i.tolerated(t, h, point, end)
}

// tolerated is span for a step that begins at another point, or ends after the stop time.
func (i *Instance) tolerated(t, h float64, point, end timebase.Time) (timebase.Span, error) {
	off := math.Abs(later(point, i.now))
	if off > 0 && off > coarse(t, h) {
		return timebase.Span{}, wrongArgument("currentCommunicationPoint", point,
			fmt.Sprintf("%v, where the last step ended", i.now))
	}
	if off > 0 && off > tolerance(t, h) {
		i.noteClock("currentCommunicationPoint", point, i.now, "where the last step ended")
	}
	if end <= i.now {
		return timebase.Span{}, wrongArgument("communicationStepSize", h,
			"a step of at least a nanosecond")
	}
	over := later(end, i.stop)
	if i.stopDefined && over > 0 && over > coarse(t, h) {
		return timebase.Span{}, wrongArgument("end of the step", end,
			fmt.Sprintf("at most the stop time %v", i.stop))
	}
	if i.stopDefined && over > 0 && over > tolerance(t, h) {
		i.noteClock("the end of the step", end, i.stop, "the stop time")
	}
	return timebase.Span{Start: i.now, End: end}, nil
}

// tolerance returns the number of nanoseconds by which two float64 computations of the same instant
// may differ: one for rounding on either side, plus the last bits of the host's sum.
func tolerance(t, h float64) float64 {
	x := math.Abs(t) + h
	ulp := math.Nextafter(x, math.Inf(1)) - x
	return 1 + math.Floor(4*ulp*1e9)
}

// coarse returns the number of nanoseconds by which a host may be off if its times are float32 or
// rounded to microseconds: t, h and their sum by half a unit each. It is at most a quarter of a
// step, so that no step is accepted twice or skipped.
func coarse(t, h float64) float64 {
	off := 2000.0
	if single := float32(t); float64(single) == t {
		most := float32(math.Abs(t) + h)
		ulp := float64(math.Nextafter32(most, float32(math.Inf(1))) - most)
		off = max(off, 2*ulp*1e9)
	}
	return max(tolerance(t, h), min(off, h*1e9/4))
}

// noteClock reports once that the host's times come from a coarse clock, and how they are
// interpreted.
func (i *Instance) noteClock(what string, found, taken timebase.Time, meaning string) {
	if i.clockNoted {
		return
	}
	i.clockNoted = true
	i.log.write(fmi.Warning, fmi.Warning.Category(), fmt.Sprintf("%s: %s is %v, taken as %v, %s: "+
		"the host's clock seems to be rounded to microseconds or to float32; reported once",
		DoStep.Name(i.version), what, found, taken, meaning), true)
}

// later returns by how many nanoseconds a comes after b. The difference of two extreme times would
// overflow an integer.
func later(a, b timebase.Time) float64 {
	if d := a - b; d < 0 == (a < b) {
		return float64(d)
	}
	return float64(a) - float64(b)
}

// CancelStep is fmi2CancelStep. It is never legal here, because no step is ever in progress.
func (i *Instance) CancelStep() fmi.Status {
	return i.run(CancelStep, func() error { return nil })
}

// StatusKind is fmi2StatusKind, with the numbers of the standard.
type StatusKind int32

// The kinds of status that a host can query.
const (
	DoStepStatus StatusKind = iota
	PendingStatus
	LastSuccessfulTime
	TerminatedStatus
)

// AskStatus is fmi2GetStatus, fmi2GetIntegerStatus and fmi2GetStringStatus. They query a step in
// progress, which a synchronous slave never has, so the result is fmi2Discard.
func (i *Instance) AskStatus(f Function, kind StatusKind) fmi.Status {
	return i.run(f, func() error { return unanswered(kind) })
}

func unanswered(kind StatusKind) error {
	if kind < DoStepStatus || kind > TerminatedStatus {
		return wrongArgument("status kind", int32(kind), "0 to 3")
	}
	return fmt.Errorf("%w: status kind %d is not available: this FMU steps synchronously",
		ErrDiscard, kind)
}

// RealStatus is fmi2GetRealStatus: the end of the last step that was computed, in seconds.
func (i *Instance) RealStatus(kind StatusKind) (value float64, status fmi.Status) {
	status = i.run(GetRealStatus, func() error {
		if kind != LastSuccessfulTime {
			return unanswered(kind)
		}
		value = i.reached
		return nil
	})
	return value, status
}

// BooleanStatus is fmi2GetBooleanStatus: whether the model has nothing more to compute.
func (i *Instance) BooleanStatus(kind StatusKind) (value bool, status fmi.Status) {
	status = i.run(GetBooleanStatus, func() error {
		if kind != TerminatedStatus {
			return unanswered(kind)
		}
		t, ok := i.model.(Terminator)
		value = ok && t.Terminated()
		return nil
	})
	return value, status
}

// DirectionalDerivative is fmi2GetDirectionalDerivative. The model description declares that it is
// not supported.
func (i *Instance) DirectionalDerivative() fmi.Status {
	return i.run(GetDirectionalDerivative, func() error {
		return fmt.Errorf("%w: providesDirectionalDerivative is false", ErrUnsupported)
	})
}

// SetRealInputDerivatives is fmi2SetRealInputDerivatives. The model description declares that
// inputs are not interpolated.
func (i *Instance) SetRealInputDerivatives() fmi.Status {
	return i.run(SetRealInputDerivatives, func() error {
		return fmt.Errorf("%w: canInterpolateInputs is false", ErrUnsupported)
	})
}

// RealOutputDerivatives is fmi2GetRealOutputDerivatives. maxOutputDerivativeOrder is 0, and the
// standard requires the value 0 for every higher order; orders count from 1.
func (i *Instance) RealOutputDerivatives(refs []fmi.ValueReference, orders []int32,
	values []float64) fmi.Status {
	return i.run(GetRealOutputDerivatives, func() error {
		for k, ref := range refs {
			v, err := find(i.referenced(fmi.Real), fmi.Real, ref)
			switch {
			case err != nil:
				return err
			case v.Causality != fmi.Output:
				return wrongArgument("variable", v.Name, "an output")
			case orders[k] < 1:
				return wrongArgument("order", orders[k], "at least 1")
			}
			values[k] = 0
		}
		return nil
	})
}
