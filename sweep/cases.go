package sweep

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Case is one run of the table.
type Case struct {
	Index  int   // in the table, from 0
	Values []any // values of the parameters, in the order of the plan: float64, string or bool
	Set    []Setting
	Seed   uint64 // 0 means the seed of the experiment
	Files  []File // files named by the values of settings
}

// File is a file named by the value of a setting, with the digest of its content.
type File struct {
	Name   string `json:"name"` // the value
	Digest string `json:"digest"`
}

// Setting gives a value to a parameter of the experiment, as gosmp run --set does.
type Setting struct{ Name, Value string }

// Cases returns the table: the combinations of the parameters that satisfy the constraints, in
// order, each with all seeds. The last parameter varies fastest.
func (p *Plan) Cases() ([]Case, error) {
	combine := p.grid
	if p.Sampling.Method != Grid {
		combine = p.sampled
	}
	e, err := p.evaluator()
	if err != nil {
		return nil, err
	}
	if err := p.checkCount(); err != nil {
		return nil, err
	}
	p.spent = 0
	var cases []Case
	err = combine(func(n int, values []any) error {
		ok, set, err := e.settings(values)
		if !ok || err != nil {
			return err
		}
		for k, seed := range p.seedsOf(n) {
			index := len(cases)
			if p.chosen != nil { // there are no constraints
				index = n*max(1, len(p.Seeds)) + k
			}
			cases = append(cases, Case{Index: index, Values: values, Set: set, Seed: seed})
		}
		return nil
	})
	if err == nil && len(cases) == 0 && p.chosen == nil {
		err = fault.New(ErrPlan, p.place("constraints"), "no combination that satisfies them all",
			"constraints that some values satisfy")
	}
	if err == nil && alike(cases) {
		err = fault.New(ErrPlan, p.place("parameters"),
			fmt.Sprintf("%d runs with the same settings and the same seed", len(cases)),
			"runs that differ: a parameter that sets something, or several seeds")
	}
	return cases, err
}

// alike reports whether there are several runs and all of them are identical.
func alike(cases []Case) bool {
	return len(cases) > 1 && !slices.ContainsFunc(cases, func(c Case) bool {
		return c.Seed != cases[0].Seed || !slices.Equal(c.Set, cases[0].Set)
	})
}

// Seeded reports whether the plan sets the seeds of its runs.
func (p *Plan) Seeded() bool { return len(p.Seeds)+len(p.rowSeeds) > 0 }

// seedsOf returns the seeds of a combination, or of a line if the plan is a table with seeds.
func (p *Plan) seedsOf(n int) []uint64 {
	switch {
	case len(p.rowSeeds) > 0:
		return p.rowSeeds[n : n+1]
	case len(p.Seeds) == 0:
		return []uint64{0}
	}
	return p.Seeds
}

// Restrict keeps the values of a parameter that keep accepts, so that [Plan.Cases] returns only the
// cases with such values, which keep their indices. It has no effect on values that are drawn, and
// on plans with constraints, whose cases are counted.
func (p *Plan) Restrict(parameter int, keep func(value any) bool) {
	if p.Sampling.Method != Grid || len(p.Constraints) > 0 {
		return
	}
	if p.chosen == nil {
		p.chosen = make([][]int, len(p.Parameters))
		for k := range p.Parameters {
			for i := range p.Parameters[k].points {
				p.chosen[k] = append(p.chosen[k], i)
			}
		}
	}
	x := &p.Parameters[parameter]
	p.chosen[x.leader] = slices.DeleteFunc(p.chosen[x.leader], func(i int) bool {
		return !keep(x.points[i])
	})
}

// choices returns how many values a parameter takes, or its leader.
func (p *Plan) choices(k int) int {
	if p.chosen != nil {
		return len(p.chosen[k])
	}
	return len(p.Parameters[k].points)
}

// choice returns the index of one of these values.
func (p *Plan) choice(k, n int) int {
	if p.chosen != nil {
		return p.chosen[k][n]
	}
	return n
}

