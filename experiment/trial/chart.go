package trial

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/internal/fault"
)

// chart is a state machine of the description.
type chart struct {
	id        string // session id in the system
	name      string // name in the description
	evaluates bool
	chart     *scxml.Chart
	awaited   map[wanted]bool // cached answers
	data      []given         // values from settings
}

// readCharts reads the machines in document order, control first. Names that are in both lists are
// prefixed in the second.
func (t *Trial) readCharts() error {
	taken := map[string]bool{}
	for i, list := range [][]experiment.Machine{t.description.Control, t.description.Evaluation} {
		for _, m := range list {
			if m.Kind != experiment.SCXML {
				continue
			}
			c, err := t.readChart(m)
			if err != nil {
				return err
			}
			id := m.ID
			if taken[id] {
				id = "evaluation:" + id
			}
			taken[id] = true
			t.charts = append(t.charts, chart{id: id, name: m.ID, evaluates: i == 1, chart: c,
				awaited: map[wanted]bool{}})
		}
	}
	return nil
}

// config returns the settings for reading a chart. The files that it names are inputs, as far as
// they are known before the run.
func (t *Trial) config(chart string) scxml.Config {
	c := experiment.Config(t.options.Files, chart)
	load := c.Load
	c.Load = func(src string) ([]byte, error) {
		text, err := load(src)
		name := experiment.NextTo(chart, src)
		if err == nil && !t.opened && !slices.ContainsFunc(t.hashes,
			func(x Input) bool { return x.File == name }) {
			t.input(name, text)
		}
		return text, err
	}
	return c
}

func (t *Trial) readChart(m experiment.Machine) (*scxml.Chart, error) {
	if m.Chart != nil {
		t.names = append(t.names, words(m.Chart)...)
		c, list := scxml.InspectElement(t.description.File, m.Chart,
			t.config(""))
		if c == nil {
			return nil, &scxml.InvalidError{Findings: list}
		}
		_ = scxml.InspectInvoked(c) // reads the files
		return c, offered(c)
	}
	if c := t.parsed[m.Src]; c != nil {
		return c, nil
	}
	text, err := t.read(m.Src)
	if err != nil {
		return nil, err
	}
	c, err := scxml.Parse(m.Src, text, t.config(m.Src))
	if err != nil {
		return nil, err
	}
	_ = scxml.InspectInvoked(c)
	t.names, t.parsed[m.Src] = append(t.names, words(c.Element())...), c
	return c, offered(c)
}

// offered refuses a chart that requests a service that the simulator does not have (X33).
func offered(c *scxml.Chart) (err error) {
	c.Contents(func(_ *scxml.State, b scxml.Block) {
		b.Actions(func(a scxml.Action) {
			s, ok := a.(*scxml.Send)
			if !ok || s.External == nil || !s.External.Service || s.Target.Expr != nil ||
				services[s.Target.Value] != "" || err != nil {
				return
			}
			at := scxml.Source(s).At("target")
			err = fault.New(ErrInvalid, fault.Place{File: c.File, Line: at.Line, Column: at.Column},
				fmt.Sprintf("the service %q", s.Target.Value), "spawn, delete or set_pose")
		})
	})
	return err
}

// words lists the parts of a chart's attributes and texts that may be names of variables.
func words(e *scxml.Element) (list []string) {
	split := func(text string) {
		list = append(list, strings.FieldsFunc(text, func(r rune) bool {
			return strings.ContainsRune(" \t\r\n'\"(),;{}<>=+*!&|", r)
		})...)
	}
	for _, a := range e.Attributes {
		split(a.Value)
	}
	split(e.Text())
	for _, c := range e.Elements() {
		list = append(list, words(c)...)
	}
	return list
}
