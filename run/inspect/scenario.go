package inspect

import (
	"strings"

	"gosmp/internal/finding"
	"gosmp/scenario"
	"gosmp/scenario/check"
)

// Scenario is the content of a scenario, a catalog or a distribution (OpenSCENARIO).
type Scenario struct {
	FormatVersion int            `json:"formatVersion"`
	File          string         `json:"file"`
	Kind          string         `json:"kind"` // scenario, catalog, distribution
	Version       string         `json:"version"`
	Description   string         `json:"description"`
	Author        string         `json:"author"`
	Map           string         `json:"map,omitempty"`
	Parameters    []Parameter    `json:"parameters"`
	Entities      []Entity       `json:"entities"`
	Storyboard    []StoryElement `json:"storyboard"`
	Entries       []string       `json:"entries"` // of a catalog
	Scenario      string         `json:"scenario,omitempty"`
	Points        int            `json:"points,omitempty"` // of a distribution
	// the number of points that the constraints allow; if null, see problems
	Allowed  *int `json:"allowed,omitempty"`
	Errors   int  `json:"errors"`
	Warnings int  `json:"warnings"`
}

// Parameter is a global parameter, or a parameter of a distribution with its number of
// values.
type Parameter struct {
	Name  string `json:"name"`
	Type  string `json:"type,omitempty"`
	Value string `json:"value,omitempty"`
}

// Entity is an entity of a scenario.
type Entity struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`     // Vehicle, Pedestrian ...
	Category    string   `json:"category"` // car, pedestrian ...
	Catalog     string   `json:"catalog,omitempty"`
	Controllers []string `json:"controllers"`
}

// StoryElement is an element of the storyboard with its depth, counted from 0.
type StoryElement struct {
	Depth      int      `json:"depth"`
	Type       string   `json:"type"`
	Name       string   `json:"name"`
	Does       []string `json:"does,omitempty"`       // of an action: what it does
	Conditions []string `json:"conditions,omitempty"` // of its start trigger
	Line       int      `json:"line"`
}

// ReadScenario reads an OpenSCENARIO document.
func ReadScenario(name string) (*Scenario, error) {
	d, err := scenario.Open(name)
	if err != nil {
		return nil, err
	}
	header := d.Root.Child("FileHeader")
	s := &Scenario{FormatVersion: 1, File: name, Kind: "scenario",
		Version: d.Version.String(), Description: header.Value("description"),
		Author: header.Value("author"), Parameters: []Parameter{},
		Entities: []Entity{}, Storyboard: []StoryElement{}, Entries: []string{}}
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
func (s *Scenario) scenario(d *scenario.Document) {
	resolved, _ := d.ResolveAll(nil)
	if resolved.Root == nil {
		return
	}
	s.Map = resolved.MapFile()
	for _, p := range resolved.Parameters {
		s.Parameters = append(s.Parameters, Parameter{p.Name, p.Type, p.Value.String()})
	}
	for _, o := range resolved.Root.Child("Entities").All("ScenarioObject") {
		s.entity(o)
	}
	for _, story := range resolved.Root.Child("Storyboard").All("Story") {
		s.element(story, 0)
	}
}

func (s *Scenario) entity(o *scenario.Element) {
	e := Entity{Name: o.Value("name"), Controllers: []string{}}
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
	"Event": true, "Action": true}

func (s *Scenario) element(e *scenario.Element, depth int) {
	x := StoryElement{Depth: depth, Type: e.Name, Name: e.Value("name"), Line: e.Line}
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
func (s *Scenario) distribution(d *scenario.Document) {
	distribution, err := d.Distribution()
	if err != nil {
		file := d.Root.Path("ParameterValueDistribution", "ScenarioFile").Value("filepath")
		s.Scenario = d.Beside(file)
		return
	}
	s.Scenario, s.Points = distribution.Scenario, distribution.Len()
	for _, name := range distribution.Names() {
		s.Parameters = append(s.Parameters, Parameter{Name: name})
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
