package mocksim_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
)

// sealed is a state with a correct checksum, whatever has been changed in it.
func sealed(b []byte) []byte {
	b = b[:len(b)-4]
	return binary.LittleEndian.AppendUint32(b[:len(b):len(b)], crc32.ChecksumIEEE(b))
}

// TestRestore_RefusesImpossibleNumbers puts numbers that no simulation reaches in the place of each
// number of a state.
func TestRestore_RefusesImpossibleNumbers(t *testing.T) {
	w := mixed(t)
	create(t, w, "pedals", mocksim.Car, mocksim.OnRoad("3", -1, 20))
	_, err := w.SetControls("pedals", mocksim.Drive{Controls: []mocksim.Controls{{Throttle: 0.2, Gear: 1}}})
	require.NoError(t, err)
	steps(t, w, 10, 20*ms)
	saved := w.AppendState(nil)
	position := binary.LittleEndian.AppendUint64(nil, math.Float64bits(w.At(0).State().Position.X))
	at := bytes.Index(saved, position)
	require.Positive(t, at)
	for _, wrong := range []float64{math.NaN(), math.Inf(1), 1e300} {
		changed := bytes.Clone(saved)
		binary.LittleEndian.PutUint64(changed[at:], math.Float64bits(wrong))
		require.ErrorIs(t, w.Restore(sealed(changed)), mocksim.ErrState)
	}
	for k := 16; k+8 < len(saved); k++ { // whatever is accepted can be saved again, and go on
		changed := bytes.Clone(saved)
		binary.LittleEndian.PutUint64(changed[k:], math.MaxUint64>>(k%60))
		_ = w.Restore(sealed(changed))
		binary.LittleEndian.PutUint64(changed[k:], math.MaxUint64) // for a road: none, beside a lane of one
		_ = w.Restore(sealed(changed))
	}
	require.NoError(t, w.Restore(saved))
	require.Equal(t, saved, w.AppendState(nil))
}
