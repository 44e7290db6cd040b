package check

import (
	"fmt"
	"math/bits"
	"mime"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/xmldoc"
)

// typeOf checks the declared type (V17), enumeration values (V7), and the sizes of arrays and
// binaries (V9, V16).
func (x *examiner) typeOf(v *variable) {
	if name := v.DeclaredType; name != "" {
		x.declared(v, name)
	}
	if v.Type == fmi.Enumeration && x.major > fmi.FMI1 {
		x.enumeration(v)
	}
	if x.major >= fmi.FMI3 {
		x.dimensions(v)
	}
	if v.Type == fmi.Binary {
		x.binaryValue(v)
	}
}

// declared checks that the declared type exists and is of the same kind.
func (x *examiner) declared(v *variable, name string) {
	n := x.types[name]
	if n == nil {
		var names []string
		for other := range x.types {
			names = append(names, other)
		}
		slices.Sort(names)
		f := fact{what: "declaredType", found: quoted(name), expected: "one of TypeDefinitions"}
		if near := nearest(name, names); near != "" {
			f.expected = quoted(near)
		}
		x.error("V17", x.at(v.typed), f)
		return
	}
	if base := baseOf(x.major, n); base != v.Type {
		x.error("V17", x.at(v.typed), fact{what: "declaredType " + quoted(name),
			found: "a type for " +
				base.String(), expected: "one for " + v.Type.String()})
	}
}

// baseOf returns the type of the variables to which a type definition applies.
func baseOf(major fmi.Version, n *xmldoc.Node) fmi.Type {
	if major >= fmi.FMI3 {
		base, _ := fmi.ParseType(major, strings.TrimSuffix(n.Name, "Type"))
		return base
	}
	for _, c := range n.Nodes {
		if base, err := fmi.ParseType(major, strings.TrimSuffix(c.Name, "Type")); err == nil {
			return base
		}
	}
	return 0
}

// enumeration checks that the start value and the bounds are items of the enumeration (V7).
func (x *examiner) enumeration(v *variable) {
	n := x.types[v.DeclaredType]
	if n == nil || baseOf(x.major, n) != fmi.Enumeration {
		return
	}
	if x.major < fmi.FMI3 {
		n = n.Child("Enumeration")
	}
	items := map[int64]bool{}
	var words []string
	for _, item := range n.Children("Item") {
		if value, err := strconv.ParseInt(strings.TrimSpace(item.Value("value")), 10,
			64); err == nil {
			items[value] = true
			words = append(words, item.Value("value"))
		}
	}
	check := func(name, text string) {
		value, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err == nil && !items[value] {
			x.error("V7", x.at(v.typed), fact{what: name + " of an enumeration",
				found:    quoted(text),
				expected: "the value of an item of " + v.DeclaredType + ": " + listed(words)})
		}
	}
	for _, text := range v.Start {
		check("start", text)
	}
	for _, name := range []string{"min", "max"} {
		if text, found := v.typed.Attribute(name); found {
			check(name, text)
		}
	}
}

// dimensions checks the sizes and the number of start values of an array (V9).
func (x *examiner) dimensions(v *variable) {
	product, known := uint64(1), true
	sizes := v.node.Children("Dimension")
	if len(sizes) > 0 && v.Causality == fmi.StructuralParameter {
		x.error("V9", x.at(sizes[0]), fact{what: "a structural parameter that is an array",
			expected: "a scalar"})
	}
	for _, n := range sizes {
		size, ok := x.dimension(n)
		known = known && ok
		high, low := bits.Mul64(product, size)
		known = known && high == 0
		product = low
	}
	if product == 0 || !known {
		return
	}
	n := uint64(len(v.Start))
	if text, found := v.typed.Attribute("start"); found {
		n = uint64(len(strings.Fields(text)))
	}
	if n > 1 && n != product {
		expected := fmt.Sprintf("1 or %d", product)
		if product == 1 {
			expected = "1"
		}
		x.error("V9", x.at(v.node), fact{what: "number of start values",
			found: strconv.FormatUint(n,
				10), expected: expected,
			remedy: "give one value for all elements, or one for each"})
	}
}

// dimension checks one dimension of an array and returns its initial size.
func (x *examiner) dimension(n *xmldoc.Node) (size uint64, ok bool) {
	text, fixed := n.Attribute("start")
	reference, refers := n.Attribute("valueReference")
	place := x.at(n)
	if fixed == refers {
		x.error("V9", place, fact{what: "<Dimension>", found: pick(fixed,
			"both start and valueReference", "neither start nor valueReference"),
			expected: "one of them"})
		return 0, false
	}
	if refers {
		v, found := x.target(strings.TrimSpace(reference))
		switch {
		case !found:
			x.error("V9", place, fact{what: "valueReference of <Dimension>",
				found:    quoted(reference),
				expected: "the valueReference of a structural parameter or a constant"})
			return 0, false
		case v.Type != fmi.UInt64 || v.Causality != fmi.StructuralParameter &&
			v.Variability != fmi.Constant:
			x.error("V9", place, fact{what: "size of an array by " + v.Name,
				found: fmt.Sprintf("%s %s of type %s",
					v.Variability, v.Causality, v.Type),
				expected: "a structural parameter or a constant of type UInt64"})
			return 0, false
		case len(v.Start) == 0:
			return 0, false
		}
		text = v.Start[0]
	}
	size, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err == nil && size == 0 {
		x.error("V9", place, fact{what: "initial size of an array", found: "0",
			expected: "at least 1"})
	}
	return size, err == nil
}

