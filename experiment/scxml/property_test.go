package scxml_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/experiment/scxml"
)

// randomChart generates charts with all kinds of states and transitions in the null data model, so
// that nothing can fail.
type randomChart struct {
	t      *rapid.T
	b      strings.Builder
	ids    []string // of states, in document order
	next   int
	events []string // that transitions wait for
}

func (r *randomChart) id() string {
	r.next++
	return fmt.Sprintf("s%d", r.next)
}

// state writes a state and returns its id. Targets replace %T later.
func (r *randomChart) state(depth int, inParallel bool) string {
	id := r.id()
	r.ids = append(r.ids, id)
	kind := "state"
	if n := rapid.IntRange(0, 9).Draw(r.t, "kind"); n == 9 && !inParallel {
		kind = "final"
	} else if n >= 6 && depth > 0 {
		kind = "parallel"
	}
	fmt.Fprintf(&r.b, `<%s id="%s">`, kind, id)
	if kind != "final" {
		r.inside(kind, id, depth)
	}
	fmt.Fprintf(&r.b, "</%s>\n", kind)
	return id
}

func (r *randomChart) inside(kind, id string, depth int) {
	for range rapid.IntRange(0, 3).Draw(r.t, "transitions") {
		event := rapid.SampledFrom(r.events).Draw(r.t, "event")
		how := rapid.SampledFrom([]string{"", "", ` type="internal"`}).Draw(r.t, "type")
		target := rapid.SampledFrom([]string{` target="%T"`, ` target="%T"`, ""}).Draw(r.t,
			"target")
		fmt.Fprintf(&r.b, `<transition event="%s"%s%s/>`, event, how, target)
	}
	if depth == 0 {
		return
	}
	children := rapid.IntRange(0, 3).Draw(r.t, "children")
	if kind == "parallel" {
		children++
	}
	if children > 0 && rapid.Bool().Draw(r.t, "history") {
		deep := rapid.SampledFrom([]string{"shallow", "deep"}).Draw(r.t, "deep")
		h := r.id()
		r.ids = append(r.ids, h)
		// The default is filled in when the first child is known.
		fmt.Fprintf(&r.b, `<history id="%s" type="%s"><transition target="%%FIRST-%s"/></history>`,
			h, deep, id)
	}
	for i := range children {
		child := r.state(depth-1, kind == "parallel")
		if i == 0 {
			text := strings.ReplaceAll(r.b.String(), "%FIRST-"+id+`"`, child+`"`)
			r.b.Reset()
			r.b.WriteString(text)
		}
	}
}

func drawChart(t *rapid.T) string {
	r := &randomChart{t: t, events: []string{"a", "b", "c", "done.state", "*"}}
	for range rapid.IntRange(1, 3).Draw(t, "top") {
		r.state(3, false)
	}
	text := r.b.String()
	for strings.Contains(text, "%T") {
		text = strings.Replace(text, "%T", rapid.SampledFrom(r.ids).Draw(t, "to"), 1)
	}
	return `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="null">` + text +
		`</scxml>`
}

// legal checks a configuration against section 3.11.
func legal(c *scxml.Chart, active []*scxml.State) error {
	in := func(q *scxml.State) bool { return slices.Contains(active, q) }
	children := func(q *scxml.State) (n int) {
		for _, child := range q.Children {
			if in(child) {
				n++
			}
		}
		return n
	}
	if n := children(c.Root()); n != 1 {
		return fmt.Errorf("%d top-level states are active", n)
	}
	for _, q := range active {
		if q.Kind == scxml.History {
			return fmt.Errorf("history %s is active", q)
		}
		if q.Parent.Kind != scxml.Root && !in(q.Parent) {
			return fmt.Errorf("%s is active without %s", q, q.Parent)
		}
		want := map[scxml.Kind]int{scxml.Compound: 1, scxml.Parallel: len(q.Children)}[q.Kind]
		if n := children(q); n != want {
			return fmt.Errorf("%s %s has %d active children, expected %d", q.Kind, q, n, want)
		}
	}
	return nil
}

// observed checks each record against the previous records.
type observed struct {
	t      *rapid.T
	chart  *scxml.Chart
	active []string
	run    []scxml.Record // the current run of exits or entries
}

func (o *observed) place(id string) int {
	return slices.IndexFunc(o.chart.States, func(q *scxml.State) bool { return q.ID == id })
}

