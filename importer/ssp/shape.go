package ssp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi/archive"
)

// shape returns the sizes of the dimensions of a port: 0 for unknown sizes, and none for a scalar.
// known is false if it is unknown whether the port is an array.
func (p *port) shape() (sizes []uint64, known bool) {
	c := p.connector
	switch {
	case c.Variable != nil:
		sizes = variableShape(c.Variable)
		if len(c.Dimensions) != len(sizes) && len(c.Dimensions) > 0 { // reported by compareVariable
			return c.Dimensions, true
		}
		for k, n := range c.Dimensions {
			if n > 0 {
				sizes[k] = n
			}
		}
		return sizes, true
	case len(c.Dimensions) > 0:
		return c.Dimensions, true
	}
	return nil, c.Type != 0 && p.doc != nil && p.doc.version >= 2
}

// variableShape returns the sizes of the dimensions of a variable; a size is 0 if a structural
// parameter determines it, because a start value may change the parameter.
func variableShape(v *archive.Variable) []uint64 {
	sizes := make([]uint64, len(v.Dimensions))
	for k, d := range v.Dimensions {
		if d.Start != nil {
			sizes[k] = *d.Start
		}
	}
	return sizes
}

// size returns the number of elements; 0 if unknown.
func (p *port) size() uint64 {
	shape, known := p.shape()
	if !known {
		return 0
	}
	size := uint64(1)
	for _, n := range shape {
		if n > 1<<24 || size > 1<<24 {
			return 0
		}
		size *= n
	}
	return size
}

// joinSizes checks that both ends of a connection have the same number of elements.
func (l *loader) joinSizes(x *edge) bool {
	place := x.doc.place(x.node)
	a, okA := l.selected(x, x.from, x.fromIndices)
	b, okB := l.selected(x, x.to, x.toIndices)
	if okA && okB && a > 0 && b > 0 && a != b {
		l.stop("SSP-S5", place, fmt.Sprintf("%s has %d elements, and %s has %d",
			indexed(x.from.label(), x.fromIndices), a,
			indexed(x.to.label(), x.toIndices), b),
			"connect arrays of the same size, or single elements by startIndices and endIndices")
		return false
	}
	return okA && okB
}

// selected returns the number of elements at an end of a connection; 0 if unknown. ok is false if
// the port does not have the element with these indices, which start at 1, one for each dimension.
func (l *loader) selected(x *edge, p *port, indices []uint64) (size uint64, ok bool) {
	if len(indices) == 0 {
		return p.size(), true
	}
	wrong := func(format string, args ...any) (uint64, bool) {
		l.stop("SSP-S5", x.doc.place(x.node), fmt.Sprintf(format, args...),
			"write one index from 1 for each dimension of the array")
		return 0, false
	}
	shape, known := p.shape()
	if known && len(shape) != len(indices) {
		return wrong("%s has %d dimensions, and the connection has %d indices for it", p.label(),
			len(shape), len(indices))
	}
	for k, n := range indices {
		switch {
		case n == 0:
			return wrong("the index %d of %s is 0", k+1, p.label())
		case known && shape[k] > 0 && n > shape[k]:
			return wrong("the index %d of %s is %d, and the dimension has the size %d", k+1,
				p.label(), n, shape[k])
		}
	}
	return 1, true
}

// indexed returns a name with the indices of an element, such as x[2,1].
func indexed(name string, indices []uint64) string {
	if len(indices) == 0 {
		return name
	}
	texts := make([]string, len(indices))
	for k, n := range indices {
		texts[k] = strconv.FormatUint(n, 10)
	}
	return name + "[" + strings.Join(texts, ",") + "]"
}

// CutIndices splits the name of an array element into the name of the array and the indices; there
// are no indices if the text does not end in indices.
func CutIndices(text string) (name string, indices []uint64) {
	open := strings.LastIndexByte(text, '[')
	if open <= 0 || !strings.HasSuffix(text, "]") {
		return text, nil
	}
	for word := range strings.SplitSeq(text[open+1:len(text)-1], ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(word), 10, 32)
		if err != nil {
			return text, nil
		}
		indices = append(indices, n)
	}
	return text[:open], indices
}

// position returns the position of an element in row-major order; ok is false if the array has no
// such element or its shape is unknown.
func position(shape, indices []uint64) (at uint64, ok bool) {
	if len(shape) != len(indices) {
		return 0, false
	}
	for k, n := range indices {
		if n < 1 || n > shape[k] {
			return 0, false
		}
		at = at*shape[k] + n - 1
	}
	return at, true
}

// through carries a value from the source of a connection to its destination. It returns false if
// the connection carries a different element.
func (x *edge) through(o origin) (origin, bool) {
	if len(x.fromIndices) > 0 {
		switch {
		case len(o.part) > 0 && !slices.Equal(o.part, x.fromIndices):
			return o, false
		case len(o.part) == 0:
			o.indices = x.fromIndices
		}
		o.part = nil
	}
	if len(x.toIndices) > 0 {
		o.part = x.toIndices
	}
	return o, true
}
