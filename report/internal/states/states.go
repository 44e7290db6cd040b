// Package states converts the records of machines to lanes of a page, which show when each state
// was active and what changed it.
package states

import (
	"fmt"
	"slices"

	"gosmp/experiment/scxml"
	"gosmp/report/internal/page"
	"gosmp/timebase"
)

// Lanes returns the states of each machine over time, in the order in which the machines started.
// States that are active at the end last until the end.
func Lanes(records []scxml.Record, end timebase.Time) (lanes []page.Lane) {
	open := map[[2]string]int{} // maps an active state to its bar and lane
	at := map[string]int{}
	for _, r := range records {
		if _, known := at[r.Machine]; !known && r.Machine != "" {
			at[r.Machine] = len(lanes)
			lanes = append(lanes, page.Lane{Name: r.Machine, Bars: []page.Bar{}})
		}
		lane := &lanes[at[r.Machine]]
		switch r.Kind {
		case scxml.Entered:
			open[[2]string{r.Machine, r.State}] = len(lane.Bars)
			lane.Bars = append(lane.Bars, page.Bar{From: r.Time.Seconds(),
				To: max(r.Time, end).Seconds(), Text: r.State, Kind: kind(r.State),
				Order: len(lane.Bars)})
		case scxml.Left:
			if n, is := open[[2]string{r.Machine, r.State}]; is {
				lane.Bars[n].To = r.Time.Seconds()
				delete(open, [2]string{r.Machine, r.State})
			}
		}
	}
	return slices.DeleteFunc(lanes, func(l page.Lane) bool { return len(l.Bars) == 0 })
}

// kind marks a final state in which a machine judged the run as failed.
func kind(state string) string {
	if state == "failure" {
		return "bad"
	}
	return ""
}

// Change is a transition that a machine took.
type Change struct {
	At      float64 // s
	Machine string
	What    string // "braking → stopped by collision"
	Line    int    // of the transition, or 0 if it is unknown
}

// Changes returns the transitions of all machines, ordered by time.
func Changes(records []scxml.Record) (list []Change) {
	event := ""
	for _, r := range records {
		switch r.Kind {
		case scxml.Took:
			event = r.Event
		case scxml.Started:
			event = ""
		case scxml.Followed:
			by := ""
			if event != "" {
				by = " by " + event
			}
			list = append(list, Change{r.Time.Seconds(), r.Machine,
				fmt.Sprintf("%s → %s%s", r.State, r.Text, by), r.Line})
		}
	}
	return list
}

// Event is an event that a machine processed.
type Event struct {
	At            float64 // s
	Machine, Name string
}

// Events returns the first events that machines processed, up to most, and the number of other
// events.
func Events(records []scxml.Record, most int) (list []Event, further int) {
	for _, r := range records {
		switch {
		case r.Kind != scxml.Took:
		case len(list) < most:
			list = append(list, Event{r.Time.Seconds(), r.Machine, r.Event})
		default:
			further++
		}
	}
	return list, further
}
