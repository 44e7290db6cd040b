package ssp

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/fmi"
)

// TableType is the media type of a component that is a table of values over time, in CSV.
const TableType = "text/csv"

// tableTypes are the names that tools use for TableType; OMSimulator writes both.
var tableTypes = []string{TableType, "application/table"}

// isTable reports whether a source is a table. Without a type, its extension decides.
func isTable(n *node, media, source string) bool {
	_, stated := n.Attribute("type")
	return slices.Contains(tableTypes, media) ||
		!stated && strings.EqualFold(path.Ext(source), ".csv")
}

// readTable locates the file of a table and compares its columns with the connectors.
func (l *loader) readTable(e *element, source string) {
	c := e.component
	c.Type = TableType
	if !l.locate(e, source) {
		return
	}
	for _, p := range e.ports {
		if k := p.connector.Kind; k != Output && k != Unspecified {
			l.stop("SSP-S6", p.connector.Place, fmt.Sprintf("a table has no %s such as %q", k,
				p.connector.Name), `write kind="output"`)
			return
		}
		c.Connectors = append(c.Connectors, p.connector)
	}
	t, err := c.Table()
	c.Connectors = nil // added together with the connectors of all components
	switch {
	case errors.Is(err, cosim.ErrName), errors.Is(err, cosim.ErrTable):
		l.stop("SSP-S6", e.place(), fmt.Sprintf("the table does not fit the connectors: %v", err),
			"correct the names of the connectors, or the table")
		return
	case err != nil:
		l.absent(c.home, c.name, err, e.place())
		return
	}
	var columns []string
	for _, v := range t.Variables() {
		columns = append(columns, v.Name)
	}
	for _, p := range e.ports {
		if name := p.connector.Name; !slices.Contains(columns, name) {
			l.stop("SSP-S6", p.connector.Place, fmt.Sprintf("the table has no column %q%s", name,
				didYouMean(name, columns)), "correct the name of the connector")
		}
	}
}

// locate returns the file of a component.
func (l *loader) locate(e *element, source string) bool {
	c := e.component
	r, ok := l.resolveFile(e.doc, e.doc.name, source, e.place())
	if !ok {
		return false
	}
	c.home, c.name = l.fromLibrary(e.doc.home, r.name)
	if c.home.packed() {
		c.Entry = c.home.place(c.name).Entry
	} else {
		c.File = c.home.path(c.name)
	}
	return true
}

// IsTable reports whether the component is a table of values over time.
func (c *Component) IsTable() bool { return c.Type == TableType && c.home != nil }

// Table reads the table of the component; it must be called before the system is closed. There is a
// column for each connector, which is a Float64 unless the connector specifies another type.
// Columns without a connector are omitted.
func (c *Component) Table() (*cosim.Table, error) {
	r, size, err := c.home.open(c.name, maxEntry)
	if err != nil {
		return nil, err
	}
	defer r.release()
	var known []cosim.Variable
	for _, x := range c.Connectors {
		v := cosim.Variable{Name: x.Name, Kind: cosim.Float64, Role: cosim.Output, Size: 1,
			Unit: x.Unit, Enumeration: x.Type == fmi.Enumeration}
		if x.Type != 0 {
			v.Kind = valueKind(x.Type)
		}
		for _, n := range x.Dimensions {
			v.Dimensions = append(v.Dimensions, int(n))
			v.Size *= int(n)
		}
		v.Continuous = v.Kind.IsFloat()
		known = append(known, v)
	}
	return cosim.ReadTable(io.NewSectionReader(r, 0, size), path.Base(c.name), known)
}

// valueKind returns the value kind of a type.
func valueKind(t fmi.Type) cosim.Kind {
	if t == fmi.Enumeration {
		return cosim.Int64
	}
	return kinds[plainType(t)]
}

var kinds = map[fmi.Type]cosim.Kind{
	fmi.Float64: cosim.Float64, fmi.Float32: cosim.Float32, fmi.Int8: cosim.Int8,
	fmi.UInt8: cosim.UInt8, fmi.Int16: cosim.Int16, fmi.UInt16: cosim.UInt16,
	fmi.Int32: cosim.Int32, fmi.UInt32: cosim.UInt32, fmi.Int64: cosim.Int64,
	fmi.UInt64: cosim.UInt64, fmi.Boolean: cosim.Boolean, fmi.String: cosim.String,
	fmi.Binary: cosim.Binary, fmi.Clock: cosim.Clock,
}
