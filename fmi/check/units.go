package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/xmldoc"
)

// displayUnit checks that a display unit belongs to its unit (V17).
func (x *examiner) displayUnit(place fault.Place, unit *fmi.Unit, unitName, name string) {
	if name == "" || name == unitName {
		return
	}
	var names []string
	if unit != nil {
		for _, d := range unit.DisplayUnits {
			names = append(names, d.Name)
		}
	}
	if slices.Contains(names, name) {
		return
	}
	f := fact{what: "displayUnit", found: quoted(name),
		expected: "a unit of which it is a display unit"}
	if unit != nil {
		f.expected = "a display unit of " + unit.Name
		if len(names) > 0 {
			f.expected += ": " + listed(names)
		}
	}
	x.error("V17", place, f)
}

// knownUnits are well-known units, as powers of kg, m, s, A, K, mol, cd and rad. Units of angles
// may omit rad, which is 1 in SI.
var knownUnits = []fmi.Unit{
	{Name: "m", M: 1, Factor: 1}, {Name: "km", M: 1, Factor: 1000},
	{Name: "cm", M: 1, Factor: 0.01}, {Name: "mm", M: 1, Factor: 0.001},
	{Name: "s", S: 1, Factor: 1}, {Name: "ms", S: 1, Factor: 0.001},
	{Name: "min", S: 1, Factor: 60}, {Name: "h", S: 1, Factor: 3600},
	{Name: "kg", KG: 1, Factor: 1}, {Name: "g", KG: 1, Factor: 0.001},
	{Name: "A", A: 1, Factor: 1}, {Name: "K", K: 1, Factor: 1},
	{Name: "degC", K: 1, Factor: 1, Offset: 273.15},
	{Name: "degF", K: 1, Factor: 5.0 / 9, Offset: 273.15 - 32*5.0/9},
	{Name: "mol", Mol: 1, Factor: 1}, {Name: "cd", Cd: 1, Factor: 1},
	{Name: "rad", Rad: 1, Factor: 1}, {Name: "deg", Rad: 1, Factor: math.Pi / 180},
	{Name: "rad/s", Rad: 1, S: -1, Factor: 1}, {Name: "deg/s", Rad: 1, S: -1,
		Factor: math.Pi / 180},
	{Name: "rpm", Rad: 1, S: -1, Factor: math.Pi / 30},
	{Name: "m/s", M: 1, S: -1, Factor: 1}, {Name: "km/h", M: 1, S: -1, Factor: 1 / 3.6},
	{Name: "m/s2", M: 1, S: -2, Factor: 1}, {Name: "Hz", S: -1, Factor: 1},
	{Name: "N", KG: 1, M: 1, S: -2, Factor: 1}, {Name: "N.m", KG: 1, M: 2, S: -2, Factor: 1},
	{Name: "Pa", KG: 1, M: -1, S: -2, Factor: 1}, {Name: "bar", KG: 1, M: -1, S: -2, Factor: 1e5},
	{Name: "kPa", KG: 1, M: -1, S: -2, Factor: 1000},
	{Name: "J", KG: 1, M: 2, S: -2, Factor: 1}, {Name: "kWh", KG: 1, M: 2, S: -2, Factor: 3.6e6},
	{Name: "W", KG: 1, M: 2, S: -3, Factor: 1}, {Name: "kW", KG: 1, M: 2, S: -3, Factor: 1000},
	{Name: "V", KG: 1, M: 2, S: -3, A: -1, Factor: 1},
	{Name: "Ohm", KG: 1, M: 2, S: -3, A: -2, Factor: 1}, {Name: "C", A: 1, S: 1, Factor: 1},
	{Name: "F", KG: -1, M: -2, S: 4, A: 2, Factor: 1}, {Name: "T", KG: 1, S: -2, A: -1, Factor: 1},
	{Name: "%", Factor: 0.01},
}

// knownUnit compares a unit with the usual meaning of its name (U2). It returns false if they
// differ, so that display units cannot be judged by this unit.
func (x *examiner) knownUnit(n *xmldoc.Node, u *fmi.Unit) bool {
	k := slices.IndexFunc(knownUnits, func(known fmi.Unit) bool { return known.Name == u.Name })
	if k < 0 || !u.Defined() || len(n.Children("BaseUnit")) == 0 {
		return true
	}
	known, stated := knownUnits[k], *u
	if known.Rad != 0 && stated.Rad == 0 || known.Rad == 0 && stated.Rad != 0 &&
		known.Name == "Hz" {
		known.Rad, stated.Rad = 0, 0
	}
	if u.Name == "Hz" && math.Abs(u.Scale()-2*math.Pi) < 1e-6 {
		return true // one turn per second
	}
	const relative = 1e-4
	if known.Exponents() == stated.Exponents() &&
		math.Abs(known.Factor-u.Scale()) <= relative*known.Factor &&
		math.Abs(known.Offset-u.Offset) <= relative*math.Max(1, math.Abs(known.Offset)) {
		return true
	}
	x.warn("U2", x.at(n), fact{what: "definition of the unit " + u.Name, found: spell(stated),
		expected: spell(known)})
	return false
}

// knownDisplayUnit compares a display unit of u with the usual meaning of its name (U2). Names such
// as C and h mean something else for other quantities; turns are no unit of SI.
func (x *examiner) knownDisplayUnit(n *xmldoc.Node, u *fmi.Unit) {
	name := n.Value("name")
	k := slices.IndexFunc(knownUnits, func(known fmi.Unit) bool { return known.Name == name })
	inverse, _ := fmi.ParseBoolean(n.Value("inverse"))
	if k < 0 || inverse || name == "Hz" || !u.Defined() {
		return
	}
	known, stated := knownUnits[k], *u
	if stated.Rad == 0 && (u.Name == "rad" || u.Name == "rad/s") {
		stated.Rad = known.Rad
	}
	factor, stands := numeric(fmi.Float64, cmp.Or(n.Value("factor"), "1"))
	offset, shifts := numeric(fmi.Float64, cmp.Or(n.Value("offset"), "0"))
	if known.Exponents() != stated.Exponents() || !stands || !shifts || factor == 0 ||
		math.IsInf(factor, 0) {
		return // of another quantity, or for other rules
	}
	const relative = 1e-4
	found := fmi.DisplayUnit{Name: name, Factor: factor, Offset: offset}
	expected := fmi.DisplayUnit{Name: name, Factor: u.Scale() / known.Factor,
		Offset: (u.Offset - known.Offset) / known.Factor}
	if math.Abs(found.Factor-expected.Factor) <= relative*math.Abs(expected.Factor) &&
		math.Abs(found.Offset-expected.Offset) <= relative*math.Max(1, math.Abs(expected.Offset)) {
		return
	}
	spelled := func(d fmi.DisplayUnit) string {
		return fmt.Sprintf("factor %s and offset %s", number(d.Factor), number(d.Offset))
	}
	x.warn("U2", x.at(n), fact{what: fmt.Sprintf("display unit %s of %s", name, u.Name),
		found: spelled(found), expected: spelled(expected),
		remedy: "the displayed value is factor · value + offset"})
}

// spell writes a unit in terms of its base units.
func spell(u fmi.Unit) string {
	parts := []string{number(u.Scale())}
	for _, p := range u.Powers() {
		if p.Exponent == 1 {
			parts = append(parts, p.Name)
		} else {
			parts = append(parts, fmt.Sprintf("%s^%d", p.Name, p.Exponent))
		}
	}
	text := strings.Join(parts, " ")
	if u.Offset != 0 {
		text += " with offset " + number(u.Offset)
	}
	return text
}
