package state_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/state"
)

const magic = "test state 1"

func TestState_ReadsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number, bits := rapid.Uint64().Draw(t, "number"), rapid.Uint64().Draw(t, "bits")
		text, data := rapid.String().Draw(t, "text"), rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		flag := rapid.Bool().Draw(t, "flag")

		b := []byte("before")
		b = append(b, magic...)
		b = state.AppendFloat64(state.AppendUint64(b, number), math.Float64frombits(bits))
		b = state.AppendBool(state.AppendBytes(state.AppendString(b, text), data), flag)
		b = state.Seal(b, len("before"))[len("before"):]

		d, err := state.Open(magic, b)
		require.NoError(t, err)
		require.Equal(t, number, d.Uint64())
		require.Equal(t, bits, math.Float64bits(d.Float64()))
		require.Equal(t, text, d.String())
		require.Equal(t, len(data), len(d.Bytes()))
		require.Equal(t, flag, d.Bool())
		require.NoError(t, d.Done())

		k := rapid.IntRange(0, len(b)-1).Draw(t, "cut")
		_, err = state.Open(magic, b[:k])
		require.ErrorIs(t, err, state.ErrState)
		bad := append([]byte{}, b...)
		bad[k] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		_, err = state.Open(magic, bad)
		require.ErrorIs(t, err, state.ErrState)
	})
}

func TestDecoder_ReportsWhatIsMissingOrLeftOver(t *testing.T) {
	d := state.Decoder{Data: state.AppendUint64(nil, 1<<60)}
	require.Empty(t, d.Bytes(), "a length without the bytes")
	require.ErrorIs(t, d.Err(), state.ErrState)
	require.Zero(t, d.Byte()+byte(d.Uint32())+byte(d.Uint64()))
	require.ErrorIs(t, d.Done(), state.ErrState)

	d = state.Decoder{Data: []byte{1}}
	require.NoError(t, d.Err())
	require.ErrorContains(t, d.Done(), "1 bytes after the end")
}
