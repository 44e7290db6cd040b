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

// steps is how many SensorViews the host needs for a life.
const steps = 80

// views are the SensorViews of a life: traffic on a motorway, each message after its size as in a
// trace file of OSI.
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
