package timebase

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSystemTime(t *testing.T) {
	source := SystemTime()
	before := source.Now()
	source.Wait(nil, Millisecond, nil)
	require.GreaterOrEqual(t, source.Now()-before, Millisecond)
	done := make(chan struct{})
	close(done)
	source.Wait(done, EndOfTime, nil)
	wake := make(chan struct{}, 1)
	wake <- struct{}{}
	source.Wait(nil, EndOfTime, wake)
}
