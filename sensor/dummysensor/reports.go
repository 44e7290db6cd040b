package dummysensor

import (
	"fmt"

	"gosmp/fmu"
	"gosmp/sensor/objects"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
)

// reports keeps the log readable: each kind of trouble with the SensorView input is told once per run.
type reports struct {
	told  uint64 // set of trouble
	odd   objects.Problems
	seen  bool // there has been a SensorView
	muted bool // nothing is told: a state is being restored, and was told of when it was reached first
}

// trouble is a kind of trouble with the SensorView input.
type trouble uint

const (
	troubleExpired trouble = iota
	troubleUndecodable
	troubleContradiction
	troubleDropped
)

// first says whether t is told for the first time.
func (r *reports) first(t trouble) bool {
	if r.told&(1<<t) != 0 {
		return false
	}
	r.told |= 1 << t
	return true
}

// firstProblem does the same for an oddity of a SensorView's content.
func (r *reports) firstProblem(p objects.Problem) bool {
	if r.odd.Has(p) {
		return false
	}
	r.odd = r.odd.With(p)
	return true
}

func (r *reports) appendState(b []byte) []byte {
	b = fmu.AppendUint64(fmu.AppendUint64(b, r.told), uint64(r.odd))
	return append(b, fmu.Flag(r.seen))
}

func (r *reports) restoreState(d *fmu.Decoder) {
	r.told, r.odd, r.seen = d.Uint64(), objects.Problems(d.Uint64()), d.Byte() == 1
}

// diagnose takes what the clock reports. A SensorView that never came is no trouble, one that stays away is, unless the input
// itself has told why.
func (m *model) diagnose(d timebase.Diagnostic) {
	if d.Finding == timebase.InputFailed && m.reports.seen && !m.unusable && m.reports.first(troubleDropped) {
		m.host.Log(fmu.Warning, logOSMP, fmt.Sprintf("OSMPSensorViewIn: no SensorView any more in the step that ends at %v; SensorData "+
			"goes on without it, and later gaps are not told", d.Time))
	}
}

// warn takes what is odd about a scenario file: every malformed row of the first round, and each other oddity once.
func (m *model) warn(p simsensor.Problem) {
	if !m.reports.muted {
		m.host.Log(fmu.Warning, logSimsensor, p.Error())
	}
}
