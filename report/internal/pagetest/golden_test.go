package pagetest

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDifference: a visible change is a difference; a little noise is not.
func TestDifference(t *testing.T) {
	a, b := image.NewGray(image.Rect(0, 0, 100, 100)), image.NewGray(image.Rect(0, 0, 100, 100))
	for k := range b.Pix {
		b.Pix[k] = uint8(k % 3)
	}
	mean, far := difference(t, a, b)
	require.InDelta(t, 1, mean, 0.01)
	require.Zero(t, far)
	for k := range 1000 {
		b.Pix[k] = 100
	}
	_, far = difference(t, a, b)
	require.InDelta(t, 0.1, far, 1e-9)
}
