package wire_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"gosmp/proto/wire"
)

// FuzzCheck compares the verdicts on any bytes with proto.Unmarshal's.
func FuzzCheck(f *testing.F) {
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) { agree(t, b) })
}

// FuzzReader compares the fields of any bytes with the fields that protowire finds.
func FuzzReader(f *testing.F) {
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		i := 0
		for i < len(b) {
			key, lo, hi := wire.Field(b, i)
			if hi < 0 {
				break
			}
			number, typ, n := protowire.ConsumeField(b[i:])
			require.Equal(t, i+n, hi)
			require.Equal(t, wire.Number(number), key.Number())
			require.Equal(t, wire.Key(typ), key.Type())
			_, _, tag := protowire.ConsumeTag(b[i:])
			requireValue(t, key, b[i+tag:hi], b[lo:hi])
			i = hi
		}
		if i == len(b) {
			return
		}
		if number, _, n := protowire.ConsumeField(b[i:]); n >= 0 {
			require.Greater(t, number, protowire.MaxValidNumber, "protowire reads % x", b[i:])
		}
	})
}

// requireValue compares the content of a field with the value that protowire finds after the tag.
func requireValue(t *testing.T, key wire.Key, value, content []byte) {
	t.Helper()
	switch key.Type() {
	case wire.Varint:
		v, _ := protowire.ConsumeVarint(value)
		require.Equal(t, v, wire.Uint64(content))
	case wire.Fixed64:
		v, _ := protowire.ConsumeFixed64(value)
		require.Equal(t, v, math.Float64bits(wire.Double(content)))
	case wire.Len:
		v, _ := protowire.ConsumeBytes(value)
		require.Equal(t, v, content)
	default:
		require.Equal(t, value, content)
	}
}
