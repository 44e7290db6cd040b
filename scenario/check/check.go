package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/quantity"
	"gosmp/mocksim/opendrive"
	"gosmp/scenario"
)

// Document returns all findings about a document, in file order. It reads the catalogs and the map
// that the document names.
func Document(d *scenario.Document) finding.List { return document(d, nil) }

// Errors returns the findings of severity error about a scenario with the given values of its
// parameters. road is its map, which is not read again; nil if it has none.
func Errors(d *scenario.Document, values scenario.Values, road *opendrive.Map) (list finding.List) {
	for _, f := range (&checker{document: d, given: values, road: road, opened: true}).findings() {
		if f.Severity == finding.Error {
			list = append(list, f)
		}
	}
	return list
}

func document(d *scenario.Document, values scenario.Values) finding.List {
	return (&checker{document: d, given: values}).findings()
}

func (c *checker) findings() finding.List {
	d := c.document
	c.list = d.Validate()
	if strings.ToLower(filepath.Ext(d.File)) != ".xosc" {
		c.add(idEnding, fault.Place{File: d.File}, "found another ending than .xosc", "")
	}
	for _, f := range c.list {
		if f.Severity == finding.Error && !slices.Contains([]string{scenario.RuleXML,
			scenario.RuleSchema, scenario.RuleTooNew}, f.ID) {
			return c.list
		}
	}
	c.parameters()
	c.uniqueNames(d.Root)
	if d.Root.Child("Storyboard") != nil && c.resolved.Root != nil && !c.resolved.Cut {
		c.scenario()
	}
	if d.Root.Child("ParameterValueDistribution") != nil {
		c.distribution()
	}
	c.list.Sort()
	return c.list
}

// Unreadable returns the finding about a document that is not XML.
func Unreadable(err error) (finding.Finding, bool) {
	var e *scenario.Error
	if !errors.As(err, &e) || !errors.Is(err, scenario.ErrDocument) {
		return finding.Finding{}, false
	}
	text := "found " + e.Found + ", expected " + e.Expected
	if e.Cause != nil {
		text = e.Cause.Error()
	}
	return finding.Finding{ID: Rules[0].ID, Severity: finding.Error, Place: e.Place, Message: text,
		Remedy: e.Hint}, true
}

// checker collects findings about one document.
type checker struct {
	document *scenario.Document
	given    scenario.Values // nil for the values in the document
	resolved *scenario.Scenario
	road     *opendrive.Map // nil if there is no readable map
	opened   bool           // road is known, and its rules do not matter
	list     finding.List
	tally    finding.Tally

	hasDay    bool // an EnvironmentAction sets a time of day
	entities  map[string]*scenario.Element
	storyline []*node
	byName    map[reading][]*node // the same; nil until needed
	first     map[string]*node    // of each name
}

func rule(id string) Rule {
	for _, r := range Rules {
		if r.ID == id {
			return r
		}
	}
	panic("no rule " + id)
}

// add reports a finding. If remedy is empty, the finding gets the remedy of the rule.
func (c *checker) add(id string, place fault.Place, text, remedy string) {
	r := rule(id)
	if remedy == "" {
		remedy = r.Remedy
	}
	c.tally.Add(&c.list,
		finding.Finding{ID: id, Severity: r.Severity, Place: place, Message: text,
			Remedy: remedy})
}

