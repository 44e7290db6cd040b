package scxml

import "strings"

// rule describes the content that an element may have. Attributes and children are names separated
// by spaces; "*" after an attribute means that it is required, and "?" after a child means that it
// occurs at most once.
type rule struct {
	attributes string
	children   string
	exclusive  []string // parts (see present), of which at most one may exist
	needs      []string // parts of which at least one must exist
	text       bool     // text is allowed; elsewhere only white space and comments
	free       bool     // any XML is allowed
}

const executable = "raise if foreach log assign script send cancel"

// grammar describes the language of sections 3 to 6 of the Recommendation, with the additions of
// the schema for NRP's experiments.
var grammar = map[string]rule{
	"scxml": {attributes: "version* initial name datamodel binding",
		children: "state parallel final datamodel? script? invoke registerEvent"},
	"state": {attributes: "id initial",
		children: "onentry onexit transition initial? state parallel final history datamodel? " +
			"invoke registerEvent"},
	"parallel": {attributes: "id",
		children: "onentry onexit transition state parallel history datamodel? " +
			"invoke registerEvent"},
	"final":      {attributes: "id", children: "onentry onexit donedata?"},
	"initial":    {children: "transition?", needs: []string{"<transition>"}},
	"history":    {attributes: "id type", children: "transition"},
	"transition": {attributes: "event cond target type", children: executable},
	"onentry":    {children: executable},
	"onexit":     {children: executable},
	"datamodel":  {children: "data"},
	"data": {attributes: "id* src expr", text: true, free: true,
		exclusive: []string{"src|expr|inside"}},
	"raise":   {attributes: "event*"},
	"log":     {attributes: "label expr"},
	"if":      {attributes: "cond*", children: "elseif else? " + executable},
	"elseif":  {attributes: "cond*"},
	"else":    {},
	"foreach": {attributes: "array* item* index", children: executable},
	"assign": {attributes: "location* expr", text: true, free: true,
		exclusive: []string{"expr|inside"}, needs: []string{"expr|inside"}},
	"script": {attributes: "src", text: true, exclusive: []string{"src|inside"},
		needs: []string{"src|inside"}},
	"cancel": {attributes: "sendid sendidexpr", exclusive: []string{"sendid|sendidexpr"},
		needs: []string{"sendid|sendidexpr"}},
	"send": {
		attributes: "event eventexpr target targetexpr type typeexpr id idlocation delay " +
			"delayexpr namelist",
		children: "param content?",
		exclusive: []string{"event|eventexpr", "target|targetexpr", "type|typeexpr",
			"id|idlocation", "delay|delayexpr",
			"<content>|<param>", "<content>|namelist"}},
	"invoke": {attributes: "type typeexpr src srcexpr id idlocation namelist autoforward",
		children: "param content? finalize?",
		exclusive: []string{"type|typeexpr", "src|srcexpr|<content>", "id|idlocation",
			"namelist|<param>"}},
	"finalize":      {children: executable},
	"registerEvent": {attributes: "event* topic data_class", children: "finalize?"},
	"donedata": {children: "content? param", exclusive: []string{"<content>|<param>"},
		needs: []string{"<content>|<param>"}},
	"content": {attributes: "expr", text: true, free: true, exclusive: []string{"expr|inside"}},
	"param":   {attributes: "name* expr location", exclusive: []string{"expr|location"}},
}

// extended holds the elements whose xsi:type names an NRP extension, including the additions.
var extended = map[string]struct {
	element string
	rule    rule
}{
	"MessageOnROSTopic": {"registerEvent",
		rule{attributes: "event* topic* data_class*", children: "finalize?"}},
	"Message": {"send",
		rule{attributes: "target* data_type* type id namelist", children: "param content?",
			exclusive: []string{"<content>|<param>"}}},
	"ServiceRequest": {"send",
		rule{attributes: "target event service_type* blocking type id namelist",
			children: "param content?", exclusive: []string{"<content>|<param>"}}},
}

// allows finds a name, with its mark, in a list of the grammar.
func allows(list, name string) (mark string, ok bool) {
	for _, entry := range strings.Fields(list) {
		if plain := strings.TrimRight(entry, "*?"); plain == name {
			return entry[len(plain):], true
		}
	}
	return "", false
}

