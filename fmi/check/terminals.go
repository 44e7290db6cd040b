package check

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/xmldoc"
)

// terminals checks terminalsAndIcons.xml (D4), and that the pictures named there exist (Z7).
func (x *examiner) terminals() {
	const document = "terminalsAndIcons/terminalsAndIcons.xml"
	y, z := x.within(document, "D4"), x.within(document, "Z7")
	if n := y.read("fmiTerminalsAndIcons"); n != nil {
		y.terminalList(n.Child("Terminals").Children("Terminal"))
		for _, c := range n.Child("Terminals").Children("Terminal") {
			y.terminal(c)
			z.icon(c)
		}
	}
	x.list = append(append(x.list, y.list...), z.list...)
}

// terminalList checks that terminals on the same level have different names.
func (x *examiner) terminalList(list []*xmldoc.Node) { x.unique("D4", "terminal", list, "name") }

// matchingRules are the matching rules that FMI 3.0 defines; other rules begin with a reverse
// domain name.
var matchingRules = []string{"plug", "bus", "sequence", "none"}

// variableKinds are the variable kinds that FMI 3.0 defines.
var variableKinds = []string{"signal", "inflow", "outflow"}

func (x *examiner) terminal(n *xmldoc.Node) {
	rule := n.Value("matchingRule")
	if rule != "" && !slices.Contains(matchingRules, rule) && !strings.Contains(rule, ".") {
		x.error("D4", x.at(n), fact{what: "matchingRule of a terminal", found: quoted(rule),
			expected: strings.Join(matchingRules, ", ") +
				", or a name that begins with a reverse domain"})
	}
	members := n.Children("TerminalMemberVariable")
	if rule == "plug" || rule == "bus" {
		for _, m := range members {
			if _, stated := m.Attribute("memberName"); !stated {
				x.error("D4", x.at(m), fact{what: "a member without memberName",
					expected: "a memberName, by which members are matched"})
			}
		}
	}
	x.unique("D4", "member", members, "memberName")
	for _, m := range members {
		v := x.member(m, "variableName")
		kind := m.Value("variableKind")
		if slices.Contains(variableKinds, kind) {
			x.connectable(m, v, "variableName", connectable)
		}
		if kind != "" && !slices.Contains(variableKinds, kind) &&
			!strings.Contains(kind, ".") {
			x.error("D4", x.at(m), fact{what: "variableKind", found: quoted(kind),
				expected: strings.Join(variableKinds, ", ") +
					", or a name that begins with a reverse domain"})
		}
	}
	x.streams(n, members)
	x.terminalList(n.Children("Terminal"))
	for _, c := range n.Children("Terminal") {
		x.terminal(c)
	}
}

// connectable lists the causalities of variables that a terminal can connect.
var connectable = []fmi.Causality{fmi.Input, fmi.Output, fmi.Parameter, fmi.CalculatedParameter}

// connectable checks that a terminal can connect a variable.
func (x *examiner) connectable(n *xmldoc.Node, v *variable, attribute string,
	allowed []fmi.Causality) {
	if v == nil || slices.Contains(allowed, v.Causality) {
		return
	}
	var names []string
	for _, c := range allowed {
		names = append(names, string(c))
	}
	x.error("D4", x.at(n), fact{what: "causality of the " + attribute + " of a terminal",
		found:    fmt.Sprintf("%q, which is %s", v.Name, v.Causality),
		expected: strings.Join(names, " or ")})
}

