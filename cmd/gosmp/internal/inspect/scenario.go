package inspect

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/finding"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/scenario"
	"gosmp/scenario/check"
)

// scenarioDocument is the output of inspect for an OpenSCENARIO document. Its JSON form is a
// contract, as for an FMU.
type scenarioDocument struct {
	FormatVersion int                 `json:"formatVersion"`
	File          string              `json:"file"`
	Kind          string              `json:"kind"` // scenario, catalog, distribution
	Version       string              `json:"version"`
	Description   string              `json:"description"`
	Author        string              `json:"author"`
	Map           string              `json:"map,omitempty"`
	Parameters    []scenarioParameter `json:"parameters"`
	Entities      []scenarioEntity    `json:"entities"`
	Storyboard    []storyElement      `json:"storyboard"`
	Entries       []string            `json:"entries"` // of a catalog
	Scenario      string              `json:"scenario,omitempty"`
	Points        int                 `json:"points,omitempty"` // of a distribution
	// the number of points that the constraints allow; if null, see problems
	Allowed  *int `json:"allowed,omitempty"`
	Errors   int  `json:"errors"`
	Warnings int  `json:"warnings"`
}

// scenarioParameter is a global parameter, or a parameter of a distribution with its number of
// values.
type scenarioParameter struct {
	Name  string `json:"name"`
	Type  string `json:"type,omitempty"`
	Value string `json:"value,omitempty"`
}

