package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"gosmp/proto/wire"
)

// FuzzCheck compares the verdicts on any bytes with those of proto.Unmarshal.
func FuzzCheck(f *testing.F) {
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) { agree(t, b) })
}

// FuzzReader compares the fields of any bytes with those that protowire finds.
func FuzzReader(f *testing.F) {
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := wire.NewReader(b)
		rest := b
		for r.Next() {
			number, typ, n := protowire.ConsumeField(rest)
			require.Positive(t, n)
			require.Equal(t, wire.Number(number), r.Key().Number())
			require.Equal(t, wire.Key(typ), r.Key().Type())
			require.Equal(t, rest[:n], r.Raw())
			requireValue(t, &r)
			rest = rest[n:]
		}
		if r.Err() == nil {
			require.Empty(t, rest)
			return
		}
		if number, _, n := protowire.ConsumeField(rest); n >= 0 {
			require.Greater(t, number, protowire.MaxValidNumber, "protowire reads % x", rest)
		}
	})
}

// requireValue compares the value of the current field with what protowire finds in the raw field.
func requireValue(t *testing.T, r *wire.Reader) {
	t.Helper()
	_, _, n := protowire.ConsumeTag(r.Raw())
	value := r.Raw()[n:]
	switch r.Key().Type() {
	case wire.Varint:
		v, _ := protowire.ConsumeVarint(value)
		require.Equal(t, v, r.Uint64())
	case wire.Fixed64:
		v, _ := protowire.ConsumeFixed64(value)
		require.Equal(t, v, r.Uint64())
	case wire.Fixed32:
		v, _ := protowire.ConsumeFixed32(value)
		require.EqualValues(t, v, r.Uint64())
	case wire.Len:
		v, _ := protowire.ConsumeBytes(value)
		require.Equal(t, v, r.Bytes())
	}
}
