package scxml

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	"gosmp/internal/finding"
)

// Loader reads the file that a src attribute names. See Dir.
type Loader func(src string) ([]byte, error)

// Config defines how charts are read. The zero value has only the null data model and reads no
// files.
type Config struct {
	// data models other than null; the first one is the default for W3C charts
	Languages []Language
	Load      Loader // reads the files named by src attributes; nil refuses all
}

var errNoLoader = errors.New("no files are available: Config.Load is nil")

func (c Config) load(src string) ([]byte, error) {
	if c.Load == nil {
		return nil, errNoLoader
	}
	return c.Load(src)
}

// Parse reads and compiles a chart; file is its name in messages. The error is an *InvalidError.
// Invalid expressions and data files do not stop it: they raise error.execution when they are
// evaluated, as the Recommendation requires.
func Parse(file string, text []byte, c Config) (*Chart, error) {
	chart, findings := Inspect(file, text, c)
	if chart == nil {
		return nil, &InvalidError{findings}
	}
	return chart, nil
}

// Inspect is like Parse but intended for checks: it reports all violations of SX01 to SX14,
// including those that do not prevent the chart from running. The chart is nil if it cannot run.
func Inspect(file string, text []byte, c Config) (*Chart, Findings) {
	root, err := ParseXML(text)
	if wrong := (*DocumentError)(nil); errors.As(err, &wrong) {
		b := newBuilder(&Chart{File: file}, c)
		b.report(SX01, wrong.At, wrong.Reason, wrong.Remedy)
		return nil, b.findings
	}
	return InspectElement(file, root, c)
}

// InspectElement is like Inspect for a chart inside another document.
func InspectElement(file string, root *Element, c Config) (*Chart, Findings) {
	b := newBuilder(&Chart{File: file, config: c, element: root, byID: map[string]*State{}}, c)
	if b.root(root) {
		b.resolve()
		b.checkStates()
	}
	b.findings.Sort()
	if b.fatal {
		return nil, b.findings
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(root.XML())) // a hash never fails
	b.chart.sum = h.Sum64()
	return b.chart, b.findings
}

// builder builds a chart from a document.
type builder struct {
	chart    *Chart
	config   Config
	findings Findings
	tally    finding.Tally
	fatal    bool
	pending  []pending // targets to resolve once all ids are known
	orders   int
	compiled map[compiledText]compilation
	ids      map[string]Position // of data, invokes and sends, by the element's name and the id
	advised  int                 // names already searched for similar ones
}

// pending is a transition whose targets are still names.
type pending struct {
	transition *Transition
	names      string
	at         Position
	what       string // "target" or "initial"
}

func newBuilder(chart *Chart, c Config) *builder {
	return &builder{chart: chart, config: c, compiled: map[compiledText]compilation{},
		ids: map[string]Position{}}
}

// root builds the chart's root; it returns false if the rest would be meaningless.
func (b *builder) root(e *Element) bool {
	if e.Name != "scxml" || !isChartSpace(e.Space) {
		b.report(SX01, e.Position, fmt.Sprintf("the root element is <%s> of namespace %q", e.Name,
			e.Space),
			fmt.Sprintf("expected <scxml xmlns=%q>", Namespace))
		return false
	}
	b.grammatical(e, grammar["scxml"])
	if v, ok := e.Attr("version"); ok && v != "1.0" && v != "" {
		b.report(SX01, e.At("version"), fmt.Sprintf("the version is %q, expected \"1.0\"", v),
			`write version="1.0"`)
	}
	b.chart.Name, _ = e.Attr("name")
	b.chart.Late = b.choice(e, "binding", "early", "late") == "late"
	if !b.language(e) {
		return false
	}
	root := b.state(e, nil)
	for _, c := range e.Elements() {
		if c.is("script") {
			b.chart.Scripts = append(b.chart.Scripts, b.script(c))
		}
	}
	if len(root.Children) == 0 {
		b.report(SX03, e.Position, "<scxml> has no state", "add a <state>, <parallel> or <final>")
		return false
	}
	return true
}

// choice reads an attribute with two values, of which the first is the default.
func (b *builder) choice(e *Element, name, first, second string) string {
	v, ok := e.Attr(name)
	if !ok || v == first || v == second {
		return v
	}
	b.report(SX02, e.At(name), fmt.Sprintf("%s is %q", name, v), fmt.Sprintf("expected %q or %q",
		first, second))
	return ""
}

func (b *builder) language(e *Element) bool {
	name, given := e.Attr("datamodel")
	if !given {
		name = nullName
		if e.Space == Namespace && len(b.config.Languages) > 0 {
			name = b.config.Languages[0].Name()
		}
	}
	known := []string{nullName}
	if name == nullName {
		b.chart.Language = nullLanguage{}
	}
	for _, l := range b.config.Languages {
		known = append(known, l.Name())
		if l.Name() == name {
			b.chart.Language = l
		}
	}
	if b.chart.Language == nil {
		b.report(SX11, e.At("datamodel"), fmt.Sprintf("the data model %q is not available", name),
			"expected "+strings.Join(known, " or "))
		return false
	}
	return true
}

// state builds a state element and everything inside it, in document order.
func (b *builder) state(e *Element, parent *State) *State {
	q := &State{Parent: parent, Position: e.Position, element: e, index: len(b.chart.States),
		history: -1}
	b.chart.States = append(b.chart.States, q)
	q.Kind = kindOf(e)
	b.identify(q)
	for _, c := range e.Elements() {
		if isChartSpace(c.Space) {
			b.part(q, c)
		}
	}
	q.last = len(b.chart.States) - 1
	q.doneEvent = "done.state." + q.ID
	b.initial(q)
	if q.Kind == History {
		b.history(q)
	}
	return q
}

