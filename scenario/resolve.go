package scenario

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/similar"
)

// Values maps the names of global parameters to their values, written as in an attribute.
type Values map[string]string

// Parameter is a global parameter of a scenario and its value.
type Parameter struct {
	Name, Type string
	Value      Value
}

// Scenario is a document whose parameters and expressions have been replaced by their values.
type Scenario struct {
	File       string
	Version    Version
	Root       *Element
	Parameters []Parameter  // the global parameters, in document order
	Catalogs   []*Document  // the catalogs whose entries are referenced
	Notes      finding.List // constructs that were accepted although other tools may reject them
	// Deviations are violations of the schema that are nevertheless understood. Resolve adds none.
	Deviations finding.List
	Criteria   []*Element // conditions that are requirements; see [Scenario.Requirements]
	Map        string     // replaces the map in RoadNetwork; see [Scenario.MapFile]
	// Cut reports that the scenario has more elements than permitted. Root lacks the others.
	Cut     bool
	entries []*Element // of catalogs, as written
}

// Ids of the deviations that Resolve accepts and notes.
const (
	RuleName      = "asam.net:xosc:1.1.0:naming.parameter_declaration_parameter_name"
	RuleScope     = "xosc.param.scope"
	RuleType      = "xosc.param.type"
	RulePi        = "xosc.version.pi"
	RuleBackslash = "xosc.ref.backslash"
	RuleFolder    = "xosc.ref.folder"
	RuleCatalog   = "xosc.ref.catalog"
	RuleEntry     = "asam.net:xosc:1.2.0:reference_control.uniquely_resolvable_entity_references"
)

// Resolve replaces every parameter and expression with its value, and loads the catalog entries
// that are referenced. The given values replace the values of the global declarations; a value for
// an undeclared name is an error. Resolve does not change the document, except that it caches the
// catalogs it has read.
func (d *Document) Resolve(values Values) (*Scenario, error) {
	s, failures := d.ResolveAll(values)
	if len(failures) > 0 {
		return nil, failures[0]
	}
	return s, nil
}

// ResolveAll is like Resolve but continues after an error, and leaves everything that it cannot
// replace as written. Each error is an *[Error].
func (d *Document) ResolveAll(values Values) (*Scenario, []error) {
	s := &Scenario{File: d.File, Version: d.Version, Map: d.Map}
	r := &resolver{scenario: s, grammar: d.Version.grammar(),
		catalogs: &library{file: d.File, shelf: d.shelf}}
	if d.Root.Child("Catalog") != nil {
		r.catalogs.own = d
	}
	if err := d.Declares(values); err != nil {
		return s, []error{err}
	}
	s.Root = r.element(d.Root, nil, given{values: values})
	if s.Cut = r.elements > maxElements; !s.Cut {
		r.carla(s.Root)
		r.criteria(s.Root)
	}
	if r.global != nil {
		for _, name := range r.global.names {
			p := r.global.parameters[name]
			s.Parameters = append(s.Parameters, Parameter{name, p.kind, p.value})
		}
	}
	return s, r.failures
}

// Declares returns an error for the first value whose parameter the document does not declare.
func (d *Document) Declares(values Values) error {
	names := d.declared()
	for _, name := range slices.Sorted(keys(values)) {
		if !slices.Contains(names, name) {
			place := fault.Place{File: d.File, Object: "ParameterDeclarations"}
			return undeclared(place, name, names)
		}
	}
	return nil
}

// DeclaresAll returns an error for the first parameter of a distribution that the document does not
// declare, with its place in the distribution.
func (d *Document) DeclaresAll(distribution *Document) (err error) {
	names := d.declared()
	distribution.Root.Child("ParameterValueDistribution").Walk(func(e *Element) bool {
		for _, attribute := range []string{"parameterName", "parameterRef"} {
			a := e.Attribute(attribute)
			if err == nil && a != nil && !slices.Contains(names, ParameterName(a.Value)) {
				err = undeclared(e.PlaceOf(attribute), a.Value, names)
			}
		}
		return err == nil
	})
	return err
}

// declared returns the names of the global parameters.
func (d *Document) declared() (names []string) {
	for _, p := range d.Root.Child("ParameterDeclarations").All("ParameterDeclaration") {
		names = append(names, ParameterName(p.Value("name")))
	}
	return names
}

func undeclared(place fault.Place, name string, names []string) error {
	return fault.New(ErrParameter, place, "no parameter "+strconv.Quote(name),
		cmp.Or(strings.Join(names, ", "), "none, for there are no parameters")).
		WithHint(similar.Hint(name, names))
}

func keys(values Values) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := range values {
			if !yield(name) {
				return
			}
		}
	}
}

// resolver copies a tree.
type resolver struct {
	scenario *Scenario
	grammar  *grammar
	catalogs *library
	global   *scope
	failures []error
	depth    int // the depth of nested catalog entries
	elements int // that were copied
	texts    int // bytes of texts that expressions created
}

// maxTexts limits the texts that the expressions of a scenario create, with those that only an
// operator of a longer expression uses, in bytes.
const maxTexts = 64 << 20

// copied counts a copied element. It returns false if there are too many, which it reports once.
func (r *resolver) copied(e *Element) bool {
	if r.elements++; r.elements == maxElements+1 {
		r.fail(e.Place(), ErrDocument,
			fmt.Sprintf("more than %d elements, including copies of catalog entries", maxElements),
			"fewer", "an entry is copied wherever it is referred to")
	}
	return r.elements <= maxElements
}