// parameters resolves the document and reports everything that could not be resolved.
func (c *checker) parameters() {
	resolved, failures := c.document.ResolveAll(c.given)
	c.resolved = resolved
	c.list = append(c.list, resolved.Notes...)
	for _, catalog := range resolved.Catalogs {
		for _, f := range catalog.Validate() {
			if f.Severity == finding.Error {
				c.list = append(c.list, f)
			}
		}
	}
	isCatalog := c.document.Root.Child("Catalog") != nil
	for _, err := range failures {
		var e *scenario.Error
		if errors.As(err, &e) {
			c.add(idOf(err, isCatalog), e.Place, "found "+e.Found+", expected "+e.Expected, e.Hint)
		}
	}
	used := map[string]bool{}
	c.document.Root.Walk(func(e *scenario.Element) bool {
		c.declaration(e, isCatalog)
		for _, a := range e.Attributes {
			for _, name := range scenario.Names(a.Value) {
				used[name] = true
			}
		}
		return true
	})
	for _, p := range c.document.Root.Child("ParameterDeclarations").All("ParameterDeclaration") {
		if name := scenario.ParameterName(p.Value("name")); !used[name] && !c.named(name) {
			c.add(idUnused, p.PlaceOf("name"), "found no use of the parameter "+name+
				", expected one", "")
		}
	}
}

// named reports whether a condition or an action names a parameter.
func (c *checker) named(parameter string) (found bool) {
	c.document.Root.Walk(func(e *scenario.Element) bool {
		found = found || scenario.ParameterName(e.Value("parameterRef")) == parameter
		return !found
	})
	return found
}

// idOf returns the id of the rule for an error found while resolving.
func idOf(err error, isCatalog bool) string {
	switch {
	case errors.Is(err, scenario.ErrExpression):
		return idOperators
	case errors.Is(err, scenario.ErrOperand):
		return idOperand
	case errors.Is(err, scenario.ErrConstraint):
		return idConstraint
	case errors.Is(err, scenario.ErrCatalog):
		return idReference
	case isCatalog:
		return idCatalogName
	}
	return idScope
}

// declaration checks the name of a parameter and, in a catalog, that the parameter has a value.
func (c *checker) declaration(e *scenario.Element, isCatalog bool) {
	if e.Type != "ParameterDeclaration" {
		return
	}
	name := scenario.ParameterName(e.Value("name"))
	switch {
	case strings.HasPrefix(name, "OSC"):
		c.add(idReserved, e.PlaceOf("name"), "found the name "+name+
			", expected one that does not begin"+
			" with OSC", "")
	case !scenario.IsName(name):
		c.add(idName, e.PlaceOf("name"), fmt.Sprintf(
			"found the name %q, expected letters, digits and underscores", name), "")
	}
	if isCatalog && e.Value("value") == "" && e.Value("parameterType") != "string" {
		c.add(idCatalogName, e.PlaceOf("value"), "found no value for "+name+", expected one", "")
	}
}

// uniqueNames reports elements with the same name as a sibling of the same kind.
func (c *checker) uniqueNames(e *scenario.Element) {
	first := map[[2]string]*scenario.Element{}
	for _, child := range e.Children {
		c.uniqueNames(child)
		name := child.Value("name")
		if name == "" {
			continue
		}
		key := [2]string{child.Name, name}
		if e.Name == "Catalog" {
			key[0] = "" // a reference can name an entry of any kind
		}
		if other := first[key]; other != nil {
			c.second(child, other, e.Name == "Catalog")
			continue
		}
		first[key] = child
	}
}

func (c *checker) second(e, first *scenario.Element, entry bool) {
	c.add(idUnique, e.PlaceOf("name"), fmt.Sprintf(
		"found a second %s %q, expected one: the first is in line %d", e.Name, e.Value("name"),
		first.Line), "")
	if entry {
		c.add(idEntry, e.PlaceOf("name"), fmt.Sprintf("found a second entry %q, expected one",
			e.Value("name")), "")
	}
}

// scenario checks the parts that only scenarios have.
func (c *checker) scenario() {
	c.files()
	c.sceneGraph()
	c.references()
	c.storyboard()
	c.resolved.Root.Walk(func(e *scenario.Element) bool {
		c.values(e)
		c.position(e)
		return true
	})
	c.inits()
	c.teleports()
}