// streams checks the variables that a flow carries. They come in pairs, one for outgoing and one
// for incoming flow (FMI 3.0.2, 2.4.9.2).
func (x *examiner) streams(terminal *xmldoc.Node, members []*xmldoc.Node) {
	list := terminal.Children("TerminalStreamMemberVariable")
	names := map[string]bool{}
	for _, m := range members {
		names[m.Value("memberName")] = true
	}
	for _, m := range list {
		in, out := x.member(m, "inStreamVariableName"), x.member(m, "outStreamVariableName")
		x.connectable(m, in, "inStreamVariableName", []fmi.Causality{fmi.Input, fmi.Parameter})
		x.connectable(m, out, "outStreamVariableName", []fmi.Causality{fmi.Output,
			fmi.CalculatedParameter})
		if in != nil && out != nil && x.shape(in) != x.shape(out) {
			x.error("D4", x.at(m), fact{what: "sizes of the variables of a stream",
				found: fmt.Sprintf("%s%s and %s%s", in.Name, x.shape(in), out.Name,
					x.shape(out)),
				expected: "equal ones"})
		}
		for _, attribute := range []string{"inStreamMemberName", "outStreamMemberName"} {
			if name := m.Value(attribute); names[name] && name != "" {
				x.error("D4", x.at(m), fact{what: "a second member of this name",
					found: quoted(name), expected: "unique names"})
			}
			names[m.Value(attribute)] = true
		}
	}
	flows := 0
	for _, m := range members {
		if kind := m.Value("variableKind"); kind == "inflow" || kind == "outflow" {
			flows++
		}
	}
	if len(list) > 0 && flows > 1 {
		x.error("D4", x.at(list[0]), fact{what: "streams of a terminal with several flows",
			found:    fmt.Sprintf("%d members of the kinds inflow and outflow", flows),
			expected: "one", remedy: "nest a terminal for each flow"})
	}
}

// shape returns the initial size of an array, such as [2][3]; it returns an empty string for a
// scalar.
func (x *examiner) shape(v *variable) (text string) {
	for _, n := range v.node.Children("Dimension") {
		size := strings.TrimSpace(n.Value("start"))
		if reference, refers := n.Attribute("valueReference"); refers {
			size = "?"
			if to, found := x.target(strings.TrimSpace(reference)); found && len(to.Start) > 0 {
				size = to.Start[0]
			}
		}
		text += "[" + size + "]"
	}
	return text
}

// icon checks that the pictures of a terminal and of its nested terminals exist. A picture is named
// by a relative URI without an extension.
func (x *examiner) icon(terminal *xmldoc.Node) {
	for _, c := range terminal.Children("Terminal") {
		x.icon(c)
	}
	n := terminal.Child("TerminalGraphicalRepresentation")
	name, stated := n.Attribute("iconBaseName")
	if !stated {
		return
	}
	const folder = "terminalsAndIcons"
	place := x.at(n)
	target, err := url.Parse(name)
	if err != nil || target.IsAbs() || target.Host != "" || strings.HasPrefix(target.Path, "/") ||
		strings.HasPrefix(path.Clean(target.Path), "..") {
		x.warn("Z7", place, fact{what: "iconBaseName", found: quoted(name),
			expected: "a relative URI of a file in " + folder + "/"})
		return
	}
	if file := path.Join(folder, target.Path) + ".png"; x.entries[file] == nil {
		x.warn("Z7", place, fact{what: "the picture of a terminal is missing",
			found: quoted(name), expected: quoted(file)})
	}
}

// member returns the variable of a member, or reports that no variable has this name.
func (x *examiner) member(n *xmldoc.Node, attribute string) *variable {
	name, stated := n.Attribute(attribute)
	if v := x.byName[name]; !stated || v != nil || x.isAlias(name) {
		return v
	}
	f := fact{what: attribute + " of a terminal", found: quoted(name),
		expected: "the name of a variable"}
	var names []string
	for _, v := range x.variables {
		names = append(names, v.Name)
	}
	if near := nearest(name, names); near != "" {
		f.expected = quoted(near)
	}
	x.error("D4", x.at(n), f)
	return nil
}

// isAlias reports whether a name is an alias of FMI 3.0.
func (x *examiner) isAlias(name string) bool {
	return slices.ContainsFunc(x.variables, func(v *variable) bool {
		return slices.ContainsFunc(v.node.Children("Alias"),
			func(a *xmldoc.Node) bool { return a.Value("name") == name })
	})
}
