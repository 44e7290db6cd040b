package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/fault"
)

var errNumber = errors.New("bad number")

func TestError_OneLineWithAllParts(t *testing.T) {
	for want, e := range map[string]*fault.Error{
		"bad number": {Kind: errNumber},
		"flight.csv:12:7: bad number": {Kind: errNumber, Place: fault.Place{File: "flight.csv",
			Line: 12, Column: 7}},
		"x.fmu: modelDescription.xml:3: gain: bad number: found \"a\", expected a " +
			"Real; set a number": {
			Kind: errNumber, Found: `"a"`, Expected: "a Real", Hint: "set a number",
			Place: fault.Place{File: "x.fmu", Entry: "modelDescription.xml", Line: 3,
				Object: "gain"}},
		"gain: bad number: expected a Real: file does not exist": {
			Kind: errNumber, Expected: "a Real", Cause: fs.ErrNotExist, Place: fault.At("gain")},
		`a\nb.csv: bad number: found a\nb, expected c\nd`: {Kind: errNumber, Found: "a\nb",
			Expected: "c\nd", Place: fault.Place{File: "a\nb.csv"}},
		"line:4: bad number: found 3": {Kind: errNumber, Found: "3", Place: fault.Place{Line: 4}},
	} {
		require.Equal(t, want, e.Error())
	}
}

func TestError_IsItsKindAndItsCause(t *testing.T) {
	err := fmt.Errorf("reading: %w", &fault.Error{Kind: errNumber, Cause: fs.ErrNotExist,
		Place: fault.At("gain")})
	require.ErrorIs(t, err, errNumber)
	require.ErrorIs(t, err, fs.ErrNotExist)
	var e *fault.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "gain", e.Place.Object)
	require.NotErrorIs(t, &fault.Error{Kind: errNumber}, fs.ErrNotExist)
}
