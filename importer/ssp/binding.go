package ssp

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/osmp"
)

// binding is a parsed parameter binding.
type binding struct {
	level   *element // whose names count
	prefix  string
	set     *document
	mapping *document // nil: no mapping
	place   fault.Place
	number  int
}

// given is a value that a binding gives to a variable.
type given struct {
	kind      fmi.Type
	values    []string
	place     fault.Place
	reason    string
	written   string // as written in the parameter set
	connected bool   // from a connection, which overrides bindings
}

// readBindings reads the parameter bindings of an element and of everything inside it.
func (l *loader) readBindings(e *element) {
	l.readOwn(e, e.node, e.doc)
	if e.outer != nil {
		l.readOwn(e, e.outer, e.outerDoc)
	}
	for _, c := range e.children {
		if c.signals == nil {
			l.readBindings(c)
		}
	}
}

// readOwn reads the bindings in one definition of an element.
func (l *loader) readOwn(e *element, n *node, d *document) {
	for _, b := range n.In(ssd, "ParameterBindings").AllIn(ssd, "ParameterBinding") {
		place := d.at(b, e.label())
		read := &binding{level: e, prefix: b.Get("prefix", ""), place: place,
			number: len(e.bindings) + 1}
		read.set = l.source(e, d, b, "ParameterValues", values, valuesType, place)
		if m := b.In(ssd, "ParameterMapping"); m != nil {
			if read.mapping = l.source(e, d, m, "", mapping, mappingType,
				d.at(m, e.label())); read.mapping == nil {
				continue
			}
		}
		if read.set != nil {
			e.bindings = append(e.bindings, read)
		}
	}
}

// source reads the document that a binding or mapping refers to or contains.
func (l *loader) source(e *element, d *document, n *node, wrapper string, kind fileKind,
	media string, from fault.Place) *document {
	if n.Get("sourceBase", "SSD") == "component" && n.Get("source", "") != "" {
		return l.fromComponent(e, d, n, kind, from)
	}
	inline := n
	if wrapper != "" {
		inline = n.In(ssd, wrapper)
	}
	return l.attachedIn(d, n, inline, kind, media, from, "SSP-P1")
}

// fromComponent reads a document inside the FMU of a component or next to the description that
// replaces the FMU.
func (l *loader) fromComponent(e *element, d *document, n *node, kind fileKind,
	from fault.Place) *document {
	switch {
	case e.outer != nil:
		r, ok := l.resolveFile(e.doc, e.doc.name, n.Get("source", ""), from)
		if !ok {
			return nil
		}
		return l.read(e.doc.home, r.name, kind, from, "SSP-P1")
	case e.component == nil: // the base of a system is always its own description
		return l.attachedIn(d, n, nil, kind, n.Get("type", ""), from, "SSP-P1")
	}
	home := l.inFMU(e)
	if home == nil {
		l.stop("SSP-P1", from, "sourceBase is component, and the component has no FMU to look into",
			"correct the source of the component")
		return nil
	}
	r, ok := l.resolveFile(&document{home: home}, "", n.Get("source", ""), from)
	if !ok {
		return nil
	}
	return l.read(home, r.name, kind, from, "SSP-P1")
}

// attached reads a document that an element refers to or contains.
func (l *loader) attached(d *document, n *node, kind fileKind, media string, from fault.Place,
	rule string) *document {
	return l.attachedIn(d, n, n, kind, media, from, rule)
}

func (l *loader) attachedIn(d *document, n, inline *node, kind fileKind, media string,
	from fault.Place, rule string) *document {
	source, has := n.Attribute("source")
	var root *node
	if len(inline.Elements()) > 0 {
		root = inline.Nodes[0]
	}
	has = has && source != ""
	if t := n.Get("type", media); t != media {
		l.find(rule, from, fmt.Sprintf("the type %q is not read here, expected %q", t, media),
			"write a "+kind.title)
		return nil
	}
	switch {
	case has && root != nil:
		l.find(rule, from, "a source and an inline "+kind.title+", where one of them is allowed",
			"keep one of them")
	case !has && root == nil:
		l.find(rule, from, "neither a source nor an inline "+kind.title, "add one of them")
		return nil
	}
	if has {
		r, ok := l.resolveFile(d, d.name, source, from)
		if !ok {
			return nil
		}
		return l.read(d.home, r.name, kind, from, rule)
	}
	return l.inline(d, root, kind)
}

// inline creates a document, once, from content inside another document.
func (l *loader) inline(d *document, root *node, kind fileKind) *document {
	key := documentKey{d.home, fmt.Sprintf("%s#%d:%d", d.name, root.Line, root.Column)}
	if inner, is := l.documents[key]; is {
		return inner
	}
	inner := l.accept(&document{kind: kind, home: d.home, name: d.name, root: root, enclosing: d})
	l.documents[key] = inner
	return inner
}

// empty reports whether a binding has no values, or a mapping that maps none of them.
func (b *binding) empty() bool {
	return b.set.root.In(ssv, "Parameters").In(ssv, "Parameter") == nil ||
		b.mapping != nil && b.mapping.root.In(ssm, "MappingEntry") == nil
}

// assignment is a value in a binding, under its name at the level of the binding.
type assignment struct {
	target    string
	parameter parameter
	entry     *node // from a mapping; nil without one
	binding   *binding
}

