package platforms

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/scene"
	"gosmp/timebase"
)

// steps is the number of SensorViews that the host needs for a life cycle.
const steps = 80

// views returns the SensorViews of a life cycle: traffic on a motorway, each message preceded by
// its size, as in an OSI trace file.
func views(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	for k := range steps {
		at := timebase.Time(k * 20_000_000)
		message, err := proto.MarshalOptions{Deterministic: true}.Marshal(scene.Motorway(at))
		require.NoError(t, err)
		require.NoError(t, binary.Write(&b, binary.LittleEndian, uint32(len(message))))
		b.Write(message)
	}
	return b.Bytes()
}
