package storyboard

import (
	"slices"
	"strconv"

	"gosmp/internal/fault"
	"gosmp/internal/similar"
	"gosmp/scenario"
)

// maxTriggering is the maximum number of entities that a trigger can select.
const maxTriggering = 64

// builder builds a Board from a scenario.
type builder struct {
	*Board
	names      []string            // of the entities
	selections map[string][]string // their members
	failures   []error
	waiting    []func()               // references to elements, resolved once all elements exist
	byName     map[reading][]*Element // nil until needed
	owner      *Element               // of the condition that is read
}

// New prepares the storyboard of a scenario in a world. It returns an error for everything in the
// scenario that is impossible, each an *[scenario.Error] with its place. If there is any error, the
// Board must not be used.
func New(s *scenario.Scenario, w World, o Options) (*Board, []error) {
	b := &builder{Board: &Board{scenario: s, world: w, options: o, values: newValues(s),
		signals: &signals{states: map[string]*value{}}}}
	b.report = b.note
	b.entities()
	b.lights()
	board := s.Root.Child("Storyboard")
	if board == nil {
		e := fault.New(scenario.ErrDocument, s.Root.Place(), s.Root.Content(),
			"a scenario with a Storyboard")
		if s.Root.Child("Catalog") != nil {
			e = e.WithHint("scenarios refer to its entries by CatalogReference; gosmp inspect " +
				"lists them")
		}
		b.failures = append(b.failures, e)
		return b.Board, b.failures
	}
	b.initialActions(board.Path("Init", "Actions"))
	b.root = &Element{Kind: Storyboard, Place: board.Place(), status: Idle, limit: 1}
	b.elements = append(b.elements, b.root)
	for _, story := range board.All("Story") {
		b.element(story, Story, b.root)
	}
	b.root.stop = b.trigger(board.Child("StopTrigger"), b.root, true)
	for _, resolve := range b.waiting {
		resolve()
	}
	return b.Board, b.failures
}

// fail records an error at an attribute of an element or at the element itself.
func (b *builder) fail(e *scenario.Element, attribute string, kind error, found, expected string) {
	b.failures = append(b.failures, fault.New(kind, e.PlaceOf(attribute), found, expected))
}

// unknown records an error for a name that does not exist, with a hint at a similar one, but only
// for the first errors, because comparing thousands of names with thousands of others takes long.
func (b *builder) unknown(e *scenario.Element, attribute, expected string, names func() []string) {
	const most = 100
	name, hint := e.Value(attribute), ""
	if len(b.failures) < most {
		hint = similar.Hint(name, names())
	}
	b.failures = append(b.failures, fault.New(scenario.ErrDocument, e.PlaceOf(attribute),
		strconv.Quote(name), expected).WithHint(hint))
}

// entities collects the scenario objects and the entity selections.
func (b *builder) entities() {
	root := b.scenario.Root.Child("Entities")
	b.selections = map[string][]string{}
	for _, o := range root.All("ScenarioObject") {
		b.names = append(b.names, o.Value("name"))
	}
	for _, s := range root.All("EntitySelection") {
		var members []string
		for _, m := range s.Child("Members").All("EntityRef") {
			members = append(members, m.Value("entityRef"))
		}
		for _, m := range s.Child("Members").All("ByType") {
			for k, o := range root.All("ScenarioObject") {
				if typeOf(o) == m.Value("objectType") {
					members = append(members, b.names[k])
				}
			}
		}
		b.selections[s.Value("name")] = members
	}
}

// typeOf returns the ObjectType of a scenario object.
func typeOf(o *scenario.Element) string {
	if r := o.Child("CatalogReference"); r != nil {
		o = &scenario.Element{Children: []*scenario.Element{r.Entry}}
		if r.Entry == nil {
			return ""
		}
	}
	switch {
	case o.Child("Vehicle") != nil:
		return "vehicle"
	case o.Child("Pedestrian") != nil:
		return "pedestrian"
	case o.Child("MiscObject") != nil:
		return "miscellaneous"
	default:
		return "external"
	}
}

// entity returns the entities named by the attribute entityRef: one, or the members of a selection.
func (b *builder) entity(e *scenario.Element) []Entity {
	list, ok := b.members(e.Value("entityRef"), 0)
	if !ok {
		b.unknown(e, "entityRef", "the name of an entity", func() []string { return b.names })
	}
	return list
}

func (b *builder) members(name string, depth int) (list []Entity, ok bool) {
	if k := slices.Index(b.names, name); k >= 0 {
		return []Entity{Entity(k)}, true
	}
	members, is := b.selections[name]
	if !is || depth > len(b.selections) {
		return nil, false
	}
	for _, m := range members {
		more, ok := b.members(m, depth+1)
		if !ok {
			return nil, false
		}
		for _, x := range more {
			if !slices.Contains(list, x) {
				list = append(list, x)
			}
		}
	}
	return list, true
}

var childKinds = map[string]Kind{"Act": Act, "ManeuverGroup": ManeuverGroup, "Maneuver": Maneuver,
	"Event": Event, "Action": ActionElement}

// element creates an element with everything in it.
func (b *builder) element(e *scenario.Element, kind Kind, parent *Element) {
	n := &Element{Kind: kind, Name: e.Value("name"), Place: e.Place(), parent: parent,
		index: len(b.elements), limit: 1}
	n.Path = n.Name
	if parent.Kind != Storyboard {
		n.Path = parent.Path + "::" + n.Name
	}
	parent.children = append(parent.children, n)
	b.elements = append(b.elements, n)
	switch kind {
	case Event:
		n.priority, n.limit = e.Value("priority"), b.count(e)
	case ManeuverGroup:
		n.limit = b.count(e)
		for _, r := range e.Child("Actors").All("EntityRef") {
			b.entity(r)
		}
	case ActionElement:
		b.action(e, n)
		return
	}
	if t := e.Child("StartTrigger"); t != nil && (kind == Act || kind == Event) {
		n.start = b.trigger(t, n, false)
	}
	if t := e.Child("StopTrigger"); t != nil && kind == Act {
		n.stop = b.trigger(t, n, true)
	}
	for _, c := range e.Children {
		if c.Name == "CatalogReference" && kind == ManeuverGroup {
			if c = c.Entry; c == nil {
				continue // already reported during resolution
			}
		}
		if k, is := childKinds[c.Name]; is && k == kind+1 {
			b.element(c, k, n)
		}
	}
}

// count returns how often an element may be executed.
func (b *builder) count(e *scenario.Element) int {
	text := e.Value("maximumExecutionCount")
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		b.fail(e, "maximumExecutionCount", scenario.ErrDocument, text,
			"a non-negative whole number")
	}
	return n
}