// binaryValue checks the MIME type and the lengths of the start values (V16).
func (x *examiner) binaryValue(v *variable) {
	if _, _, err := mime.ParseMediaType(v.MIMEType); err != nil || !strings.Contains(v.MIMEType,
		"/") {
		x.warn("V16", x.at(v.node), fact{what: "mimeType", found: quoted(v.MIMEType),
			expected: "a type like application/octet-stream"})
	}
	most, err := strconv.ParseUint(v.MaxSize, 10, 64)
	for _, text := range v.Start {
		if n := uint64(len(strings.TrimSpace(text)) / 2); err == nil && n > most {
			x.warn("V16", x.at(v.node), fact{what: "start value longer than maxSize",
				found: fmt.Sprintf("%d bytes", n), expected: fmt.Sprintf("at most %d", most)})
		}
	}
}

// unitOf checks the unit and the display unit of a variable (V17).
func (x *examiner) unitOf(v *variable) {
	if !v.Type.IsFloat() {
		return
	}
	place := x.at(v.typed)
	unit := x.units[v.Unit]
	if v.Unit != "" && unit == nil {
		var names []string
		for _, u := range x.model.Units {
			names = append(names, u.Name)
		}
		f := fact{what: "unit", found: quoted(v.Unit), expected: "one of UnitDefinitions"}
		if near := nearest(v.Unit, names); near != "" {
			f.expected = quoted(near)
		}
		x.error("V17", place, f)
	}
	x.displayUnit(place, unit, v.Unit, v.DisplayUnit)
	for _, alias := range v.node.Children("Alias") {
		x.displayUnit(x.at(alias), unit, v.Unit, alias.Value("displayUnit"))
	}
	switch {
	case v.Unit != "":
	case v.typed.Value("quantity") != "":
		x.remark("V18", place, fact{what: "a quantity without a unit"})
	case v.Causality == fmi.Parameter:
		x.remark("V18", place, fact{what: "a parameter without a unit"})
	}
	if v.node.Value("description") == "" {
		x.remark("V18", x.at(v.node), fact{what: "no description"})
	}
}

// special checks attributes that only some variables may have (V15).
func (x *examiner) special(v *variable) {
	place := x.at(v.node)
	if v.stated("canHandleMultipleSetPerTimeInstant") && v.Causality != fmi.Input {
		x.error("V15", place,
			fact{what: "canHandleMultipleSetPerTimeInstant of a variable that is not an input",
				found: "causality " + string(v.Causality), expected: "only for inputs"})
	}
	if x.major < fmi.FMI3 {
		return
	}
	if text, found := v.node.Attribute("previous"); found {
		of, ok := x.target(strings.TrimSpace(text))
		switch {
		case !ok:
			x.error("V15", place, fact{what: "previous", found: quoted(text),
				expected: x.reference()})
		case of == v:
			x.error("V15", place, fact{what: "a variable that is its own previous value",
				expected: "another variable"})
		case of.Type != v.Type:
			x.error("V15", place, fact{what: "previous value " + of.Name, found: "type " +
				of.Type.String(), expected: v.Type.String()})
		case v.Variability != fmi.Discrete || len(v.Clocks) == 0:
			x.error("V15", place, fact{what: "previous of a variable",
				found: string(v.Variability) +
					" and " + pick(len(v.Clocks) == 0, "without clocks", "with clocks"),
				expected: "a discrete variable with clocks"})
		}
	}
	x.clocked(v)
}

// clocked checks the clocks to which a variable belongs (C4).
func (x *examiner) clocked(v *variable) {
	place := x.at(v.node)
	list, stated := v.node.Attribute("clocks")
	if !stated {
		return
	}
	if strings.TrimSpace(list) == "" {
		x.error("C4", place, fact{what: "clocks", found: quoted(list),
			expected: "at least one Clock", remedy: "omit the attribute"})
	}
	for _, text := range strings.Fields(list) {
		switch of, ok := x.target(text); {
		case !ok || of.Type != fmi.Clock:
			x.error("C4", place, fact{what: "clocks", found: quoted(text),
				expected: "the valueReference of a Clock"})
		case of == v:
			x.error("C4", place, fact{what: "a Clock that belongs to itself",
				expected: "another Clock"})
		}
	}
	if v.Variability != fmi.Discrete && v.Variability != fmi.Tunable {
		x.error("C4", place, fact{what: "variability of a variable with clocks",
			found: string(v.Variability), expected: "discrete or tunable"})
	}
}
