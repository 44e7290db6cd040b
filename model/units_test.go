package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/model"
)

// TestUnits_DerivedOnesAgree compares the powers of derived units with the powers of the units in
// their definitions, such as V = W/A.
func TestUnits_DerivedOnesAgree(t *testing.T) {
	known := map[string]fmi.Unit{}
	for _, u := range model.Units() {
		require.NotContains(t, known, u.Name)
		known[u.Name] = u
	}
	for name, of := range map[string]struct{ times, per []string }{
		"N": {times: []string{"kg", "m/s2"}}, "Pa": {[]string{"N"}, []string{"m2"}},
		"J": {times: []string{"N", "m"}}, "W": {[]string{"J"}, []string{"s"}},
		"N.m": {times: []string{"J"}}, "C": {times: []string{"A", "s"}},
		"V": {[]string{"W"}, []string{"A"}}, "F": {[]string{"C"}, []string{"V"}},
		"Ohm": {[]string{"V"}, []string{"A"}}, "S": {[]string{"A"}, []string{"V"}},
		"Wb": {times: []string{"V", "s"}}, "T": {[]string{"Wb"}, []string{"m2"}},
		"H": {[]string{"Wb"}, []string{"A"}}, "lm": {times: []string{"cd"}},
		"lx": {[]string{"lm"}, []string{"m2"}}, "Hz": {per: []string{"s"}},
		"kg/m3": {[]string{"kg"}, []string{"m2", "m"}}, "W/m2": {[]string{"W"}, []string{"m2"}},
		"m2": {times: []string{"m", "m"}}, "1/m": {per: []string{"m"}},
		"m/s3": {[]string{"m/s2"}, []string{"s"}}, "rad/s2": {[]string{"rad/s"}, []string{"s"}},
	} {
		var sum [8]int
		for sign, names := range map[int][]string{1: of.times, -1: of.per} {
			for _, n := range names {
				require.Contains(t, known, n)
				for k, p := range powers(known[n]) {
					sum[k] += sign * p
				}
			}
		}
		require.Contains(t, known, name)
		require.Equal(t, sum, powers(known[name]), name)
	}
}

func powers(u fmi.Unit) [8]int { return [8]int{u.KG, u.M, u.S, u.A, u.K, u.Mol, u.Cd, u.Rad} }
