package ssp

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// then returns the transformation that first applies t and then u. It returns false if u maps
// values that t has scaled.
func (t Transformation) then(u Transformation) (Transformation, bool) {
	if len(u.Map) == 0 {
		return Transformation{t.Map, t.Factor * u.Factor, float64(t.Offset*u.Factor) + u.Offset},
			true
	}
	if t.Factor != 1 || t.Offset != 0 {
		return t, false
	}
	joined := map[int64]int64{}
	for _, e := range u.Map {
		joined[e.Source] = e.Target
	}
	for _, e := range t.Map {
		joined[e.Source] = u.look(e.Target)
	}
	all := Transformation{Factor: u.Factor, Offset: u.Offset}
	for source, target := range joined {
		all.Map = append(all.Map, MapEntry{source, target})
	}
	all.sort()
	return all, true
}

func (t *Transformation) sort() {
	slices.SortFunc(t.Map, func(a, b MapEntry) int { return cmp.Compare(a.Source, b.Source) })
}

// look returns the value to which the map changes v.
func (t Transformation) look(v int64) int64 {
	k, found := slices.BinarySearchFunc(t.Map, v, func(e MapEntry,
		v int64) int {
		return cmp.Compare(e.Source, v)
	})
	if found {
		return t.Map[k].Target
	}
	return v
}

// Real applies the transformation to a floating-point number.
func (t Transformation) Real(v float64) float64 { return float64(v*t.Factor) + t.Offset }

// Integer applies the map to an integer, a Boolean or an enumeration.
func (t Transformation) Integer(v int64) int64 { return t.look(v) }

// transformations returns the elements of a connection or mapping that transform values.
func transformations(n *node) (list []*node) {
	for _, c := range n.Nodes {
		if c.Space == ssc && strings.HasSuffix(c.Name, "Transformation") {
			list = append(list, c)
		}
	}
	return list
}

func transformationOf(n *node) *node {
	if list := transformations(n); len(list) > 0 {
		return list[0]
	}
	return nil
}

// transformation reads a transformation from one port to another. For nil it returns the identity.
func (l *loader) transformation(d *document, n *node, from, to *port) (Transformation, bool) {
	t := Identity()
	if n == nil {
		return t, true
	}
	a, b := from.valueType(), to.valueType()
	refuse := func(expected string) (Transformation, bool) {
		l.stop("SSP-S5", d.place(n), fmt.Sprintf("<%s> from the type %s to %s, expected %s",
			n.Tag(), a, b, expected),
			"use the transformation for that type")
		return t, false
	}
	known := a != 0 && b != 0
	switch n.Name {
	case "LinearTransformation":
		if known && (!b.IsFloat() || a == fmi.Boolean) {
			return refuse("floating-point numbers")
		}
		t.Factor, t.Offset = l.finite("SSP-S5", d, n, "factor", 1),
			l.finite("SSP-S5", d, n, "offset", 0)
		if t.Factor == 0 {
			l.constant(d, n, plain(t.Offset))
		}
		return t, true
	case "BooleanMappingTransformation":
		if known && (a != fmi.Boolean || b != fmi.Boolean) {
			return refuse("Boolean")
		}
	case "IntegerMappingTransformation":
		if known && (!a.IsInteger() || !b.IsInteger()) {
			return refuse("integers or enumerations")
		}
	case "EnumerationMappingTransformation":
		if known && (a != fmi.Enumeration || b != fmi.Enumeration) {
			return refuse("enumerations")
		}
	}
	return l.readMap(d, n, from, to)
}

func (l *loader) readMap(d *document, n *node, from, to *port) (Transformation, bool) {
	t, ok := Identity(), true
	sources, targets := newMapEnd(from, "source"), newMapEnd(to, "target")
	seen := map[int64]bool{}
	for _, e := range n.AllIn(ssc, "MapEntry") {
		source, is := l.mapValue(d, n, e, sources)
		target, isToo := l.mapValue(d, n, e, targets)
		if !is || !isToo {
			ok = false
			continue
		}
		if seen[source] {
			l.find("SSP-X3", d.place(e), fmt.Sprintf("a second entry for the source %s",
				e.Get("source", "")), "keep one of them")
			continue
		}
		seen[source] = true
		t.Map = append(t.Map, MapEntry{source, target})
	}
	t.sort()
	if target, same := t.single(n.Name, sources, targets); ok && same {
		l.constant(d, n, target)
	}
	return t, ok
}

