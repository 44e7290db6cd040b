package trial

import (
	"gosmp/experiment/scxml"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// Course is the recording of a trial so far, for a report. It shares memory with the trial.
type Course struct {
	Verdict  *Verdict
	Text     string // of the description
	End      timebase.Time
	Records  []scxml.Record
	Curves   []*Curve
	Scenes   []Scene        // taken when machines changed their states
	Film     []Scene        // taken at regular intervals; nil without Options.Film
	Roads    *opendrive.Map // nil without a world
	Vehicles []string       // of the description, in its order
}

// Course returns everything recorded so far.
func (t *Trial) Course() Course {
	c := Course{Verdict: t.Verdict(), Text: t.description.Text, End: t.Now(), Records: t.records,
		Curves: t.curves, Scenes: t.scenes, Film: t.film.Scenes}
	if t.world != nil {
		c.Roads, c.Vehicles = t.roads, t.world.vehicles
	}
	return c
}