// assignments returns the values of a binding: only the mapped values if there is a mapping, and
// all values otherwise.
func (l *loader) assignments(b *binding) (list []assignment) {
	byName := map[string]parameter{}
	known := map[string]bool{}
	for _, n := range b.set.root.In(ssv, "Parameters").AllIn(ssv, "Parameter") {
		known[b.prefix+n.Get("name", "")] = true
	}
	for _, p := range b.set.parameters {
		name := b.prefix + p.name
		byName[name] = p
		if b.mapping == nil {
			list = append(list, assignment{target: name, parameter: p, binding: b})
		}
	}
	if b.mapping == nil {
		return list
	}
	targets := map[string]bool{}
	for _, m := range b.mapping.root.AllIn(ssm, "MappingEntry") {
		source, target := m.Get("source", ""), m.Get("target", "")
		p, usable := byName[source]
		switch {
		case !known[source]:
			l.find("SSP-P2", b.mapping.at(m, source),
				fmt.Sprintf("the parameter set has no parameter %q to map", source),
				"correct the source of the mapping")
		case usable && !targets[target]: // unusable values were reported with their document
			targets[target] = true
			list = append(list, assignment{target: target, parameter: p, entry: m, binding: b})
		}
	}
	return list
}

// bind applies all bindings from the inside out, so that bindings applied later take precedence.
func (l *loader) bind(e *element) {
	for _, c := range e.children {
		if c.signals == nil {
			l.bind(c)
		}
	}
	for _, b := range e.bindings {
		if l.tooLarge(len(b.set.parameters), e) {
			return
		}
		if b.empty() {
			l.find("SSP-P2", b.place, "the binding gives no value to anything: its parameter set "+
				"or its mapping is empty", "add values, or remove the binding")
		}
		for _, a := range l.assignments(b) {
			if !l.assign(e, a, a.target) {
				l.unmatched(a)
			}
		}
	}
}

// unmatched reports a parameter that does not match any variable.
func (l *loader) unmatched(a assignment) {
	if a.entry != nil {
		l.find("SSP-P2", a.binding.mapping.at(a.entry, a.target),
			fmt.Sprintf("the target %q of the mapping is not a variable of %s",
				a.target, a.binding.level.label()), "correct the target")
		return
	}
	l.find("SSP-P2", a.binding.set.at(a.parameter.node, a.target),
		fmt.Sprintf("%q is not a variable of %s: the value has no effect",
			a.target, a.binding.level.label()), "correct the name or the prefix of the binding")
}

// assign gives a value to all variables with the given name below an element and reports whether
// there are any.
func (l *loader) assign(e *element, a assignment, name string) (met bool) {
	if e.component != nil {
		return l.assignVariable(e, a, name)
	}
	if p := e.portByName[name]; p != nil {
		met = true
		if v, ok := l.give(a, p); ok {
			l.disagree(p.label(), p.binds, v)
			p.binds = v
		}
	}
	for k := 0; k < len(name); k++ {
		if name[k] != '.' {
			continue
		}
		if c := e.byName[name[:k]]; c != nil && c.signals == nil && l.assign(c, a, name[k+1:]) {
			met = true
		}
	}
	return met
}

// assignVariable gives a value to a variable of a component.
func (l *loader) assignVariable(e *element, a assignment, name string) bool {
	p := e.portByName[name]
	if p == nil {
		v := e.fmu.variable(name)
		c := &Connector{Name: name, Kind: Unspecified, Variable: v}
		if v != nil {
			c.Kind = Kind(v.Causality)
		} else if e.fmu != nil { // without an FMU, which is reported elsewhere, any may exist
			m, is := e.fmu.messagesByName()[name]
			if !is || m.role != osmp.Full || m.kind == Output {
				return false
			}
			c.Kind, c.Type = m.kind, fmi.Binary
		}
		p = &port{owner: e, doc: e.doc, connector: c}
	}
	if v := p.connector.Variable; v != nil && !settable(v) {
		l.find("SSP-P2", a.binding.set.at(a.parameter.node, name),
			fmt.Sprintf("%s of %s cannot be set: it is %s", name, e.label(), nature(v)),
			"remove the value")
		return true
	}
	if v, ok := l.give(a, p); ok {
		e.given(name, v)
	}
	return true
}

// given adds a variable's value to a component. It overrides an earlier value, unless that came
// from a connection.
func (e *element) given(name string, v *given) {
	e.component.values = append(e.component.values, namedValue{name, v})
}

// namedValue is a value from a binding; lists of values are in order of precedence.
type namedValue struct {
	name  string
	value *given
}

// settle picks the values that take precedence and reports contradictory bindings.
func (l *loader) settle(c *Component) {
	var order []string
	winners := map[string]*given{}
	for _, x := range c.values {
		before := winners[x.name]
		if before == nil {
			order = append(order, x.name)
		}
		if before != nil && before.connected && !x.value.connected {
			continue
		}
		l.disagree(c.Name+"."+x.name, before, x.value)
		winners[x.name] = x.value
	}
	for _, name := range order {
		v := winners[name]
		c.Starts = append(c.Starts, Start{name, v.kind, v.values, v.place, v.reason})
	}
}

// disagree reports a value that is overridden by a different one.
func (l *loader) disagree(name string, loser, winner *given) {
	if loser == nil || slices.Equal(loser.values, winner.values) {
		return
	}
	l.find("SSP-P4", loser.place, fmt.Sprintf("%s = %s here, but %s in %s:%d is "+
		"%s and takes precedence: %s",
		name,
		strings.Join(loser.values, " "), winner.reason, fileOf(winner.place), winner.place.Line,
		strings.Join(winner.values, " "),
		why(loser, winner)), "remove the unwanted value")
}

func fileOf(p fault.Place) string {
	if p.Entry != "" {
		return p.Entry
	}
	return p.File
}

func why(loser, winner *given) string {
	switch {
	case winner.connected:
		return "a connection takes precedence over bindings"
	case loser.reason == winner.reason:
		return "the later binding of a level takes precedence"
	}
	return "the higher level takes precedence, and within a level the later binding"
}