type scenarioEntity struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`     // Vehicle, Pedestrian ...
	Category    string   `json:"category"` // car, pedestrian ...
	Catalog     string   `json:"catalog,omitempty"`
	Controllers []string `json:"controllers"`
}

// storyElement is an element of the storyboard with its depth, counted from 0.
type storyElement struct {
	Depth      int      `json:"depth"`
	Type       string   `json:"type"`
	Name       string   `json:"name"`
	Does       []string `json:"does,omitempty"`       // of an action: what it does
	Conditions []string `json:"conditions,omitempty"` // of its start trigger
	Line       int      `json:"line"`
}

func inspectScenario(name string) (*scenarioDocument, error) {
	d, err := scenario.Open(name)
	if err != nil {
		return nil, err
	}
	header := d.Root.Child("FileHeader")
	s := &scenarioDocument{FormatVersion: 1, File: name, Kind: "scenario",
		Version: d.Version.String(), Description: header.Value("description"),
		Author: header.Value("author"), Parameters: []scenarioParameter{},
		Entities: []scenarioEntity{}, Storyboard: []storyElement{}, Entries: []string{}}
	list := check.Document(d)
	s.Errors, s.Warnings = list.Count(finding.Error), list.Count(finding.Warning)
	switch {
	case d.Root.Child("Catalog") != nil:
		s.Kind = "catalog"
		for _, e := range d.Root.Child("Catalog").Children {
			s.Entries = append(s.Entries, e.Name+" "+e.Value("name"))
		}
	case d.Root.Child("ParameterValueDistribution") != nil:
		s.Kind = "distribution"
		s.distribution(d)
	default:
		s.scenario(d)
	}
	return s, nil
}

// scenario fills in the content of a scenario, as far as its parameters can be resolved.
func (s *scenarioDocument) scenario(d *scenario.Document) {
	resolved, _ := d.ResolveAll(nil)
	if resolved.Root == nil {
		return
	}
	s.Map = resolved.MapFile()
	for _, p := range resolved.Parameters {
		s.Parameters = append(s.Parameters, scenarioParameter{p.Name, p.Type, p.Value.String()})
	}
	for _, o := range resolved.Root.Child("Entities").All("ScenarioObject") {
		s.entity(o)
	}
	for _, story := range resolved.Root.Child("Storyboard").All("Story") {
		s.element(story, 0)
	}
}

func (s *scenarioDocument) entity(o *scenario.Element) {
	e := scenarioEntity{Name: o.Value("name"), Controllers: []string{}}
	for _, c := range o.Children {
		what := c
		if c.Name == "CatalogReference" {
			e.Catalog = c.Value("catalogName") + "/" + c.Value("entryName")
			what = c.Entry
		}
		switch {
		case what == nil:
		case c.Name == "ObjectController":
			e.Controllers = append(e.Controllers, controllerOf(c))
		default:
			e.Type = what.Name
			for _, a := range what.Attributes {
				if strings.HasSuffix(a.Name, "Category") {
					e.Category = a.Value
				}
			}
		}
	}
	s.Entities = append(s.Entities, e)
}

func controllerOf(o *scenario.Element) string {
	if c := o.Child("Controller"); c != nil {
		return c.Value("name")
	}
	r := o.Child("CatalogReference")
	return r.Value("catalogName") + "/" + r.Value("entryName")
}

var storyTypes = map[string]bool{"Act": true, "ManeuverGroup": true, "Maneuver": true,
	"Event":  true,
	"Action": true}

func (s *scenarioDocument) element(e *scenario.Element, depth int) {
	x := storyElement{Depth: depth, Type: e.Name, Name: e.Value("name"), Line: e.Line}
	if e.Name == "Action" {
		e.Walk(func(c *scenario.Element) bool {
			if strings.HasSuffix(c.Type, "Action") && !hasAction(c) && c != e {
				x.Does = append(x.Does, c.Name)
			}
			return true
		})
	}
	for _, group := range e.Child("StartTrigger").All("ConditionGroup") {
		for _, c := range group.All("Condition") {
			x.Conditions = append(x.Conditions, c.Value("name"))
		}
	}
	s.Storyboard = append(s.Storyboard, x)
	for _, c := range e.Children {
		if c.Name == "CatalogReference" && c.Entry != nil {
			c = c.Entry
		}
		if storyTypes[c.Name] {
			s.element(c, depth+1)
		}
	}
}

// hasAction reports whether an element is only the wrapper of an action.
func hasAction(e *scenario.Element) bool {
	for _, c := range e.Children {
		if strings.HasSuffix(c.Type, "Action") {
			return true
		}
	}
	return false
}

// distribution fills in the parameters and the number of points. If points are drawn at random,
// there is no such number.
func (s *scenarioDocument) distribution(d *scenario.Document) {
	distribution, err := d.Distribution()
	if err != nil {
		file := d.Root.Path("ParameterValueDistribution", "ScenarioFile").Value("filepath")
		s.Scenario = d.Beside(file)
		return
	}
	s.Scenario, s.Points = distribution.Scenario, distribution.Len()
	for _, name := range distribution.Names() {
		s.Parameters = append(s.Parameters, scenarioParameter{Name: name})
	}
	const most = 100_000 // more points would take too long
	target, err := scenario.Open(distribution.Scenario)
	if err != nil || s.Points > most {
		return
	}
	if n, err := distribution.AllowsAll(target); err == nil {
		s.Allowed = &n
	}
}

func (s *scenarioDocument) print(out io.Writer, asJSON, all bool) error {
	if asJSON {
		return cli.WriteJSON(out, s)
	}
	plaintext.Printf(out, "%s\n  %s of OpenSCENARIO %s", s.File, s.Kind, s.Version)
	if s.Description != "" {
		plaintext.Printf(out, ": %s", s.Description)
	}
	fmt.Fprintln(out)
	for _, x := range [...][2]string{{"author", s.Author}, {"map", s.Map}, {"scenario",
		s.Scenario}} {
		if x[1] != "" {
			plaintext.Printf(out, "  %s: %s\n", x[0], x[1])
		}
	}
	if s.Points > 0 {
		plaintext.Printf(out, "  %s", quantity.Of(s.Points, "point"))
		if s.Allowed != nil {
			plaintext.Printf(out, ", of which the constraints allow %s",
				quantity.Grouped(*s.Allowed))
		}
		fmt.Fprintln(out)
	}
	s.printTables(out, all)
	if s.Errors+s.Warnings > 0 {
		plaintext.Printf(out, "%s, %s: gosmp check shows them\n", quantity.Of(s.Errors, "error"),
			quantity.Of(s.Warnings, "warning"))
	}
	return nil
}

func (s *scenarioDocument) printTables(out io.Writer, all bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(s.Parameters) > 0 {
		fmt.Fprintln(w, "parameters")
	}
	for _, p := range shown(s.Parameters, all) {
		plaintext.Printf(w, "  %s\t%s\t%s\n", p.Name, p.Type, p.Value)
	}
	more(w, s.Parameters, all)
	if len(s.Entities) > 0 {
		fmt.Fprintln(w, "entities")
	}
	for _, e := range shown(s.Entities, all) {
		plaintext.Printf(w, "  %s\t%s %s\t%s\t%s\n", e.Name, e.Type, e.Category, e.Catalog,
			strings.Join(e.Controllers, ", "))
	}
	more(w, s.Entities, all)
	if len(s.Entries) > 0 {
		fmt.Fprintln(w, "entries")
	}
	for _, e := range shown(s.Entries, all) {
		plaintext.Printf(w, "  %s\n", e)
	}
	more(w, s.Entries, all)
	if len(s.Storyboard) > 0 {
		fmt.Fprintln(w, "storyboard")
	}
	for _, x := range shown(s.Storyboard, all) {
		text := strings.Repeat("  ", x.Depth+1) + x.Type + " " + x.Name
		if len(x.Does) > 0 {
			text += ": " + strings.Join(x.Does, ", ")
		}
		if len(x.Conditions) > 0 {
			text += " (starts with " + strings.Join(x.Conditions, ", ") + ")"
		}
		plaintext.Printf(w, "%s\n", text)
	}
	more(w, s.Storyboard, all)
	_ = w.Flush() // the caller flushes the underlying writer
}
