package trial

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/timebase"
)

// TestErrors_LeftAlone: an error is part of the verdict if it was taken by no transition, because
// the machine had none or had ended. Equal errors are counted together, with the time of the first.
func TestErrors_LeftAlone(t *testing.T) {
	at := func(k scxml.RecordKind, event, text string, seconds int) scxml.Record {
		return scxml.Record{Kind: k, Machine: "m", Event: event, Text: text,
			Time: timebase.Time(seconds) * timebase.Second}
	}
	const fault, a, b = "error.execution", `{"line":3,"reason":"a"}`, `{"line":4,"reason":"a"}`
	raised := func(text string) scxml.Record { return at(scxml.Raised, fault, text, 1) }
	took := func(text string) scxml.Record { return at(scxml.Took, fault, text, 1) }
	followed, ended := at(scxml.Followed, "", "", 1), at(scxml.Ended, "", "", 2)
	line := func(n int) string {
		return fmt.Sprintf(
			"m: error.execution in m.scxml:%d at 1 s, for which it has no transition: a", n)
	}
	for name, c := range map[string]struct {
		records []scxml.Record
		want    []string
	}{
		"taken":               {[]scxml.Record{raised(a), took(a), followed}, nil},
		"taken, then the end": {[]scxml.Record{raised(a), took(a), followed, ended}, nil},
		"no transition":       {[]scxml.Record{raised(a), took(a)}, []string{line(3)}},
		"another event after": {[]scxml.Record{raised(a), took(a), at(scxml.Took, "x", "", 2),
			followed}, []string{line(3)}},
		"no transition, ended": {[]scxml.Record{raised(a), took(a), ended}, []string{line(3)}},
		"ended before":         {[]scxml.Record{raised(a), ended}, []string{line(3)}},
		"broken before": {[]scxml.Record{raised(a), at(scxml.Broken, "", "", 2)},
			[]string{line(3)}},
		"second one pending": {[]scxml.Record{raised(a), raised(b), took(a), followed, ended},
			[]string{line(4)}},
		"twice": {[]scxml.Record{raised(a), took(a), at(scxml.Raised, fault, a, 5),
			at(scxml.Took, fault, a, 5)}, []string{line(3) + " (2 times)"}},
		"other line": {[]scxml.Record{raised(a), took(a), raised(b), took(b)},
			[]string{line(3), line(4)}},
		"another event": {[]scxml.Record{at(scxml.Raised, "lost", a, 1),
			at(scxml.Took, "lost", a, 1), ended}, nil},
		"of a text": {[]scxml.Record{took(`"why"`)},
			[]string{"m: error.execution in m.scxml at 1 s, for which it has no transition: why"}},
		"without a reason": {[]scxml.Record{took(`{"line":3}`)},
			[]string{
				`m: error.execution in m.scxml at 1 s, for which it has no transition: {"line":3}`}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newErrorLog(func(machine string) string { return machine + ".scxml" })
			for _, r := range c.records {
				l.see(r)
			}
			l.rest()
			l.rest() // counts nothing twice
			var lines []string
			for _, e := range l.List {
				lines = append(lines, e.String())
			}
			require.Equal(t, c.want, lines)
			require.Zero(t, l.More)
		})
	}
}

// TestErrors_AreBounded: a machine that fails in a different way at each step does not fill the
// memory, and the verdict states the number of errors.
func TestErrors_AreBounded(t *testing.T) {
	l := newErrorLog(func(string) string { return "" })
	for k := range mostErrors + 7 {
		l.see(scxml.Record{Kind: scxml.Took, Machine: "m", Event: "error.execution",
			Text: fmt.Sprintf("%q", fmt.Sprint("reason ", k))})
		l.rest()
	}
	require.Len(t, l.List, mostErrors)
	require.Equal(t, 7, l.More)
	v := Verdict{Errors: l.List, MoreErrors: l.More}
	notes := v.Notes()
	require.Equal(t, "97 more errors, which --json lists", notes[len(notes)-1])
}
