package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/similar"
)

// code examines expressions and scripts (SX26, SX27, SX29, SX30), if the language allows it.
func (c *checker) code() {
	eventless := c.eventlessConditions()
	for _, t := range c.transitions {
		if x := t.Cond; t.Eventless() && x != nil && x.Err != nil {
			c.warn(SX27, x.Position,
				"the condition of an eventless transition fails each time, "+
					"so the macrostep never ends",
				"correct the condition")
		}
	}
	if c.analyzer == nil {
		return
	}
	declared, open := c.declared()
	changing := c.functions(func(f *scxml.Function) bool { return f.Changes })
	random := false
	c.each(func(x *scxml.Expression, f *scxml.Facts) {
		switch {
		case x.Role == scxml.Condition && f.Assigns && c.options.Evaluation:
			c.blind(SX29, x.Position, "the condition assigns a value instead of comparing it",
				"write == instead of =")
		case x.Role == scxml.Condition && (f.Changes || anyOf(f.Calls, changing)):
			c.warn(SX29, x.Position,
				"the condition changes data, and it is evaluated whenever transitions are selected",
				"move the change into the transition's content")
		}
		if f.Random && !c.options.Seeded && !random {
			random = true
			c.warn(SX30, x.Position, "Math.random is reproducible only if the run has a seed",
				"give the run a seed")
		}
		c.fields(x, f)
		if f.LocalDate {
			c.warn(SX30, x.Position, "a date in local time depends on the machine's time zone",
				"use the UTC functions, or a text with a zone")
		}
		if !open {
			c.undeclared(x, f, declared, eventless[x])
		}
		if path := c.known.mayBeUndefined(x, f); eventless[x] && path != "" {
			c.warn(SX27, x.Position,
				fmt.Sprintf("the eventless condition %q fails while %s is undefined", x.Text, path),
				fmt.Sprintf("test it first: %s && …", path))
		}
	})
}

// each visits the expressions that parse, with the facts about them.
func (c *checker) each(visit func(*scxml.Expression, *scxml.Facts)) {
	c.chart.Expressions(func(x *scxml.Expression) {
		if x.Err != nil || x.Code == nil {
			return
		}
		visit(x, c.factsOf(x))
	})
}

// factsOf collects the facts about an expression; there are none if it does not parse.
func (c *checker) factsOf(x *scxml.Expression) *scxml.Facts {
	if x == nil || x.Err != nil || x.Code == nil || c.analyzer == nil {
		return &scxml.Facts{}
	}
	f, ok := c.facts[x]
	if !ok {
		facts := c.analyzer.Facts(x.Code)
		f = &facts
		c.facts[x] = f
	}
	return f
}

func anyOf(names []string, set map[string]bool) bool {
	return slices.ContainsFunc(names, func(name string) bool { return set[name] })
}

// functions returns the functions of the chart that have a property or call a function that has it.
func (c *checker) functions(has func(*scxml.Function) bool) map[string]bool {
	found, callers := map[string]bool{}, map[string][]string{}
	var open []string
	c.each(func(_ *scxml.Expression, f *scxml.Facts) {
		for k := range f.Functions {
			g := &f.Functions[k]
			if has(g) && !found[g.Name] {
				found[g.Name] = true
				open = append(open, g.Name)
			}
			for _, called := range g.Calls {
				callers[called] = append(callers[called], g.Name)
			}
		}
	})
	for len(open) > 0 {
		name := open[len(open)-1]
		open = open[:len(open)-1]
		for _, caller := range callers[name] {
			if !found[caller] {
				found[caller] = true
				open = append(open, caller)
			}
		}
	}
	return found
}

// eventFields are the fields of the system variable _event.
var eventFields = []string{"data", "invokeid", "name", "origin", "origintype", "sendid", "type"}

// fields reports uses of fields that _event never has (SX26).
func (c *checker) fields(x *scxml.Expression, f *scxml.Facts) {
	for _, part := range f.OfEvent {
		name, _, deeper := strings.Cut(part, ".")
		name = strings.TrimSuffix(name, "[]")
		if deeper || name == "" || slices.Contains(eventFields, name) {
			continue
		}
		c.warn(SX26, x.Position, fmt.Sprintf("_event has no field %q, which is therefore undefined",
			name), cmp.Or(similar.Hint(name, eventFields), "write _event.data."+name+
			" for the data of the event"))
	}
}

// undeclared reports undeclared names. In an eventless condition they are worse, because the error
// repeats forever.
func (c *checker) undeclared(x *scxml.Expression, f *scxml.Facts, declared map[string]bool,
	eventless bool) {
	for _, name := range f.Uses {
		if declared[name] {
			continue
		}
		if eventless {
			c.warn(SX27, x.Position,
				fmt.Sprintf(
					"%q is not declared: this eventless condition fails each time, "+
						"so the macrostep never ends", name), "declare it in a <datamodel>")
			continue
		}
		c.warn(SX26, x.Position, fmt.Sprintf("%q is not declared", name),
			"declare it in a <datamodel>, or correct the name")
	}
}

func (c *checker) eventlessConditions() map[*scxml.Expression]bool {
	found := map[*scxml.Expression]bool{}
	for _, t := range c.transitions {
		if t.Eventless() && t.Cond != nil {
			found[t.Cond] = true
		}
	}
	return found
}

// declared lists the variables of the chart. The list is open if code can create more, for example
// by eval.
func (c *checker) declared() (names map[string]bool, open bool) {
	names = map[string]bool{}
	for _, q := range c.chart.States {
		for _, d := range q.Data {
			names[strings.TrimSpace(d.ID)] = true
		}
	}
	for _, l := range c.loops {
		names[strings.TrimSpace(l.Item.Text)] = true
		if l.Index != nil {
			names[strings.TrimSpace(l.Index.Text)] = true
		}
	}
	c.each(func(_ *scxml.Expression, f *scxml.Facts) {
		open = open || f.Dynamic
		for _, name := range f.Declares {
			names[name] = true
		}
	})
	return names, open
}
