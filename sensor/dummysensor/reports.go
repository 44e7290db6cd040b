package dummysensor

import (
	"gosmp/internal/state"
	"gosmp/osmp"
	"gosmp/sensor/objects"
	"gosmp/sensor/simsensor"
	"gosmp/timebase/activity"
)

// reports keeps the log readable: each kind of problem with the content of the SensorView input is
// logged once per run.
type reports struct {
	odd     objects.Problems
	seen    bool // a SensorView was received
	dropped bool // its absence was logged
}

// first reports whether an oddity of a SensorView's content is logged for the first time.
func (r *reports) first(p objects.Problem) bool {
	if r.odd.Has(p) {
		return false
	}
	r.odd = r.odd.With(p)
	return true
}

func (r *reports) appendState(b []byte) []byte {
	return append(state.AppendUint64(b, uint64(r.odd)), state.Flag(r.seen), state.Flag(r.dropped))
}

func (r *reports) restoreState(d *state.Decoder) {
	r.odd, r.seen, r.dropped = objects.Problems(d.Uint64()), d.Bool(), d.Bool()
}

// diagnose handles the clock's reports. It is not a problem if no SensorView has ever arrived. It
// is one if they stop arriving, unless the input itself logged the reason.
func (s *dummySensor) diagnose(d activity.Diagnostic) {
	if d.Finding == activity.InputFailed && s.reports.seen && !s.reports.dropped &&
		s.view.Presence() == osmp.NoData {
		s.reports.dropped = true
		s.view.Warnf(
			"no SensorView any more in the step that ends at %v; SensorData continues without "+
				"it, and later gaps are not reported", d.Time)
	}
}

// warn handles the oddities of a scenario file: every malformed row of the first round, and each
// other oddity once. Oddities of the unit of time are kept for the status of the initialization.
func (s *dummySensor) warn(p simsensor.Problem) {
	if kind := simsensor.KindOf(p); kind == simsensor.DoubtfulUnit ||
		kind == simsensor.ImplausibleUnit {
		s.unitProblem = &p
		return
	}
	s.simsensor.Warnf("%s", p.Error())
}
