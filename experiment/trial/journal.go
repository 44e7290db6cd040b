package trial

import (
	"fmt"
	"strings"

	"gosmp/experiment/scxml"
)

// isFrequent reports whether an event occurs in nearly every step, or with every change in a
// storyboard. A machine receives such events only if it has a transition for them.
func isFrequent(event string) bool {
	return strings.HasPrefix(event, dataEvent) || strings.HasPrefix(event, scenarioEvent)
}

// observe keeps and logs a record. Events that occur in nearly every step, and events of a
// scenario, are left out unless they have an effect.
func (t *Trial) observe(r scxml.Record) {
	t.errorLog().see(r)
	t.observeUndefined(r)
	if r.Kind == scxml.Took && (r.Event == stepEvent || isFrequent(r.Event)) {
		if r.Event == stepEvent {
			r.Text = ""
		}
		t.quiet = r
		return
	}
	if t.quiet.Machine == r.Machine && t.quiet.Time == r.Time && r.Kind != scxml.Took &&
		r.Kind != scxml.Sent {
		t.keep(t.quiet)
	}
	t.quiet = scxml.Record{}
	t.keep(r)
}

// Bounds on the data that a run keeps for its report. With a bridge, clients may send without
// limit.
const (
	longestText  = 4 << 10
	mostRecords  = 200_000 // with a bridge
	mostOfCharts = 2_000_000
)

func (t *Trial) keep(r scxml.Record) {
	most := mostOfCharts
	if t.options.Bridge != nil {
		most = mostRecords
	}
	if len(t.records) >= most {
		t.log(fmt.Sprintf("the report will lack the oldest %d records of those before %v s", most/4,
			r.Time.Seconds()))
	}
	t.records = scxml.Keep(t.records, r, most, longestText)
	r = t.records[len(t.records)-1]
	if r.Kind == scxml.Entered {
		t.moved = true
	}
	if t.options.Log != nil { // formatting takes longer than the reported action
		t.options.Log(r.String())
	}
}

func (t *Trial) log(line string) {
	if t.options.Log != nil {
		t.options.Log(line)
	}
}
