package check

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/experiment/scxml"
)

// code looks into expressions and scripts (SX26, SX27, SX29, SX30), if the language allows it.
func (c *checker) code() {
	eventless := c.eventlessConditions()
	for x := range eventless {
		if x.Err != nil {
			c.warn(SX27, x.Position, "the condition of an eventless transition fails each time, which never ends", "correct the condition")
		}
	}
	if c.analyzer == nil {
		return
	}
	declared, open := c.declared()
	values := c.values()
	seen := map[string]bool{}
	c.chart.Expressions(func(x *scxml.Expression) {
		if x.Err != nil || x.Code == nil {
			return
		}
		f := c.analyzer.Facts(x.Code)
		if x.Role == scxml.Condition && f.Changes {
			c.warn(SX29, x.Position, "the condition changes data, and it is evaluated whenever transitions are selected", "move the change into the transition's content")
		}
		if f.Random && !c.options.Seeded && !seen["random"] {
			seen["random"] = true
			c.warn(SX30, x.Position, "Math.random gives the same only if the run has a seed", "give the run a seed")
		}
		if f.LocalDate {
			c.warn(SX30, x.Position, "a date in local time depends on the machine's time zone", "use the UTC functions")
		}
		if !open {
			c.undeclared(x, f, declared, eventless[x])
		}
		if eventless[x] {
			c.mayFail(x, f, values)
		}
	})
}

// undeclared reports names that nothing declares. In an eventless condition they are worse: the
// error never ends.
func (c *checker) undeclared(x *scxml.Expression, f scxml.Facts, declared map[string]bool, eventless bool) {
	for _, name := range f.Uses {
		if declared[name] || slices.Contains(f.Declares, name) && x.Role == scxml.Statements {
			continue
		}
		if eventless {
			c.warn(SX27, x.Position, fmt.Sprintf("%q is not declared: this eventless condition fails each time, which never ends", name), "declare it in a <datamodel>")
			continue
		}
		c.warn(SX26, x.Position, fmt.Sprintf("%q is not declared", name), "declare it in a <datamodel>, or correct the name")
	}
}

// mayFail reports an eventless condition that reads a part of what may be undefined: that is an
// error, and the condition is evaluated again for the event of the error.
func (c *checker) mayFail(x *scxml.Expression, f scxml.Facts, values map[string]bool) {
	for _, path := range f.Members {
		variable, _, part := strings.Cut(strings.ReplaceAll(path, "[", "."), ".")
		if hasValue, own := values[variable]; variable == "_event" || own && (part || !hasValue) {
			c.warn(SX27, x.Position, fmt.Sprintf("the eventless condition %q fails while %s is undefined", x.Text, path), fmt.Sprintf("ask for it first: %s && …", path))
			return
		}
	}
}

// values lists the variables of the chart, and whether they have a value from the beginning.
func (c *checker) values() map[string]bool {
	found := map[string]bool{}
	for _, q := range c.chart.States {
		for _, d := range q.Data {
			found[strings.TrimSpace(d.ID)] = d.Value != nil && !c.chart.Late
		}
	}
	return found
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

// declared lists the variables of the chart. It is open if a script can make more: by eval.
func (c *checker) declared() (names map[string]bool, open bool) {
	names = map[string]bool{}
	for _, q := range c.chart.States {
		for _, d := range q.Data {
			names[strings.TrimSpace(d.ID)] = true
		}
	}
	for _, l := range c.loops {
		names[l.Item.Text] = true
		if l.Index != nil {
			names[l.Index.Text] = true
		}
	}
	c.chart.Expressions(func(x *scxml.Expression) {
		if x.Err != nil || x.Code == nil {
			return
		}
		open = open || strings.Contains(x.Text, "eval")
		for _, name := range c.analyzer.Facts(x.Code).Declares {
			names[name] = true
		}
	})
	return names, open
}
