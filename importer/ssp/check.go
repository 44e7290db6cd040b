package ssp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/regular"
)

// Check reports all faults of a package (.ssp), a description (.ssd), a parameter set (.ssv), a
// mapping (.ssm) or a signal dictionary (.ssb). The kind of a file is determined from its content.
// Any error has the kind [ErrUnreadable].
func Check(name string, o Options) (finding.List, error) {
	if err := knownTool(o.For); err != nil {
		return nil, err
	}
	kind, err := kindOf(name)
	if err != nil {
		return nil, fault.Wrap(ErrUnreadable, fault.In(name), err)
	}
	if kind != values && kind != mapping && kind != dictionary {
		s, list, err := Load(name, o)
		if s == nil {
			return nil, err
		}
		return list, s.Close()
	}
	l := newLoader(o)
	home := openFolder(filepath.Dir(name))
	if d := l.read(home, filepath.Base(name), kind, fault.Place{File: name}, "SSP-S1"); d != nil {
		l.checkTool(d)
	}
	l.findings.Sort()
	return l.findings, nil
}

// kindOf determines the kind of a file from its root element or, failing that, from its extension.
// Packages and files that do not belong to SSP count as descriptions.
func kindOf(name string) (fileKind, error) {
	zipped, err := isZip(name)
	if err != nil || zipped {
		return description, err
	}
	info, err := os.Stat(name)
	if err != nil || info.Size() > maxBytes {
		return description, err
	}
	text, err := regular.ReadFile(name)
	if err != nil {
		return description, err
	}
	kinds := []fileKind{values, mapping, dictionary}
	if root, wrong := parse(text); wrong == nil {
		for _, k := range kinds {
			if root.Name == k.root {
				return k, nil
			}
		}
		if root.Name == description.root {
			return description, nil
		}
	}
	for _, k := range kinds {
		if strings.EqualFold(filepath.Ext(name), k.ending) {
			return k, nil
		}
	}
	return description, nil
}

// parameter is a parameter of a set with its values, which have been checked.
type parameter struct {
	node  *node
	name  string
	value *node // of its type
	texts []string
}

// checkContent checks a document beyond its structure.
func (l *loader) checkContent(d *document) {
	switch d.kind {
	case values:
		l.checkSet(d)
	case mapping:
		l.checkMapping(d)
	case dictionary:
		l.checkDictionary(d)
	}
}

// checkSet reads the parameters of a set.
func (l *loader) checkSet(d *document) {
	seen := map[string]bool{}
	for _, n := range d.root.In(ssv, "Parameters").AllIn(ssv, "Parameter") {
		p := parameter{node: n, name: n.Get("name", ""), value: valueNode(n)}
		if seen[p.name] {
			l.find("SSP-S4", d.at(n, p.name), fmt.Sprintf("the parameter set has two parameters %q",
				p.name), "keep one of them")
			continue
		}
		seen[p.name] = true
		if p.value == nil {
			continue // already reported by the grammar
		}
		kind := typeNames[p.value.Name]
		place := d.at(p.value, p.name)
		texts, ok := l.texts(d, p.value, kind, place)
		if !ok {
			continue
		}
		p.texts = texts
		if kind.IsFloat() {
			l.knownUnit(d, p.value, p.value.Get("unit", ""), p.name)
		}
		l.checkItems(d, p, place)
		l.checkLength(p, place)
		if p.value.Name == "String" && len(texts) == 1 {
			l.checkPath(texts[0], place)
		}
		d.parameters = append(d.parameters, p)
	}
}

// checkItems compares the value of an enumeration with its items if the set declares them.
func (l *loader) checkItems(d *document, p parameter, place fault.Place) {
	name := p.value.Get("name", "")
	if p.value.Name != "Enumeration" || name == "" {
		return
	}
	items, known := d.enumerations[name]
	if !known {
		l.find("SSP-X3", place, fmt.Sprintf("the enumeration %q is not declared in this file",
			name), "declare it in Enumerations of this file")
		return
	}
	for _, text := range p.texts {
		if !slices.ContainsFunc(items, func(i item) bool { return i.name == text }) {
			l.find("SSP-P3", place, fmt.Sprintf("%q is not an item of the enumeration %q", text,
				name), "take one of "+itemNames(items))
		}
	}
}

// checkLength compares the number of values with the dimensions of the parameter.
func (l *loader) checkLength(p parameter, place fault.Place) {
	size := uint64(1)
	dimensions := p.node.AllIn(ssc, "Dimension")
	for _, n := range dimensions {
		text, stated := n.Attribute("size")
		if !stated {
			return
		}
		size *= min(parseIndex(text), 1<<24)
	}
	if len(dimensions) > 0 && size != uint64(len(p.texts)) {
		l.find("SSP-P3", place, fmt.Sprintf("%d values, and the parameter has %d elements",
			len(p.texts), size), "correct the dimensions or the values")
	}
}

// checkMapping looks for targets that receive two values.
func (l *loader) checkMapping(d *document) {
	seen := map[string]*node{}
	for _, m := range d.root.AllIn(ssm, "MappingEntry") {
		target := m.Get("target", "")
		if other := seen[target]; other != nil {
			l.find("SSP-S5", d.at(m, target),
				fmt.Sprintf("a second parameter is mapped to %q, "+
					"in addition to %q in line %d", target,
					other.Get("source", ""), other.Line), "keep one of the entries")
		}
		seen[target] = m
		if list := transformations(m); len(list) > 1 {
			l.find("SSP-S5", d.place(list[1]), "a second transformation in one entry",
				"keep one of them")
		}
	}
}

// checkDictionary checks the types of the entries.
func (l *loader) checkDictionary(d *document) {
	seen := map[string]bool{}
	for _, n := range d.root.AllIn(ssb, "DictionaryEntry") {
		name := n.Get("name", "")
		if seen[name] {
			l.stop("SSP-S4", d.at(n, name), fmt.Sprintf("two entries are named %q", name),
				"keep one of them")
		}
		seen[name] = true
		p := &port{connector: &Connector{Name: name}, doc: d, node: n}
		for _, t := range n.Nodes {
			if t.Space == ssc && typeNames[t.Name] != 0 {
				l.readType(p, t)
			}
		}
		for _, dim := range n.AllIn(ssc, "Dimension") {
			l.readDimension(p, dim)
		}
	}
}

// ErrTool reports an unknown tool.
var ErrTool = errors.New("unknown tool")