// single returns the value to which a map changes all values of its source, if there is only one.
// An integer has too many values for that.
func (t Transformation) single(name string, source, to mapEnd) (target string, same bool) {
	var all []int64
	switch name {
	case "BooleanMappingTransformation":
		all = []int64{0, 1}
	case "EnumerationMappingTransformation":
		all = slices.Compact(slices.Sorted(maps.Values(source.numbers)))
	}
	if len(all) < 2 || slices.ContainsFunc(all, func(v int64) bool {
		return t.look(v) != t.look(all[0])
	}) {
		return "", false
	}
	if name == "BooleanMappingTransformation" {
		return strconv.FormatBool(t.look(0) != 0), true
	}
	for _, item := range slices.Sorted(maps.Keys(to.numbers)) {
		if to.numbers[item] == t.look(all[0]) {
			return item, true
		}
	}
	return strconv.FormatInt(t.look(all[0]), 10), true
}

// constant reports a transformation whose result does not depend on the value.
func (l *loader) constant(d *document, n *node, target string) {
	l.find("SSP-S12", d.place(n), fmt.Sprintf("<%s> turns every value into %s", n.Tag(), target),
		"correct the transformation, or give the target this value as a start value")
}

// mapEnd is one end of a map: a port and the corresponding attribute of the entries.
type mapEnd struct {
	port      *port
	attribute string
	numbers   map[string]int64 // of the items of an enumeration
}

func newMapEnd(p *port, attribute string) mapEnd {
	e := mapEnd{p, attribute, map[string]int64{}}
	for _, i := range p.enumeration() {
		if _, known := e.numbers[i.name]; !known {
			e.numbers[i.name] = i.value
		}
	}
	return e
}

// mapValue returns one end of a map entry as a number.
func (l *loader) mapValue(d *document, n, entry *node, e mapEnd) (int64, bool) {
	text := entry.Get(e.attribute, "")
	switch n.Name {
	case "BooleanMappingTransformation":
		if l.truth(d, entry, e.attribute) {
			return 1, true
		}
		return 0, true
	case "IntegerMappingTransformation":
		return l.mapNumber(d, entry, e, strings.TrimSpace(text))
	}
	if v, known := e.numbers[text]; known {
		return v, true
	}
	l.stop("SSP-P3", d.place(entry), fmt.Sprintf("%q is not an item of the enumeration %q of %s",
		text, e.port.connector.Enumeration, e.port.label()),
		"take one of "+itemNames(e.port.enumeration()))
	return 0, false
}

// mapNumber returns an integer in a map; from 2^63 on, it has the bits of a UInt64. If the type is
// known, the sign must be valid for it because -1 and 2^64-1 have the same bits.
func (l *loader) mapNumber(d *document, entry *node, e mapEnd, text string) (int64, bool) {
	v, err := strconv.ParseInt(text, 10, 64)
	large, failed := strconv.ParseUint(text, 10, 64)
	if err != nil && failed != nil {
		return 0, false // already reported by the grammar
	}
	t := e.port.valueType()
	if t == fmi.UInt64 && failed != nil || t != 0 && t != fmi.UInt64 && err != nil {
		l.stop("SSP-S5", d.place(entry),
			fmt.Sprintf("%s is not a value of %s, which is of the type %s", text,
				e.port.label(), t),
			"use a value of that type")
		return 0, false
	}
	if err != nil {
		return int64(large), true
	}
	return v, true
}

func itemNames(items []item) string {
	var names []string
	for _, i := range items {
		names = append(names, strconv.Quote(i.name))
	}
	if len(names) > 8 {
		names = append(names[:8], "...")
	}
	return strings.Join(names, ", ")
}

// enumeration returns the items of a port: from the file or, failing that, from the type declared
// by the FMU.
func (p *port) enumeration() []item {
	if len(p.items) > 0 || p.owner == nil || p.owner.fmu == nil || p.connector.Variable == nil {
		return p.items
	}
	return fmuItems(p.owner.fmu, p.connector.Variable.DeclaredType)
}

func fmuItems(f *fmuFile, declared string) (list []item) {
	for _, t := range f.fmu.Model.Types {
		if t.Name != declared {
			continue
		}
		for _, i := range t.Items {
			if v, err := strconv.ParseInt(i.Value, 10, 64); err == nil {
				list = append(list, item{i.Name, v})
			}
		}
	}
	return list
}