// grid visits the combinations. The number of a combination counts all of them.
func (p *Plan) grid(visit func(n int, values []any) error) error {
	at := make([]int, len(p.Parameters))
	for k := range p.Parameters {
		if p.Parameters[k].leader == k && p.choices(k) == 0 {
			return nil
		}
	}
	for {
		values, n := make([]any, len(at)), 0
		for k, x := range p.Parameters {
			i := p.choice(x.leader, at[x.leader])
			values[k] = x.points[i]
			if x.leader == k {
				n = n*len(x.points) + i
			}
		}
		if err := visit(n, values); err != nil {
			return err
		}
		k := len(at) - 1
		for ; k >= 0; k-- {
			if p.Parameters[k].leader != k {
				continue
			}
			if at[k]++; at[k] < p.choices(k) {
				break
			}
			at[k] = 0
		}
		if k < 0 {
			return nil
		}
	}
}

// streams returns the numbers of the streams of random numbers, one for each parameter. The numbers
// for the parameters of a scenario are derived from their names, so that parameters may be inserted
// before them.
func (p *Plan) streams() []uint64 {
	list := make([]uint64, len(p.Parameters))
	for k := range list {
		list[k] = uint64(k)
		if p.Parameters[k].named && p.Sampling.Method == Random {
			h := fnv.New64a()
			_, _ = h.Write([]byte(p.Parameters[k].Name)) // never fails
			list[k] = h.Sum64()
		}
	}
	return list
}

func (p *Plan) sampled(visit func(n int, values []any) error) error {
	draws := p.Sampling.draws(p.streams())
	for n := range p.Sampling.Count {
		values := make([]any, len(p.Parameters))
		for k := range values {
			values[k] = p.Parameters[k].At(draws[p.Parameters[k].leader][n])
		}
		if err := visit(n, values); err != nil {
			return err
		}
	}
	return nil
}

// evaluator computes constraints and settings for values of the parameters.
type evaluator struct {
	plan        *Plan
	around      *surroundings
	model       scxml.Model
	variables   []scxml.Code // of the parameters; nil for one that is set under its own name
	constraints []scxml.Code
	targets     []scxml.Code
	room        int // for the texts of further settings, in bytes

	clock timebase.TimeSource
}

// surroundings is the environment of expressions, which may use only the names of parameters. Its
// time is the index of the combination, because the language bounds the computation at each
// instant.
type surroundings struct{ now timebase.Time }

func (*surroundings) In(string) bool            { return false }
func (s *surroundings) Now() timebase.Time      { return s.now }
func (*surroundings) System(string) scxml.Value { return scxml.Value{} }
func (*surroundings) Event() *scxml.Event       { return nil }
func (*surroundings) Seed() uint64              { return 0 }
func (*surroundings) Ended() error              { return nil }

// Bounds of the time for expressions.
const (
	longest      = 2 * time.Second   // for one combination
	mostComputed = 600 * time.Second // for all combinations of a plan
)

func (p *Plan) evaluator() (*evaluator, error) {
	language := ecmascript.Language{Timeout: longest}
	e := &evaluator{plan: p, around: &surroundings{}, variables: make([]scxml.Code,
		len(p.Parameters)), room: mostTexts, clock: timebase.SystemTime()}
	e.model = language.New(e.around)
	compile := func(role scxml.Role, key, text string) (scxml.Code, error) {
		code, err := language.Compile(role, text)
		if err != nil {
			return nil, fault.New(ErrPlan, p.place(key), strconv.Quote(text), "").WithCause(err)
		}
		return code, nil
	}
	var err error
	for k, x := range p.Parameters {
		if x.Direct() {
			continue
		}
		if e.variables[k], err = compile(scxml.Variable, "parameters."+x.Name, x.Name); err != nil {
			return nil, err
		}
		if err := e.model.Declare(e.variables[k]); err != nil {
			return nil, fault.New(ErrPlan, p.place("parameters."+x.Name), strconv.Quote(x.Name),
				"").WithCause(err)
		}
	}
	for _, text := range p.Constraints {
		code, err := compile(scxml.Expr, "constraints", text)
		if err != nil {
			return nil, err
		}
		e.constraints = append(e.constraints, code)
	}
	for _, t := range p.Set {
		code, err := compile(scxml.Expr, "set."+t.Name, t.Expression)
		if err != nil {
			return nil, err
		}
		e.targets = append(e.targets, code)
	}
	e.model.Ready()
	return e, nil
}

