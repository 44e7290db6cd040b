package dummysensor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// A panic in the work of an activity is caught by the clock; the step must still fail, and no other.
func TestProgram_APanicEndsTheStep(t *testing.T) {
	calls := 0
	p, err := newProgram(0, nil, handlers{
		detect: func(timebase.Span, []byte) bool { return true },
		emit: func(timebase.Span, []byte) error {
			if calls++; calls == 2 {
				panic("out of range")
			}
			return nil
		},
	})
	require.NoError(t, err)
	require.NoError(t, p.step(timebase.Span{End: benchStep}, []byte{1}))
	require.ErrorContains(t, p.step(timebase.Span{Start: benchStep, End: 2 * benchStep}, []byte{1}), "out of range")
}
