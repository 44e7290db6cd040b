package recording_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/recording"
)

// TestM29_Air checks M29: pressure and temperature of the standard atmosphere.
func TestM29_Air(t *testing.T) {
	for height, want := range map[float64]string{0: "2,0,101325,288", 100: "2,0,100129,288",
		312: "2,0,97633,286"} {
		w := world(t)
		at := mocksim.AtPosition(100, 60)
		at.Position.Z, at.Given = height, mocksim.FieldZ
		require.NoError(t, w.Create(mocksim.Actor{Name: "ego", Start: at}))
		var b bytes.Buffer
		r, err := recording.New(w, recording.Options{Host: "ego"}, &b)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		require.Contains(t, b.String(), "\n"+want)
	}
}
