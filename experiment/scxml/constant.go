package scxml

import (
	"slices"
	"strings"

	"gosmp/timebase"
)

// invokedFile returns the name of the file with the chart that an element invokes, if it is known
// before the chart runs: a plain src, or a srcexpr that always has the same value. If own is set,
// the data of the chart has the values in the chart; otherwise its invoker may set them.
func (c *Chart) invokedFile(i *Invoke, own bool) (src string, ok bool) {
	switch {
	case !i.Src.Given:
		return "", false
	case i.Src.Expr == nil:
		return i.Src.Value, true
	}
	return c.constant(i.Src.Expr, own)
}

// constant returns the text of an expression of constants and, if own is set, of top-level data
// that the chart never changes.
func (c *Chart) constant(x *Expression, own bool) (text string, ok bool) {
	analyzer, is := c.Language.(Analyzer)
	if !is || x.Err != nil || x.Code == nil {
		return "", false
	}
	f := analyzer.Facts(x.Code)
	if !isPlain(&f) || len(f.Uses) > 0 && !own {
		return "", false
	}
	model := c.Language.New(nowhere{})
	for _, name := range f.Uses {
		d := c.fixed(analyzer, name)
		if d == nil || model.Declare(d.variable.Code) != nil ||
			model.Assign(d.variable.Code, d.Value.Expr.Code) != nil {
			return "", false
		}
	}
	model.Ready()
	text, err := model.Text(x.Code)
	return text, err == nil
}

// Constants evaluates conditions that are always the same.
type Constants struct {
	chart *Chart
	model Model // nil before the first one
}

// Constants returns an evaluator of the chart's conditions.
func (c *Chart) Constants() *Constants { return &Constants{chart: c} }

// Holds returns the value of a condition that consists of literals. It returns false, false for any
// other one, and for nil.
func (k *Constants) Holds(cond *Expression) (holds, constant bool) {
	analyzer, is := k.chart.Language.(Analyzer)
	if !is || cond == nil || cond.Err != nil || cond.Code == nil ||
		!analyzer.Facts(cond.Code).Literal {
		return false, false
	}
	if k.model == nil {
		k.model = k.chart.Language.New(nowhere{})
		k.model.Ready()
	}
	holds, err := k.model.Bool(cond.Code)
	return holds, err == nil
}

// isPlain reports whether an expression has the same value each time, except for its variables.
func isPlain(f *Facts) bool {
	return !f.Changes && !f.Dynamic && !f.Random && !f.LocalDate && len(f.Calls) == 0 &&
		len(f.Functions) == 0 && len(f.OfEvent) == 0 && len(f.States) == 0
}

// fixed returns the top-level data with that name if its value is an expression of constants that
// the chart never changes, and nil otherwise.
func (c *Chart) fixed(analyzer Analyzer, name string) (found *Data) {
	for _, d := range c.Root().Data {
		if d.ID == name && d.Value != nil && d.Value.Expr != nil && d.Value.Expr.Err == nil {
			found = d
		}
	}
	if found == nil || found.variable.Err != nil {
		return nil
	}
	f := analyzer.Facts(found.Value.Expr.Code)
	if !isPlain(&f) || len(f.Uses) > 0 || c.changes(analyzer, name) {
		return nil
	}
	return found
}

// changes reports whether the chart may change a variable that holds a text.
func (c *Chart) changes(analyzer Analyzer, name string) (changed bool) {
	c.Expressions(func(x *Expression) {
		if changed || x.Err != nil || x.Code == nil {
			return
		}
		f := analyzer.Facts(x.Code)
		target, _, _ := strings.Cut(f.Path, ".")
		target, _, _ = strings.Cut(target, "[")
		writes := f.Changes || x.Role == Statements || len(f.Functions) > 0
		changed = x.Role == Location && (target == name || target == "") || f.Dynamic ||
			slices.Contains(f.Declares, name) || writes && slices.Contains(f.Uses, name)
	})
	c.Contents(func(_ *State, b Block) {
		b.Actions(func(a Action) {
			if loop, is := a.(*ForEach); is {
				changed = changed || isVariable(loop.Item, name) || isVariable(loop.Index, name)
			}
		})
	})
	return changed
}

func isVariable(x *Expression, name string) bool {
	return x != nil && strings.TrimSpace(x.Text) == name
}

// nowhere is the environment of expressions that are evaluated before a machine exists.
type nowhere struct{}

func (nowhere) In(string) bool      { return false }
func (nowhere) Now() timebase.Time  { return 0 }
func (nowhere) System(string) Value { return Value{} }
func (nowhere) Event() *Event       { return nil }
func (nowhere) Seed() uint64        { return 0 }
func (nowhere) Ended() error        { return nil }
