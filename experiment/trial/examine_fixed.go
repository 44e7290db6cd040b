package trial

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/experiment/scxml"
)

// fixed is the value of a variable that a chart never changes.
type fixed struct {
	text    string
	number  bool
	useless string // why no comparison with the value holds; empty if one may
}

// fixedData returns the variables of a machine's chart that have their initial value forever. Those
// of charts that machines invoke may be given a value, so they are left out.
func (e *chartExaminer) fixedData(c *scxml.Chart) map[string]fixed {
	k := slices.IndexFunc(e.t.charts, func(m chart) bool { return m.chart == c })
	if k < 0 || c.Late || e.analyzer == nil {
		return nil
	}
	all := map[string]fixed{}
	for _, d := range c.Root().Data {
		if v, known := valueOf(d); known {
			all[strings.TrimSpace(d.ID)] = v
		}
	}
	for _, given := range e.t.charts[k].data {
		delete(all, given.id)
	}
	for _, name := range e.changed(c) {
		if name == "" { // any of them
			return nil
		}
		delete(all, name)
	}
	return all
}

// valueOf returns the initial value of a variable, if it is a number or a text, or no value.
func valueOf(d *scxml.Data) (v fixed, known bool) {
	if d.Value == nil {
		return fixed{useless: "has no value"}, true
	}
	if d.Value.Src != "" {
		return v, false
	}
	var x any
	if expr := d.Value.Expr; expr == nil {
		known = d.Value.Value.Decode(&x) == nil
	} else {
		twice := &scxml.Expression{Text: fmt.Sprintf("(%s) !== (%[1]s)", expr.Text)}
		if unequal, ok := evaluated(twice); ok && unequal == true {
			if x, known = evaluated(expr); known && x == nil { // no object is null
				return fixed{useless: "is not a number"}, true
			}
		}
		x, known = evaluated(expr)
	}
	switch x := x.(type) {
	case string:
		return fixed{text: x}, known
	case float64:
		return fixed{text: strconv.FormatFloat(x, 'g', -1, 64), number: true}, known
	}
	return v, false
}

// changed lists the variables that a chart may change; an empty name stands for any.
func (e *chartExaminer) changed(c *scxml.Chart) (names []string) {
	facts := func(x *scxml.Expression) (f scxml.Facts) {
		if x != nil && x.Err == nil && x.Code != nil {
			f = e.analyzer.Facts(x.Code)
		}
		return f
	}
	add := func(location *scxml.Expression) {
		if location != nil {
			name, _, _ := strings.Cut(facts(location).Path, ".")
			name, _, _ = strings.Cut(name, "[")
			names = append(names, name)
		}
	}
	c.Expressions(func(x *scxml.Expression) {
		f := facts(x)
		if f.Dynamic {
			names = append(names, "")
		}
		if f.Changes || x.Role == scxml.Statements {
			names = slices.Concat(names, f.Uses, f.Declares)
		}
	})
	c.Contents(func(_ *scxml.State, b scxml.Block) {
		b.Actions(func(a scxml.Action) {
			switch a := a.(type) {
			case *scxml.Assign:
				add(a.Location)
			case *scxml.ForEach:
				add(a.Item)
				add(a.Index)
			case *scxml.Send:
				add(a.IDLocation)
			}
		})
	})
	for _, q := range c.States {
		for _, i := range q.Invokes {
			add(i.IDLocation)
		}
	}
	return names
}

// comparedVariable examines the comparison of a part of event data with a variable that always has
// the same value.
func (e *chartExaminer) comparedVariable(names []string, c scxml.Comparison, at scxml.Position) {
	v, known := e.fixed[c.Variable]
	switch {
	case !known:
	case v.useless == "":
		c.Text, c.Number = v.text, v.number
		e.compared(names, c, at)
	default:
		e.differs(c, at, fmt.Sprintf("_event.%s is compared with %s, which %s", c.Part, c.Variable,
			v.useless), fmt.Sprintf("give the <data> %q a value, or a setting of the run",
			c.Variable))
	}
}