// settings returns the settings of a run; ok is false for values that violate a constraint. It
// fails if the combinations before took too much time. No combination counts as more than the time
// that it may take, even if this process was suspended.
func (e *evaluator) settings(values []any) (ok bool, set []Setting, err error) {
	if spent := e.plan.spent; spent > timebase.Duration(mostComputed) {
		key := "set"
		if len(e.plan.Set) == 0 {
			key = "constraints"
		}
		return false, nil, fault.New(ErrPlan, e.plan.place(key),
			fmt.Sprintf("expressions that took %.0f s for the first combinations of the values",
				spent.Seconds()),
			fmt.Sprintf("at most %.0f s for all of them: simpler expressions or fewer runs",
				mostComputed.Seconds()))
	}
	begun := e.clock.Now()
	ok, set, err = e.compute(values)
	e.plan.spent += min(e.clock.Now()-begun, timebase.Duration(longest))
	return ok, set, err
}

func (e *evaluator) compute(values []any) (ok bool, set []Setting, err error) {
	e.around.now++
	for k, x := range e.plan.Parameters {
		if x.Direct() {
			set = append(set, Setting{x.Name, Text(values[k])})
			continue
		}
		v, err := scxml.ValueOf(values[k])
		if err == nil {
			err = e.model.Set(e.variables[k], v)
		}
		if err != nil {
			return false, nil, fault.New(ErrPlan, e.plan.place("parameters."+x.Name),
				strconv.Quote(Text(values[k])), "").WithCause(err)
		}
	}
	for k, code := range e.constraints {
		v, err := e.model.Value(code)
		// such as x = 1, which is not a comparison
		if err == nil && v.Text() != "true" && v.Text() != "false" {
			err = fmt.Errorf("found %s, expected true or false", described(v))
		}
		if err != nil {
			return false, nil, fault.New(ErrPlan, e.plan.place("constraints"),
				strconv.Quote(e.plan.Constraints[k]), "").
				WithCause(fmt.Errorf("%w%s", err, e.with(values)))
		}
		if v.Text() == "false" {
			return false, nil, nil
		}
	}
	for k, code := range e.targets {
		t := e.plan.Set[k]
		v, err := e.model.Value(code)
		// null, or NaN as JSON
		if err == nil && (v.IsUndefined() || v.IsXML() || strings.IndexAny(v.Text(), "{[n") == 0) {
			err = fmt.Errorf("found %s, expected a number, a text, true or false", described(v))
		}
		if err != nil {
			return false, nil, fault.New(ErrPlan, e.plan.place("set."+t.Name),
				strconv.Quote(t.Expression), "").WithCause(fmt.Errorf("%w%s", err, e.with(values)))
		}
		text := v.Display()
		if e.room -= len(text); e.room < 0 {
			return false, nil, fault.New(ErrPlan, e.plan.place("set"),
				"more bytes in the settings of all runs",
				fmt.Sprintf("at most %d: shorter texts or fewer runs", mostTexts))
		}
		set = append(set, Setting{t.Name, text})
	}
	slices.SortFunc(set, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	return true, set, nil
}

// described describes the value of an expression for an error.
func described(v scxml.Value) string {
	switch {
	case v.IsUndefined():
		return "undefined"
	case v.Text() == "null":
		return "null, NaN or an infinite number"
	case strings.IndexAny(v.Text(), "{[<") == 0:
		return "an object or a list"
	}
	return v.Display()
}

// with describes the parameter values for which an expression failed.
func (e *evaluator) with(values []any) string {
	var parts []string
	for k, x := range e.plan.Parameters {
		if !x.Direct() {
			parts = append(parts, fmt.Sprintf("%s = %v", x.Name, values[k]))
		}
	}
	const most = 5 // for one line
	if len(parts) > most {
		parts = append(parts[:most], "...")
	}
	if len(parts) == 0 {
		return ""
	}
	return ", for " + strings.Join(parts, ", ")
}

// Text returns the text of a parameter value: a number has the form that expressions give it, with
// an exponent only below 1e-6 and at 1e21 or above, so that whole numbers are read as such.
func Text(v any) string {
	x, ok := v.(float64)
	if !ok {
		return fmt.Sprint(v)
	}
	const small, large = 1e-6, 1e21
	if a := math.Abs(x); a == 0 || a >= small && a < large {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
