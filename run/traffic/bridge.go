package traffic

import (
	"errors"
	"fmt"

	"gosmp/bridge"
	"gosmp/bridge/flow"
	"gosmp/run"
	"gosmp/run/usage"
)

// joinBridge opens the bridge of a simulation and checks that it can publish all topics with a
// source. A simulation has one variable, the SensorView of the host vehicle, and no inputs.
func (s *Simulation) joinBridge() error {
	if s.o.Bridge == "" {
		return nil
	}
	f, err := run.OpenBridge(s.o.Bridge, s.o.Access, s.o.Log, s.o.Warn)
	if err != nil {
		return err
	}
	for _, t := range f.Config().Topics {
		name := t.From
		for _, link := range append(t.Sources, t.Sinks...) {
			name = link.Variable
		}
		if t.Message.Name == bridge.TypeClock && t.From != "" || t.From == bridge.FromAuto {
			continue
		}
		if name != "" && name != run.ViewName && name != s.o.Traffic.Host+"."+run.ViewName ||
			t.Sources != nil || t.Sinks != nil {
			return errors.Join(usage.Unexpected("--bridge", fmt.Sprintf("%q for topic %s", name,
				t.Name), fmt.Sprintf("%q: %s, the one variable of a simulation; "+
				"gosmp run has those of FMUs", "from", run.ViewName)), f.Close())
		}
	}
	s.bridge = f
	return nil
}

// publish passes a SensorView to the topics with a source, and handles what the bridge reports.
func (s *Simulation) publish(view []byte) error {
	if s.bridge == nil {
		return nil
	}
	now := s.w.Time()
	s.bridge.Advance(now)
	for _, t := range s.bridge.Config().Topics {
		if t.From == "" {
			continue
		}
		if err := s.bridge.Sense(t, now, "SensorView", view); err != nil && !errors.Is(err,
			flow.ErrData) {
			return err
		}
	}
	if err := s.bridge.Draw(s.o.Traffic.Host, now, "SensorView", view); err != nil {
		return err
	}
	list, err := s.bridge.Arrived()
	for _, e := range list {
		if err := s.o.Event(run.EventLine(e)); err != nil {
			return err
		}
	}
	s.bridge.Handled()
	return err
}

// leaveBridge sends the waiting messages and closes the bridge.
func (s *Simulation) leaveBridge() error {
	if s.bridge == nil {
		return nil
	}
	return s.bridge.Close()
}