// unitOf returns a unit with its definition in the file; ok is false if the unit is unknown.
type unitOf struct {
	unit fmi.Unit
	ok   bool
}

// unit returns the unit of a port: the unit in the file or, failing that, the FMU's unit.
func (p *port) unit() unitOf {
	if name := p.connector.Unit; name != "" {
		u, ok := p.doc.units[name]
		return unitOf{u, ok}
	}
	return fmuUnit(p.owner, p.connector)
}

func fmuUnit(e *element, c *Connector) unitOf {
	if e == nil || e.fmu == nil || c.Variable == nil || c.Variable.Unit == "" {
		return unitOf{}
	}
	for _, u := range e.fmu.fmu.Model.Units {
		if u.Name == c.Variable.Unit {
			return unitOf{u, u.Defined()}
		}
	}
	return unitOf{}
}

// convertUnits returns the conversion from one unit to another.
func (l *loader) convertUnits(place fault.Place, from, to unitOf, suppress, transformed bool) (
	Transformation, bool) {
	t := Identity()
	if !from.ok || !to.ok {
		return t, true
	}
	alike := from.unit.Exponents() == to.unit.Exponents()
	switch {
	case !alike && suppress && !transformed:
		l.untouched(place, from, to)
		return t, true
	case !alike && suppress:
		l.findAs(finding.Warning, "SSP-U1", place,
			fmt.Sprintf("%s goes to %s, which has a different dimension, only by a transformation",
				unitText(from.unit), unitText(to.unit)),
			"check that the transformation is intended")
		return t, true
	case !alike:
		l.stop("SSP-U1", place, fmt.Sprintf("%s cannot become %s: their dimensions differ",
			unitText(from.unit), unitText(to.unit)),
			"correct one of the units, or set suppressUnitConversion and add a "+
				"LinearTransformation")
		return t, false
	case suppress && transformed:
		return t, true
	}
	factor, offset, ok := from.unit.Conversion(to.unit)
	if !ok || math.IsNaN(factor) {
		l.stop("SSP-U1", place,
			fmt.Sprintf("%s cannot become %s: a factor is not a number that can be divided by",
				unitText(from.unit), unitText(to.unit)),
			"correct the factor of BaseUnit")
		return t, false
	}
	if suppress {
		if !isSame(from.unit, to.unit) {
			l.untouched(place, from, to)
		}
		return t, true
	}
	if from.unit.Name == to.unit.Name && (factor != 1 || offset != 0) {
		l.find("SSP-U2", place,
			fmt.Sprintf(
				"the unit %q has the factor %s and offset %s at the source, and %s and %s at "+
					"the destination",
				from.unit.Name, plain(from.unit.Scale()), plain(from.unit.Offset),
				plain(to.unit.Scale()), plain(to.unit.Offset)),
			"declare it identically everywhere")
	}
	t.Factor, t.Offset = factor, offset
	return t, true
}

// isSame reports whether two units differ at most by the rounding of their factors and offsets, as
// 0.0174532925 and 0.017453292519943295 for a degree do.
func isSame(a, b fmi.Unit) bool {
	const most = 1e-6
	return isNear(a.Scale(), b.Scale(), most) && isNear(a.Offset, b.Offset, most)
}

// isNear reports whether the relative difference of two numbers is at most as large as stated.
func isNear(a, b, most float64) bool {
	return math.Abs(a-b) <= most*max(math.Abs(a), math.Abs(b))
}

// untouched reports values that go to another unit as they are.
func (l *loader) untouched(place fault.Place, from, to unitOf) {
	l.find("SSP-U2", place, fmt.Sprintf("%s goes to %s unconverted and untransformed",
		unitText(from.unit), unitText(to.unit)),
		"add a LinearTransformation, or correct the units")
}

func plain(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// unitText formats a unit with its dimensions, such as bar (kg m-1 s-2).
func unitText(u fmi.Unit) string {
	var powers []string
	for _, p := range u.Powers() {
		text := p.Name
		if p.Exponent != 1 {
			text += strconv.Itoa(p.Exponent)
		}
		powers = append(powers, text)
	}
	dimension := "without dimension"
	if len(powers) > 0 {
		dimension = strings.Join(powers, " ")
	}
	return fmt.Sprintf("%q (%s)", u.Name, dimension)
}