// files reads the map.
func (c *checker) files() {
	logic := c.resolved.Root.Path("RoadNetwork", "LogicFile")
	if logic == nil || c.opened {
		return
	}
	c.backslash(logic, "filepath")
	m, err := opendrive.ReadFile(c.resolved.MapFile())
	switch {
	case errors.Is(err, os.ErrNotExist):
		c.add(idFile, logic.PlaceOf("filepath"), "found no file "+c.resolved.MapFile()+
			", expected the map", "")
	case err != nil:
		c.add(idFile, logic.PlaceOf("filepath"), "found a map that cannot be read: "+err.Error(),
			"")
	default:
		c.brokenRules(m, logic.PlaceOf("filepath"))
	}
	c.road = m
}

// brokenRules reports a map that breaks rules and names the first broken rule.
func (c *checker) brokenRules(m *opendrive.Map, at fault.Place) {
	var first finding.Finding
	count := 0
	for _, f := range m.Check() {
		if f.Severity == finding.Error {
			if count++; count == 1 {
				first = f
			}
		}
	}
	if count > 0 {
		c.add(idMap, at, fmt.Sprintf("found a map with %s, the first one at %s: %s",
			quantity.Of(count, "error"), first.Place, first.Message), "")
	}
}

func (c *checker) backslash(e *scenario.Element, attribute string) {
	if strings.Contains(e.Value(attribute), `\`) {
		c.add(scenario.RuleBackslash, e.PlaceOf(attribute),
			"found a backslash in a path, expected /", "")
	}
}

// distribution checks the parameters of a distribution against its scenario.
func (c *checker) distribution() {
	e := c.document.Root.Path("ParameterValueDistribution", "ScenarioFile")
	if !strings.EqualFold(filepath.Ext(e.Value("filepath")), ".xosc") {
		return // of an experiment, which sweep checks
	}
	c.backslash(e, "filepath")
	d, err := scenario.Open(c.document.Beside(e.Value("filepath")))
	if err != nil {
		c.add(idFile, e.PlaceOf("filepath"), "found a scenario that cannot be read: "+err.Error(),
			"")
		return
	}
	if d.Root.Child("Storyboard") == nil {
		c.add(idDistribution, e.PlaceOf("filepath"),
			"found a document without a Storyboard, expected a scenario", "")
		return
	}
	d.Map = c.document.Map
	var undeclared *scenario.Error
	if errors.As(d.DeclaresAll(c.document), &undeclared) {
		c.add(idDistribution, undeclared.Place, "found "+undeclared.Found+", expected "+
			undeclared.Expected, undeclared.Hint)
		return
	}
	c.points(d)
}

// points checks the values at the points of a distribution.
func (c *checker) points(d *scenario.Document) {
	place := c.document.Root.Child("ParameterValueDistribution").Place()
	points, err := c.document.Distribution()
	if err != nil {
		var e *scenario.Error
		if errors.As(err, &e) && c.document.Root.Path("ParameterValueDistribution",
			"Deterministic") != nil {
			c.add(idDistribution, e.Place, "found "+e.Found+", expected "+e.Expected, e.Hint)
		}
		return
	}
	const most = 200_000
	allowed := 0
	var first scenario.Values
	for k := range min(points.Len(), most) {
		ok, err := d.Allows(points.Point(k))
		var e *scenario.Error
		if errors.As(err, &e) {
			c.add(idDistribution, place, fmt.Sprintf("point %d: found %s, expected %s", k, e.Found,
				e.Expected), e.Hint)
			return
		}
		if ok {
			if allowed++; allowed == 1 {
				first = points.Point(k)
			}
		}
	}
	if allowed > 0 {
		c.list = append(c.list, unusable(d, first)...)
	}
	of := strconv.Itoa(points.Len())
	if points.Len() > most {
		of = fmt.Sprintf("the first %d of %d", most, points.Len())
	}
	if looked := min(points.Len(), most); allowed < looked {
		c.list = append(c.list, finding.Finding{ID: idConstraint, Severity: finding.Note,
			Place: place,
			Message: fmt.Sprintf(
				"found %d of %s points that satisfy the constraints of the scenario, which"+
					" leaves out the others", allowed, of)})
	}
}
