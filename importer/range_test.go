package importer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/internal/testfmu"
)

// TestNewInstance_RefusesValuesOutsideTheRange: FMUs are designed for values between min and max,
// inclusive, so a start value outside is refused for all types. It is compared in the precision of
// its type: 0.1 of 32 bits is larger than 0.1 of 64 bits, but equals the maximum 0.1. Bounds may
// have been rounded to 15 digits.
func TestNewInstance_RefusesValuesOutsideTheRange(t *testing.T) {
	f := open(t, testfmu.Recipe{Version: 3, Describe: func(xml string) string {
		for name, bounds := range map[string]string{"gain": `min="-10" max="1e1"`,
			"float32.in": `min="0" max="0.1"`, "int8.in": `min="-3" max="3"`,
			"matrix": `min="0" max="314.159265358979"`, "in": `max="NaN"`, "mode": `max="0"`,
			"uint64.in": `max="18446744073709551614"`,
			"int64.in":  `min="9007199254740993"`, "int32.in": `max="99999999999"`} {
			xml = strings.Replace(xml, `name="`+name+`"`, `name="`+name+`" `+bounds, 1)
		}
		return xml
	}})
	for start, refused := range map[string]bool{"gain=10": false, "gain=-10": false,
		"matrix=1 2 3 4 5 314.1592653589793": false, "matrix=1 2 3 4 5 314.15926536": true,
		"gain=10.000001": true, "gain=INF": true, "gain=NaN": true, "in=INF": false,
		"in=NaN": false, "float32.in=0.1": false, "float32.in=0.10001": true,
		"matrix=1 2 3 4 5 0": false, "matrix=1 2 3 4 5 -0.1": true, "int8.in=-3": false,
		"int8.in=-4": true, "uint64.in=18446744073709551614": false,
		"uint64.in=18446744073709551615": true, "mode=off": false, "mode=on": true,
		"int64.in=9007199254740993": false, "int64.in=9007199254740992": true,
		"int32.in=2147483647": false} {
		name, value, _ := strings.Cut(start, "=")
		_, err := f.NewInstance("x", &importer.Pool{},
			importer.Options{Start: []importer.StartValue{{Name: name, Value: value}}})
		if !refused {
			require.NoError(t, err, start)
			continue
		}
		require.ErrorIs(t, err, importer.ErrValue, start)
		require.Contains(t, err.Error(), "the range for which the FMU is designed", start)
	}
}

// TestRun_WarnsOfStartValuesOfTheFMUOutsideTheirRange: the user cannot correct these.
func TestRun_WarnsOfStartValuesOfTheFMUOutsideTheirRange(t *testing.T) {
	r := newRun(open(t, testfmu.Recipe{Describe: func(xml string) string {
		return strings.Replace(xml, `start="1" min="-10"`, `start="1" min="2"`, 1)
	}}), "out")
	r.options.SetAllStart = true
	require.NoError(t, r.do(t))
	require.Contains(t, strings.Join(r.warnings, "\n"),
		"gain: start value 1.0, expected one from 2 to 10")
}