func kindOf(e *Element) Kind {
	switch e.Name {
	case "scxml":
		return Root
	case "parallel":
		return Parallel
	case "final":
		return Final
	case "history":
		return History
	}
	if e.child("state") != nil || e.child("parallel") != nil || e.child("final") != nil {
		return Compound
	}
	return Atomic
}

func (b *builder) identify(q *State) {
	if q.Kind == Root {
		return
	}
	id, ok := q.element.Attr("id")
	if !ok {
		return // nameless generates it once all others are known
	}
	q.ID, q.Named = id, true
	if strings.ContainsAny(id, " \t\r\n") || id == "" {
		b.report(SX04, q.element.At("id"), fmt.Sprintf("the id %q is empty or contains blanks", id),
			"write a name without blanks")
	}
	if first := b.chart.byID[id]; first != nil {
		b.report(SX04, q.element.At("id"), fmt.Sprintf("the id %q is "+
			"already used by the %s in line %d",
			id, first.Kind, first.Position.Line),
			"give one of them a different id")
		return
	}
	b.chart.byID[id] = q
}

// unique reports an id that another element of the same kind has. For states, see identify. A chart
// with two variables of the same name does not run, because the start value is ambiguous.
func (b *builder) unique(e *Element) {
	id, ok := e.Attr("id")
	if !ok {
		return
	}
	key := e.Name + " " + strings.TrimSpace(id)
	if first, taken := b.ids[key]; taken {
		b.fatal = b.fatal || e.is("data")
		b.later(SX04, e.At("id"), fmt.Sprintf("the id %q is already "+
			"used by the <%s> in line %d", id,
			e.Name, first.Line), "give one of them a different id")
		return
	}
	b.ids[key] = e.Position
}

// part builds one child element of a state.
func (b *builder) part(q *State, c *Element) {
	r := grammar[c.Name]
	if _, ok := allows(grammar[q.element.Name].children, c.Name); !ok {
		return // reported by grammatical
	}
	if c.Name == "registerEvent" || c.Name == "invoke" {
		q.Invokes = append(q.Invokes, b.invoke(c, q))
		return
	}
	b.grammatical(c, r)
	switch c.Name {
	case "state", "parallel", "final":
		q.Children = append(q.Children, b.state(c, q))
	case "history":
		q.Histories = append(q.Histories, b.state(c, q))
	case "transition":
		q.Transitions = append(q.Transitions, b.transition(c, q))
	case "onentry":
		q.OnEntry = append(q.OnEntry, b.block(c))
	case "onexit":
		q.OnExit = append(q.OnExit, b.block(c))
	case "datamodel":
		for _, d := range c.Elements() {
			if d.is("data") {
				q.Data = append(q.Data, b.data(d))
			}
		}
	case "donedata":
		p := b.payload(c)
		q.DoneData = &p
	}
}

// initial sets the initial transition of a root or compound from the attribute, the child element
// or the first child state.
func (b *builder) initial(q *State) {
	names, attribute := q.element.Attr("initial")
	element := q.element.child("initial")
	q.initialExists = attribute || element != nil
	if q.Kind != Root && q.Kind != Compound {
		if q.initialExists && q.element.Name == "state" {
			b.report(SX07, q.element.At("initial"),
				fmt.Sprintf("state %q has an initial state but no child states", q.ID),
				"remove initial, or add states inside")
		}
		return
	}
	if attribute && element != nil {
		b.report(SX07, element.Position,
			fmt.Sprintf("%q has an initial state in two forms: the attribute initial and <initial>",
				q), "keep one of them")
	}
	if element != nil && element.child("transition") != nil {
		t := element.child("transition")
		b.grammatical(t, grammar["transition"])
		q.Initial = b.transition(t, q)
		if q.Initial.Cond != nil || !q.Initial.eventless || q.Initial.unresolved {
			b.report(SX07, t.Position,
				fmt.Sprintf("the initial transition of %q must have a target, no event and no cond",
					q.ID), "write <transition target=\"…\"/>")
		}
		return
	}
	q.Initial = &Transition{Source: q, Position: q.element.At("initial"), element: q.element,
		eventless: true}
	if attribute {
		b.pending = append(b.pending, pending{q.Initial, names, q.element.At("initial"), "initial"})
	} else if len(q.Children) > 0 {
		q.Initial.Targets = q.Children[:1]
	}
}

func (b *builder) history(q *State) {
	q.Deep = b.choice(q.element, "type", "shallow", "deep") == "deep"
	switch {
	case q.Parent.Kind != Compound && q.Parent.Kind != Parallel:
		b.report(SX08, q.Position, fmt.Sprintf("history %q is in a state without child states",
			q.ID), "move it into a compound state or a parallel")
	case len(q.Transitions) == 0:
		b.report(SX08, q.Position, fmt.Sprintf("history %q has no default transition", q.ID),
			`add <transition target="…"/>`)
	case len(q.Transitions) > 1:
		b.report(SX08, q.Transitions[1].Position,
			fmt.Sprintf("history %q has a second default transition", q.ID), "remove one of them")
	case q.Transitions[0].Cond != nil || !q.Transitions[0].eventless || q.Transitions[0].unresolved:
		b.report(SX08, q.Transitions[0].Position,
			fmt.Sprintf(
				"the default transition of history %q must have a target, no event and no cond",
				q.ID),
			`write <transition target="…"/>`)
	}
}
