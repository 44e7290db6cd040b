package ssp

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/decimal"
	"gosmp/internal/fault"
)

// settable reports whether a variable may be given a start value before initialization (SSP 2.0,
// 5.5; FMI 2.0, 4.2.4).
func settable(v *archive.Variable) bool {
	return v.Variability != fmi.Constant && v.Initial != fmi.Calculated &&
		v.Causality != fmi.CalculatedParameter &&
		v.Causality != fmi.Independent
}

func nature(v *archive.Variable) string {
	if v.Variability == fmi.Constant {
		return "constant"
	}
	if v.Causality == fmi.Independent {
		return "the time"
	}
	return "calculated by the FMU"
}

// give adapts the value of an assignment to a port: its type, length, unit and transformation.
func (l *loader) give(a assignment, p *port) (*given, bool) {
	set := a.binding.set
	t, texts := a.parameter.value, a.parameter.texts
	place := set.at(t, p.label())
	kind := typeNames[t.Name]
	want := p.valueType()
	source := &port{connector: &Connector{Name: a.parameter.name, Type: kind,
		Enumeration: t.Get("name", "")}, doc: set}
	source.owner = &element{name: source.connector.Name, node: t, doc: set}
	source.items = set.enumerations[source.connector.Enumeration]
	if !fits(kind, want) {
		l.stop("SSP-P3", place, fmt.Sprintf("a value of the type %s, expected %s", kind, want),
			"write a value of that type")
		return nil, false
	}
	if n := p.size(); n > 0 && n != uint64(len(texts)) && kind != fmi.Binary {
		l.stop("SSP-P3", place, fmt.Sprintf("%d values, expected %d", len(texts), n),
			"write as many values as the array has elements")
		return nil, false
	}
	if kind == fmi.Enumeration {
		numbers, ok := l.itemValues(texts, source, p, place)
		if !ok {
			return nil, false
		}
		texts = numbers
	}
	conversion, ok := l.conversionOf(a, t, source, p, place)
	if !ok {
		return nil, false
	}
	converted, ok := l.carry(texts, source, p, conversion, place)
	if !ok {
		return nil, false
	}
	l.checkRange(converted, p, place)
	v := &given{kind: kind, values: converted, place: place, written: strings.Join(texts, " ")}
	v.reason = fmt.Sprintf("binding %d of %s", a.binding.number, a.binding.level.label())
	return v, true
}

func valueNode(parameter *node) *node {
	for _, c := range parameter.Nodes {
		if c.Space == ssv && typeNames[c.Name] != 0 {
			return c
		}
	}
	return nil
}

// conversionOf returns the conversion of a value from the parameter set to the variable.
func (l *loader) conversionOf(a assignment, t *node, source, p *port, place fault.Place) (
	Transformation, bool) {
	set := a.binding.set
	var from unitOf
	if unit := t.Get("unit", ""); unit != "" {
		u, known := set.units[unit]
		from = unitOf{u, known}
	}
	suppress, transformed := false, (*node)(nil)
	if a.entry != nil {
		suppress = l.truth(a.binding.mapping, a.entry, "suppressUnitConversion")
		transformed = transformationOf(a.entry)
	}
	unit, ok := l.convertUnits(place, from, p.unit(), suppress, transformed != nil)
	if !ok || transformed == nil {
		return unit, ok
	}
	change, ok := l.transformation(a.binding.mapping, transformed, source, p)
	if !ok {
		return change, false
	}
	return unit.then(change)
}

