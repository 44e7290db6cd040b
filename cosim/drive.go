package cosim

import (
	"fmt"
	"math"

	"gosmp/internal/fault"
)

// Control is an input whose values come from outside the simulation: from a person, a test, or a
// statechart. A value that is set between two steps applies from the next step on, until it is
// replaced.
type Control struct {
	Variable Variable
	owner    *member
	number   int
	frame    *Frame
	port     Port
}

// Drive makes an input settable from outside. The input must not also be connected. Its setters can
// be called after Start; until then the input keeps its start value.
func (e *Engine) Drive(name string) *Control {
	c := &Control{}
	m, k, err := e.find(name)
	switch {
	case err != nil:
	case m.variables[k].Role != Input:
		err = fault.New(ErrConnection, fault.At(name), "a variable that is not an input",
			"an input")
	}
	if err != nil {
		e.errs = append(e.errs, err)
		return c
	}
	c.Variable, c.owner, c.number = m.variables[k], m, k
	e.controls = append(e.controls, c)
	return c
}

// SetCell sets element k of an input of a plain kind; see [Frame] for the bits of a cell.
func (c *Control) SetCell(k int, cell uint64) { c.frame.Cells[c.port.Offset+c.element(k)] = cell }

// SetFloat sets element k of an input of kind Float64.
func (c *Control) SetFloat(k int, v float64) { c.SetCell(k, math.Float64bits(v)) }

// SetBlob sets element k of a text or binary input. The bytes must not change until they are
// replaced.
func (c *Control) SetBlob(k int, b []byte) { c.frame.Blobs[c.port.Offset+c.element(k)] = b }

func (c *Control) element(k int) int {
	if uint(k) >= uint(c.port.Size) {
		panic(fmt.Sprintf("cosim: element %d of %s, which has %d", k, c.Variable.Name, c.port.Size))
	}
	return k
}
