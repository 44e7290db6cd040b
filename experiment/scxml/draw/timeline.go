package draw

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/plaintext"
	"gosmp/timebase"
)

// span is a time during which a state was active.
type span struct {
	from, to timebase.Time
	open     bool
}

// row is the line of one state in a timeline.
type row struct {
	machine, state string
	spans          []span
}

// mark is an event on the timeline.
type mark struct {
	at   timebase.Time
	name string
}

type timeline struct {
	rows       []*row
	byState    map[[2]string]*row // by machine and state
	firsts     map[string]int     // the index of each machine's first row
	marks      []mark
	begin, end timebase.Time
}

// longestLabel is the width, in pixels, of the longest text that short returns.
const longestLabel = 290

// Timeline draws when each state was active and which events were taken, from the records of a run
// in order. Each machine has a group of lines, one for each state, in the order in which the states
// were first entered.
func Timeline(w io.Writer, records []scxml.Record) error {
	t := newTimeline(records)
	const left, right, top, height = 300, 980, 40, 22
	x := func(at timebase.Time) float64 {
		if t.end == t.begin {
			return left
		}
		return left + float64(float64(at-t.begin)/float64(t.end-t.begin)*(right-left))
	}
	bottom := top + height*len(t.rows)
	out := bufio.NewWriter(plaintext.Writer(w))
	fmt.Fprintf(out,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">`+
			"\n%s", right+60, bottom+40, right+60, bottom+40, style)
	for _, at := range Ticks(t.begin, t.end) {
		fmt.Fprintf(out, `<path class="axis" d="M%.1f,%d V%d"/>`+"\n", x(at), top, bottom)
		writeText(out, "", int(x(at))-15, bottom+20, seconds(at))
	}
	for i, r := range t.rows {
		y := top + height*i
		writeText(out, "", 8, y+15, short(r.machine+" "+r.state))
		for _, s := range r.spans {
			fmt.Fprintf(out,
				`<rect class="bar" x="%.1f" y="%d" width="%.1f" height="%d">`+
					`<title>%s %s to %s s</title></rect>`+"\n",
				x(s.from), y+3, max(1, x(s.to)-x(s.from)), height-6, escape(r.state),
				seconds(s.from), seconds(s.to))
		}
	}
	for i, m := range t.marks {
		fmt.Fprintf(out, `<path class="event" d="M%.1f,%d V%d"><title>%s at %s s</title></path>`+
			"\n", x(m.at), top-6, bottom, escape(m.name), seconds(m.at))
		if i == 0 || x(m.at)-x(t.marks[i-1].at) > 60 {
			class := "name"
			if x(m.at) > right-longestLabel { // would extend beyond the picture
				class = "name before"
			}
			writeText(out, class, int(x(m.at)), top-10, short(m.name))
		}
	}
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

func newTimeline(records []scxml.Record) *timeline {
	t := &timeline{byState: map[[2]string]*row{}, firsts: map[string]int{}}
	if len(records) > 0 {
		t.begin, t.end = records[0].Time, records[len(records)-1].Time
	}
	for _, r := range records {
		switch r.Kind {
		case scxml.Entered:
			at := t.row(r.Machine, r.State)
			at.spans = append(at.spans, span{from: r.Time, to: t.end, open: true})
		case scxml.Left:
			at := t.row(r.Machine, r.State)
			if n := len(at.spans) - 1; n >= 0 && at.spans[n].open {
				at.spans[n].to, at.spans[n].open = r.Time, false
			}
		case scxml.Took:
			t.marks = append(t.marks, mark{r.Time, r.Machine + " " + r.Event})
		}
	}
	slices.SortStableFunc(t.rows, func(a, b *row) int {
		return t.firsts[a.machine] - t.firsts[b.machine]
	})
	return t
}

func (t *timeline) row(machine, state string) *row {
	key := [2]string{machine, state}
	if r := t.byState[key]; r != nil {
		return r
	}
	r := &row{machine: machine, state: state}
	if _, known := t.firsts[machine]; !known {
		t.firsts[machine] = len(t.rows)
	}
	t.byState[key] = r
	t.rows = append(t.rows, r)
	return r
}

func seconds(t timebase.Time) string {
	return strings.TrimSuffix(strings.TrimRight(scxml.Seconds(t), "0"), ".")
}