// texts returns the values of a parameter after checking them by type.
func (l *loader) texts(d *document, t *node, kind fmi.Type, place fault.Place) ([]string, bool) {
	list, ok := l.split(t, kind, place)
	if !ok {
		return nil, false
	}
	if d.version < 2 && len(list) != 1 {
		l.find("SSP-X3", place,
			fmt.Sprintf("%d values: arrays were introduced in SSP 2.0, but the "+
				"version of the file is 1.0",
				len(list)),
			`write version="2.0"`)
	}
	for k, text := range list {
		if kind == fmi.Binary {
			if _, err := hex.DecodeString(strings.TrimSpace(text)); err != nil {
				l.stop("SSP-P3", place, fmt.Sprintf("%q, expected hexadecimal digits in pairs",
					text), "write two digits per byte")
				return nil, false
			}
			list[k] = strings.TrimSpace(text)
			continue
		}
		if kind == fmi.String || kind == fmi.Enumeration {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if kind.IsFloat() && errors.Is(err, strconv.ErrRange) {
			l.stop("SSP-P3", place, "the value "+text+", expected a number", "correct the value")
			return nil, false
		}
		if err == nil && math.IsNaN(x) && kind.IsFloat() {
			l.find("SSP-P3", place, "the value "+text+", expected a number", "correct the value")
		}
		if _, err := kind.ParseValue(text); err != nil {
			l.stop("SSP-P3", place, fmt.Sprintf("the value %q, expected %s", text,
				kind.ExpectedValue()), "correct the value")
			return nil, false
		}
	}
	return list, true
}

// split splits the values of a parameter.
func (l *loader) split(t *node, kind fmi.Type, place fault.Place) ([]string, bool) {
	text, has := t.Attribute("value")
	if kind != fmi.String && kind != fmi.Enumeration && kind != fmi.Binary {
		list := strings.Fields(text)
		if len(list) == 0 {
			l.stop("SSP-P3", place, "no value, expected "+kind.ExpectedValue(), "write a value")
		}
		return list, len(list) > 0
	}
	children := t.AllIn(ssv, "Value")
	switch {
	case has && len(children) > 0:
		l.stop("SSP-P3", place,
			"an attribute value and elements Value, but only one of them is allowed",
			"keep one of them")
		return nil, false
	case has:
		return []string{text}, true
	case len(children) == 0:
		l.stop("SSP-P3", place, "neither an attribute value nor an element Value", "write a value")
		return nil, false
	}
	var list []string
	for _, c := range children {
		list = append(list, c.Get("value", ""))
	}
	return list, true
}

// itemValues converts names of items to numbers, using the items of the variable or, failing that,
// of the parameter set. If neither has items, the names are kept.
func (l *loader) itemValues(texts []string, source, p *port, place fault.Place) ([]string, bool) {
	items := p.enumeration()
	if len(items) == 0 {
		items = source.items
	}
	if len(items) == 0 {
		return texts, true
	}
	list := slices.Clone(texts)
	for k, text := range texts {
		i := slices.IndexFunc(items, func(i item) bool { return i.name == text })
		if i < 0 {
			l.stop("SSP-P3", place, fmt.Sprintf("%q is not an item of the enumeration", text),
				"take one of "+itemNames(items))
			return nil, false
		}
		list[k] = strconv.FormatInt(items[i].value, 10)
	}
	return list, true
}

// checkRange compares values with the bounds specified by the FMU.
func (l *loader) checkRange(list []string, p *port, place fault.Place) {
	v := p.connector.Variable
	if v == nil || !v.Type.IsFloat() && !v.Type.IsInteger() {
		return
	}
	bound := func(text string, outside func(v, bound float64) bool, word string) {
		limit, err := decimal.Float(text, 64)
		if err != nil {
			return
		}
		for _, one := range list {
			if value, err := decimal.Float(one, 64); err == nil && outside(value, limit) {
				l.find("SSP-P3", place, fmt.Sprintf("the value %s is %s of the variable, %s", one,
					word, text), "correct the value")
				return
			}
		}
	}
	below := func(value, limit float64) bool { return decimal.Exceeds(limit, value) }
	bound(v.Min, below, "below the minimum")
	bound(v.Max, decimal.Exceeds, "above the maximum")
}

// checkPath reports a text that looks like a path (ssp-standard, 74).
func (l *loader) checkPath(text string, place fault.Place) {
	relative := strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") ||
		strings.HasPrefix(text, "resources/")
	absolute := strings.HasPrefix(text, "/") && len(text) > 1 || len(text) > 2 && text[1] == ':' &&
		(text[2] == '\\' || text[2] == '/')
	switch {
	case relative:
		l.find("SSP-P5", place,
			fmt.Sprintf(
				"%q looks like a relative path: SSP defines no base for it, and the FMU resolves "+
					"it in the folder in which the tool was started",
				text),
			"run the tool in the intended folder, or let the FMU use its resources")
	case absolute:
		l.find("SSP-P5", place,
			fmt.Sprintf("%q looks like an absolute path, which is "+
				"valid on only one computer", text),
			"put the file into the resources of the FMU")
	}
}