func (o *observed) record(r scxml.Record) {
	if len(o.run) > 0 && (o.run[len(o.run)-1].Kind != r.Kind || r.Kind != scxml.Entered &&
		r.Kind != scxml.Left) {
		o.run = nil
	}
	switch r.Kind {
	case scxml.Entered:
		require.NotContains(o.t, o.active, r.State, "entered twice")
		o.active = append(o.active, r.State)
	case scxml.Left:
		k := slices.Index(o.active, r.State)
		require.GreaterOrEqual(o.t, k, 0, "left without having been entered")
		o.active = slices.Delete(o.active, k, k+1)
	default:
		return
	}
	if n := len(o.run); n > 0 {
		before, now := o.place(o.run[n-1].State), o.place(r.State)
		if r.Kind == scxml.Entered {
			require.Less(o.t, before, now, "entry order is document order")
		} else {
			require.Greater(o.t, before, now, "exit order is its reverse")
		}
	}
	o.run = append(o.run, r)
}

func TestProperty_ConfigurationsStayLegalAndOrdersMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawChart(t)
		c, err := scxml.Parse("random.scxml", []byte(text), scxml.Config{})
		if err != nil {
			t.Skip(err)
		}
		o := &observed{t: t, chart: c}
		s := scxml.NewSystem(scxml.Options{Observe: o.record, Limits: scxml.Limits{Microsteps: 50}})
		m, err := s.Add("m", c)
		require.NoError(t, err)
		err = m.Start()
		for _, event := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0,
			30).Draw(t, "events") {
			if err != nil || !m.Running() {
				break // random charts may raise done events in circles
			}
			require.NoError(t, legal(c, m.Active()), text)
			o.run = nil
			err = m.Handle(scxml.Event{Name: event})
		}
		if err != nil {
			require.ErrorIs(t, err, scxml.ErrBounds)
		}
		if !m.Running() {
			require.Empty(t, o.active, "all was left at the end")
		}
	})
}

// TestProperty_HistoryBringsBackWhatWasLeft leaves a state in a random configuration and returns to
// it through its histories.
func TestProperty_HistoryBringsBackWhatWasLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inner := &randomChart{t: t, events: []string{"a", "b", "c"}}
		inner.next = 100
		for range rapid.IntRange(1, 3).Draw(t, "inner") {
			inner.state(2, true)
		}
		text := inner.b.String()
		for strings.Contains(text, "%T") {
			text = strings.Replace(text, "%T", rapid.SampledFrom(inner.ids).Draw(t, "to"), 1)
		}
		kind := rapid.SampledFrom([]string{"state", "parallel"}).Draw(t, "outer")
		c, err := scxml.Parse("random.scxml",
			[]byte(
				`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="null" initial="outer">
<state id="away"><transition event="deep" target="D"/><transition event="shallow" target="S"/></state>
<`+kind+
					` id="outer"><history id="D" type="deep"><transition target="s101"/></history><history id="S"><transition target="s101"/></history>
<transition event="leave" target="away"/>`+text+`</`+kind+`></scxml>`), scxml.Config{})
		if err != nil {
			t.Skip(err)
		}
		s := scxml.NewSystem(scxml.Options{Limits: scxml.Limits{Microsteps: 50}})
		m, err := s.Add("m", c)
		require.NoError(t, err)
		if m.Start() != nil {
			t.Skip("the chart runs in circles")
		}
		for _, event := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0,
			10).Draw(t, "events") {
			if m.Handle(scxml.Event{Name: event}) != nil {
				t.Skip("the chart runs in circles")
			}
		}
		outer := c.State("outer")
		before := m.Active()
		if !slices.Contains(before, outer) {
			t.Skip("outer was left")
		}
		if m.Handle(scxml.Event{Name: "leave"}) != nil || !m.In("away") {
			t.Skip("leave was taken inside, or the chart runs in circles")
		}
		way := rapid.SampledFrom([]string{"deep", "shallow"}).Draw(t, "way")
		if m.Handle(scxml.Event{Name: way}) != nil {
			t.Skip("the chart runs in circles")
		}
		after := m.Active()
		if m.Running() && m.In("outer") && way == "deep" {
			require.Equal(t, before, after)
		} else if m.In("outer") {
			require.Equal(t, childrenOf(outer, before), childrenOf(outer, after))
		}
	})
}

func childrenOf(q *scxml.State, active []*scxml.State) (ids []string) {
	for _, a := range active {
		if a.Parent == q {
			ids = append(ids, a.ID)
		}
	}
	return ids
}
