package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
)

// TestOutputs_NamesOfASingleFMU: the variables of a single FMU have short names, but full names
// work, too, and no column has the name of the time column.
func TestOutputs_NamesOfASingleFMU(t *testing.T) {
	for pattern, want := range map[string][]string{
		"*":          {"car.1.time", "x", "u"},
		"time":       {"car.1.time"},
		"car.1.*":    {"car.1.time", "car.1.x", "car.1.u"},
		"car.?.x":    {"car.1.x"},
		"u[*]":       {"u[1]", "u[2]"},
		"car.1.u[?]": {"car.1.u[1]", "car.1.u[2]"},
	} {
		e := cosim.New(cosim.Spec{})
		o := &outputs{options: &Options{OutputVariables: []string{pattern}}}
		for _, v := range []cosim.Variable{{Name: "time", Kind: cosim.Float64, Size: 1},
			{Name: "x", Kind: cosim.Float64, Size: 1},
			{Name: "u", Kind: cosim.Float64, Size: 2, Dimensions: []int{2}}} {
			o.list = append(o.list, visible{v.Name, v, func(label string) *cosim.Signal {
				s := e.Watch("car.1." + v.Name).SetLabel(label)
				s.Variable = v
				return s
			}, "car.1." + v.Name})
		}
		o.find = func(name string) (*visible, error) {
			for k := range o.list {
				if o.list[k].label == name {
					return &o.list[k], nil
				}
			}
			return nil, cosim.ErrName
		}
		columns, err := o.choose()
		require.NoError(t, err, pattern)
		var labels []string
		for _, c := range columns {
			labels = append(labels, c.Label)
		}
		require.Equal(t, want, labels, pattern)
	}
}
