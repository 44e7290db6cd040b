package model_test

import (
	"fmt"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/timebase"
)

// satnav is a satellite receiver that has a fix five times a second, whatever the step size is.
type satnav struct {
	model.Stateless
	fix    *model.Output
	sky    int32
	levels []float64
}

const fixPeriod = 200 * timebase.Millisecond

func newSatnav(d *model.Declaration) model.Model {
	s := &satnav{}
	clock := d.Clock("newFix", "ticks with each fix")
	s.fix = d.ClockedOutput(osmp.HostVehicleDataOut, clock)
	model.PlainInput(d, &s.sky, "sky", 0, "view of the sky",
		model.Enumeration("Sky", "open", "street", "tunnel"))
	if d.ForFMI3() { // not supported in FMI 2.0
		channels := model.NewSize(d, "channels", 12, 1, 64, "number of channels")
		model.SizedOutput(d, channels, &s.levels, "levels", "of the signals", model.Unit("1"))
	}
	return s
}

func (s *satnav) Setup(model.Environment) error { return nil }

// NextEvent makes satnav a model with events.
func (s *satnav) NextEvent(t timebase.Time) (timebase.Time, bool) {
	return (t/fixPeriod + 1) * fixPeriod, true
}

func (s *satnav) Step(span timebase.Span) error {
	for k := range s.levels {
		s.levels[k] = 1 / float64(1+s.sky)
	}
	if span.End/fixPeriod == span.Start/fixPeriod {
		return nil // no fix in this step: the clock does not tick
	}
	return s.fix.Publish(append(s.fix.Buffer(), "a fix"...))
}

// A host with Event Mode and early return finds each fix at its time.
func ExampleEventful() {
	d := model.Definition{Identifier: "Satnav", New: newSatnav}
	host := modeltest.Host{Options3: fmu.Options3{EventModeUsed: true, EarlyReturnAllowed: true}}
	rig := host.Instantiate(printer{}, d.FMU().Twin())
	rig.Start()
	i := rig.Instance()
	i.UpdateDiscreteStates()
	i.EnterStepMode()
	for now := 0.0; now < 0.7; {
		step, _ := i.Advance(now, 0.35)
		now = step.LastSuccessfulTime
		if step.EventHandlingNeeded && i.EnterEventMode() == fmi.OK {
			fmt.Printf("%.2f s: %v, %s\n", now, rig.Get("newFix"),
				rig.Read("OSMPHostVehicleDataOut"))
			i.UpdateDiscreteStates()
			i.EnterStepMode()
		}
	}
	// Output:
	// 0.20 s: true, a fix
	// 0.40 s: true, a fix
	// 0.60 s: true, a fix
	// 0.80 s: true, a fix
}
