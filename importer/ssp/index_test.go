package ssp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParseIndex: a text that is not a number of an element is 0, which no element has.
func TestParseIndex(t *testing.T) {
	for text, want := range map[string]uint64{"1": 1, "12": 12, "0": 0, "": 0,
		"a": 0, "1a": 0, "-1": 0, "1.5": 0, "1/": 0, "/1": 0, "1:": 0, ":1": 0,
		"99999999999999999999": 0, "18446744073709551617": 0} { // 1 beyond 64 bits
		require.Equal(t, want, parseIndex(text), "%q", text)
		require.Equal(t, want, parseIndex(" "+text+"\t"), "blanks around %q", text)
	}
}

// TestTransformation_Then: a chain of transformations gives what its parts give one after the other.
// A map applies to the values of the map before it, and to no scaled values.
func TestTransformation_Then(t *testing.T) {
	one := func(source, target int64) Transformation {
		return Transformation{Map: []MapEntry{{source, target}}, Factor: 1}
	}
	both, ok := one(1, 2).then(one(2, 3))
	require.True(t, ok)
	for value, want := range map[int64]int64{1: 3, 2: 3, 4: 4} {
		require.Equal(t, want, both.look(value))
	}
	scaled := Transformation{Factor: 2, Offset: 1}
	both, ok = scaled.then(Transformation{Factor: 3, Offset: 5})
	require.True(t, ok)
	require.Equal(t, Transformation{Factor: 6, Offset: 8}, both)
	for _, t1 := range []Transformation{{Factor: 2}, {Factor: 1, Offset: 1}} {
		_, ok := t1.then(one(1, 2))
		require.False(t, ok, "%+v", t1)
	}
}