// evaluate computes an expression, unless the expressions have created too many texts. It reports
// this once, and then returns errTexts.
func (r *resolver) evaluate(e *Element, a *Attribute, text string,
	lookup func(name string) (Value, bool)) (Value, error) {
	if r.texts > maxTexts {
		return Value{}, errTexts
	}
	v, err := evaluate(text, lookup, &r.texts)
	if r.texts > maxTexts {
		r.fail(e.PlaceOf(a.Name), ErrParameter,
			fmt.Sprintf("expressions that create texts of more than %d MiB", maxTexts>>20),
			"shorter texts", "")
		err = errTexts
	}
	return v, err
}

func (r *resolver) fail(place fault.Place, kind error, found, expected, hint string) {
	r.failures = append(r.failures, fault.New(kind, place, found, expected).WithHint(hint))
}

func (r *resolver) note(id string, s finding.Severity, place fault.Place, text, remedy string) {
	r.scenario.Notes = append(r.scenario.Notes, finding.Finding{ID: id, Severity: s, Place: place,
		Message: text, Remedy: remedy})
}

// given holds values that replace the values of declarations.
type given struct {
	values Values
	places map[string]fault.Place // of the assignments; absent for values that no document states
}

// element copies an element. The given values replace the values of the element's declarations.
func (r *resolver) element(e *Element, outer *scope, g given) *Element {
	c := *e
	c.Attributes, c.Children = nil, nil
	if e.Parent == nil {
		r.scenario.Root = &c // used to look up catalogs before everything is copied
	}
	if !r.copied(e) {
		return &c
	}
	inner := outer
	if declarations := e.Child("ParameterDeclarations"); declarations != nil {
		inner = r.declare(declarations, outer, g)
		if e.Name == "OpenSCENARIO" {
			r.global = inner
		}
	}
	for _, a := range e.Attributes {
		kind := ""
		if known := r.grammar.attributeOf(e.Type, a.Name); known != nil {
			kind = known.kind
		}
		x := *a
		x.Value = r.substitute(e, a, kind, inner)
		if lower, is := capital(kind, x.Value); is {
			x.Value = lower
		}
		c.Attributes = append(c.Attributes, &x)
	}
	for _, child := range e.Children {
		if r.elements > maxElements {
			break
		}
		if child.Name == "ParameterDeclarations" {
			c.Children = append(c.Children, r.clone(child, &c))
			continue
		}
		k := r.element(child, inner, given{})
		k.Parent = &c
		c.Children = append(c.Children, k)
	}
	if e.Name == "CatalogReference" && e.Type != "" {
		c.Entry = r.entry(&c, inner)
	}
	return &c
}

func (t *elementType) lookup(name string) *attributeType {
	if t == nil {
		return nil
	}
	return t.attribute(name)
}

// clone copies an element without resolving it. It is used for declarations, for example, whose
// values are in the scope.
func (r *resolver) clone(e, parent *Element) *Element {
	c := *e
	c.Parent, c.Children = parent, nil
	if !r.copied(e) {
		return &c
	}
	for _, child := range e.Children {
		if r.elements > maxElements {
			break
		}
		c.Children = append(c.Children, r.clone(child, &c))
	}
	return &c
}

// declare evaluates the declarations of an element in order.
func (r *resolver) declare(declarations *Element, outer *scope, g given) *scope {
	s := &scope{outer: outer, parameters: map[string]parameter{}}
	for _, d := range declarations.All("ParameterDeclaration") {
		name := r.declaredName(d)
		p := parameter{kind: d.Value("parameterType")}
		written := &Attribute{Name: "value", Value: d.Value("value")}
		if value, is := g.values[name]; is { // may also be an expression, as in a distribution
			written.Value = value
		}
		before := len(r.failures)
		text := r.substitute(d, written, "String", s)
		p.bad = len(r.failures) > before || r.texts > maxTexts
		value, expected := typed(p.kind, text)
		if expected != "" && !p.bad {
			r.unfit(d, p.kind, text, expected, g)
		}
		p.value = value
		if _, twice := s.parameters[name]; !twice {
			s.names = append(s.names, name)
		}
		s.parameters[name] = p
		if expected == "" && !p.bad {
			r.constrain(d, name, p.value, s, cmp.Or(g.places[name], d.PlaceOf("value")))
		}
	}
	return s
}

// declaredName returns the name of a declaration, which some authors write with the $ of its uses.
func (r *resolver) declaredName(d *Element) string {
	written := d.Value("name")
	name := ParameterName(written)
	if name != written {
		r.note(RuleName, finding.Warning, d.PlaceOf("name"), "found the name "+written+
			", expected "+name+": a declaration has no $", "")
	}
	return name
}

// ParameterName returns the name of a parameter as written in a declaration, an assignment or a
// distribution, without the $ that some authors write there.
func ParameterName(written string) string { return strings.TrimPrefix(written, "$") }

// unfit handles a value that does not have the declared type. A value from outside is an error. A
// value in a document is only noted, and becomes an error where it is used as the declared type.
func (r *resolver) unfit(d *Element, kind, text, expected string, g given) {
	name := ParameterName(d.Value("name"))
	found := fmt.Sprintf("%s for %s of type %s", clipped(text), name, kind)
	place, assigned := g.places[name]
	if _, is := g.values[name]; is && !assigned {
		r.fail(d.PlaceOf("name"), ErrParameter, found, expected, "the value was given from outside")
		return
	}
	if !assigned {
		place = d.PlaceOf("value")
	}
	r.note(RuleType, finding.Warning, place, "found "+found+", expected "+expected, "")
}

// Beside returns a path that the document names, relative to the working folder.
func (d *Document) Beside(path string) string { return besides(d.File, path) }

// besides returns a path that a document names, relative to the document's folder.
func besides(file, path string) string {
	path = filepath.FromSlash(strings.ReplaceAll(path, `\`, "/"))
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(filepath.Dir(file), path)
}
