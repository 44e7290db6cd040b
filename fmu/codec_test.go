package fmu_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmu"
)

// From the first gap on everything is zero, also what would still fit: the rest means something else than its reader thinks.
func TestDecoder_NothingFollowsAGap(t *testing.T) {
	for name, read := range map[string]func(d *fmu.Decoder){
		"uint64": func(d *fmu.Decoder) { require.Zero(t, d.Uint64()) },
		"uint32": func(d *fmu.Decoder) { d.Uint32(); require.Zero(t, d.Uint32()) },
		"bytes":  func(d *fmu.Decoder) { require.Nil(t, d.Bytes()) },
		"string": func(d *fmu.Decoder) { require.Empty(t, d.String()) },
	} {
		t.Run(name, func(t *testing.T) {
			d := &fmu.Decoder{Data: []byte{1, 2, 3, 4, 5, 6, 7}}
			read(d)
			require.Error(t, d.Err())
			require.Zero(t, d.Byte())
			require.Error(t, d.Err(), "still")
		})
	}
}

func TestDecoder_ReadsWhatWasAppended(t *testing.T) {
	b := fmu.AppendUint64(fmu.AppendString(fmu.AppendBytes(nil, []byte{9}), "text"), 1<<63)
	d := &fmu.Decoder{Data: append(b, fmu.Flag(true))}
	require.Equal(t, []byte{9}, d.Bytes())
	require.Equal(t, "text", d.String())
	require.Equal(t, uint64(1<<63), d.Uint64())
	require.Equal(t, byte(1), d.Byte())
	require.NoError(t, d.Err())
	require.Empty(t, d.Data)
}
