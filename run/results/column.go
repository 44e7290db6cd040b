package results

import (
	"gosmp/cosim"
)

// Column defines what a column of a table shows: a signal, or an element of an array.
type Column struct {
	Label   string
	Signal  *cosim.Signal
	Element int // index from 0 in row-major order; [Whole] for all
}

// Whole is the Element of a column with all elements.
const Whole = -1

// Columns returns a column for each signal, with the label of the signal.
func Columns(signals ...*cosim.Signal) (list []Column) {
	for _, s := range signals {
		list = append(list, Column{s.Label(), s, Whole})
	}
	return list
}

// Elements replaces columns with arrays by a column for each element, such as u[1] and u[2], or
// m[1,1], m[1,2] and so on.
func Elements(columns []Column) (list []Column) {
	for _, c := range columns {
		if c.Element != Whole || len(c.Signal.Variable.Dimensions) == 0 {
			list = append(list, c)
			continue
		}
		for k := range c.Signal.Variable.Size {
			list = append(list,
				Column{c.Label + cosim.Index(c.Signal.Variable.Dimensions, k), c.Signal, k})
		}
	}
	return list
}

// cells returns the values of a column whose type is not text or binary.
func (c *Column) cells() []uint64 {
	if c.Element == Whole {
		return c.Signal.Cells()
	}
	return c.Signal.Cells()[c.Element : c.Element+1]
}

// blobs returns the texts or binaries of a column.
func (c *Column) blobs() [][]byte {
	if c.Element == Whole {
		return c.Signal.Blobs()
	}
	return c.Signal.Blobs()[c.Element : c.Element+1]
}
