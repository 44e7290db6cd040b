package series

import (
	"fmt"
	"path"

	"gosmp/internal/similar"
	"gosmp/report/curves"
	"gosmp/run/content"
	"gosmp/run/kind"
	"gosmp/run/usage"
)

// Options select what is drawn.
type Options struct {
	// Paths are fields of messages, such as moving_object[id=7].base.velocity.x, or names or name
	// patterns of columns. For columns, no path selects all of them.
	Paths    []string
	Channels []string // of a trace: topics, their last parts, or types; all by default
	Type     string   // of the messages in an .osi file whose name does not contain it
	Unit     string   // of the time stamps of a recording, as for [Recording]
	From     float64  // s; earlier numbers are omitted
	Until    float64  // s; later numbers are omitted: math.Inf(1) for all
}

// Group is a list of the names that a file has.
type Group struct {
	Title string // the channel of a trace; "" for columns
	Names []string
}

// Panels reads a file and returns a panel for each selected field or column.
func Panels(in *content.File, o Options) ([]*curves.Panel, error) {
	p := &picture{Options: o}
	if err := p.read(in); err != nil {
		return nil, err
	}
	return p.panels()
}

// List returns the names that can be drawn. It returns the names that were found before an error,
// too.
func List(in *content.File, o Options) ([]Group, error) {
	p := &picture{Options: o, list: true}
	err := p.read(in)
	return p.groups, err
}

// picture collects panels, or names.
type picture struct {
	Options
	list   bool // collect names
	groups []Group
	series []*series
}

// series collects the numbers of one panel.
type series struct {
	path   string // what the user chose
	panel  *curves.Panel
	curves map[string]*curves.Curve
	steps  bool
}

func (p *picture) read(in *content.File) error {
	switch kindOf(in, p.Type) {
	case kind.Trace:
		return p.messages(in)
	case kind.Recording:
		c, err := Recording(in, p.Unit)
		if err != nil {
			return err
		}
		return p.columns(c, true)
	}
	c, err := Table(in, "plot")
	if err != nil {
		return err
	}
	return p.columns(c, false)
}

// kindOf returns the kind of a file. If a message type was given, the file is a trace. A table of
// numbers that starts with the column time counts as a table here, even if other packages treat it
// as something else.
func kindOf(in *content.File, messageType string) string {
	if messageType != "" {
		return kind.Trace
	}
	if IsTable(in) {
		return ""
	}
	return in.Kind()
}

// panels returns the panels with numbers. A path needs numbers in one channel only, such as that of
// one of several sensors.
func (p *picture) panels() (list []*curves.Panel, err error) {
	found := map[string]bool{}
	for _, s := range p.series {
		found[s.path] = found[s.path] || !s.panel.Empty()
	}
	for _, s := range p.series {
		switch {
		case !s.panel.Empty():
			list = append(list, s.panel)
		case !found[s.path]:
			return nil, usage.Unexpected("path", s.panel.Title+", which has no number in that time",
				"something to draw; --list shows the available names")
		}
	}
	return list, nil
}

// add adds a panel.
func (p *picture) add(title, unit string, steps bool) *series {
	s := &series{path: title, panel: &curves.Panel{Title: title, Unit: unit},
		curves: map[string]*curves.Curve{}, steps: steps}
	p.series = append(p.series, s)
	return s
}

// take adds a number to the curve of a label, unless it is outside the plotted time range.
func (p *picture) take(s *series, label string, t, number float64) {
	if t < p.From || t > p.Until {
		return
	}
	c := s.curves[label]
	if c == nil {
		c = s.panel.Curve(label, s.steps)
		s.curves[label] = c
	}
	c.Add(t, number)
}

// columns collects numbers over time. With onlySeen, it creates no panels for names without
// numbers.
func (p *picture) columns(c *Columns, onlySeen bool) error {
	defer c.Close()
	if p.list {
		p.groups = []Group{{Names: c.Names}}
		return nil
	}
	wanted, err := chosen(p.Paths, c.Names)
	if err != nil {
		return err
	}
	of := make([]*series, len(c.Names))
	for k, name := range c.Names {
		if wanted[k] {
			of[k] = p.add(name, c.Units[k], c.Steps)
		}
	}
	seen := make([]bool, len(of))
	err = c.Each(func(k int, t, x float64) {
		if of[k] != nil {
			seen[k] = true
			p.take(of[k], "", t, x)
		}
	})
	if !onlySeen {
		return err
	}
	p.series = p.series[:0]
	for k, s := range of {
		if seen[k] {
			p.series = append(p.series, s)
		}
	}
	return err
}

// chosen reports for each name whether a path selects it. It returns an error if a path matches no
// name.
func chosen(paths, names []string) ([]bool, error) {
	wanted := make([]bool, len(names))
	for _, pattern := range paths {
		found := false
		for k, name := range names {
			matches, err := path.Match(pattern, name)
			if matches = matches && err == nil || pattern == name; matches {
				wanted[k], found = true, true
			}
		}
		if !found {
			return nil, unknown(pattern, names)
		}
	}
	if len(paths) == 0 {
		for k := range wanted {
			wanted[k] = true
		}
	}
	return wanted, nil
}

// unknown returns the error for a path that matches no name.
func unknown(pattern string, names []string) error {
	expected := "a name or a pattern of names; --list shows them"
	if hint := similar.Hint(pattern, names); hint != "" {
		expected += "; " + hint
	}
	return usage.Unexpected("path", fmt.Sprintf("%q, which is not in the file", pattern), expected)
}