// grammatical reports faults in an element itself: its attributes, children and text.
func (b *builder) grammatical(e *Element, r rule) {
	for _, a := range e.Attributes {
		_, ok := allows(r.attributes, a.Name)
		switch {
		case ok || a.Space != "":
		case e.Name == "scxml" && a.Name == "exmode":
			b.later(SX02, a.Position, "exmode is from drafts of SCXML and has no effect",
				"remove it")
		default:
			b.report(SX02, a.Position, "<"+e.Name+`> has no attribute "`+a.Name+`"`,
				"remove it, or correct its name: "+listNames(r.attributes))
		}
	}
	for _, entry := range strings.Fields(r.attributes) {
		if name, required := strings.CutSuffix(entry, "*"); required {
			if v, ok := e.Attr(name); !ok || strings.TrimSpace(v) == "" {
				b.report(SX03, e.At(name), "<"+e.Name+`> needs the attribute "`+name+`"`, "add it")
			}
		}
	}
	if !r.free {
		b.children(e, r)
	}
	b.combinations(e, r)
}

func (b *builder) children(e *Element, r rule) {
	seen := map[string]bool{}
	for _, n := range e.Children {
		if n.Element == nil {
			if text := strings.TrimSpace(n.Text); text != "" && !r.text {
				b.report(SX02, n.Position, "<"+e.Name+"> contains the text "+quoteShort(text),
					"remove it, or make it a comment")
			}
			continue
		}
		c := n.Element
		if !isChartSpace(c.Space) {
			continue
		}
		mark, ok := allows(r.children, c.Name)
		_, known := grammar[c.Name]
		switch {
		case !known:
			b.report(SX02, c.Position, "<"+c.Name+"> is not an SCXML element",
				"correct its name, or put it in a different namespace")
		case !ok && e.Name == "scxml" && c.Name == "transition":
			b.later(SX02, c.Position, "<transition> is not allowed in <scxml> and has no effect",
				"move it into a state that contains all others")
		case !ok:
			b.report(SX02, c.Position, "<"+c.Name+"> is not allowed in <"+e.Name+">", "move it; <"+
				e.Name+"> takes: "+listNames(r.children))
		case mark == "?" && seen[c.Name]:
			b.report(SX03, c.Position, "<"+e.Name+"> has a second <"+c.Name+">",
				"remove one of them")
		}
		seen[c.Name] = true
	}
}

func listNames(list string) string {
	if list == "" {
		return "none"
	}
	return strings.Join(strings.Fields(strings.NewReplacer("*", "", "?", "").Replace(list)), ", ")
}

func (b *builder) combinations(e *Element, r rule) {
	for _, group := range r.exclusive {
		if found := present(e, group); len(found) > 1 {
			b.report(SX03, e.At(found[1]), "<"+e.Name+"> has both "+found[0]+" and "+found[1],
				"keep one of them")
		}
	}
	for _, group := range r.needs {
		if len(present(e, group)) == 0 {
			b.report(SX03, e.Position, "<"+e.Name+"> has none of "+strings.NewReplacer("|", ", ",
				"inside", "something inside").Replace(group), "add one of them")
		}
	}
}

// present lists the parts of a group that an element has: "name" stands for an attribute, "<name>"
// for a child, "inside" for any content.
func present(e *Element, group string) (found []string) {
	for _, name := range strings.Split(group, "|") {
		_, ok := e.Attr(name)
		if child, is := strings.CutPrefix(name, "<"); is {
			ok = e.child(strings.TrimSuffix(child, ">")) != nil
		} else if name == "inside" {
			ok, name = hasContent(e), "something inside"
		}
		if ok {
			found = append(found, name)
		}
	}
	return found
}

func hasContent(e *Element) bool {
	return len(e.Elements()) > 0 || strings.TrimSpace(e.Text()) != ""
}

// child returns the first child element of that name, or nil.
func (e *Element) child(name string) *Element {
	for _, c := range e.Elements() {
		if c.is(name) {
			return c
		}
	}
	return nil
}

func quoteShort(text string) string {
	const most = 40
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return `"` + text + `"`
}
