package objects_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

// traces returns the SensorView traces in the folder osi of the test data, which is optional.
func traces(t *testing.T) []string {
	folder := os.Getenv("GOSMP_TESTDATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	files, err := filepath.Glob(filepath.Join(folder, "osi", "*_sv_*.osi"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip(
			"no SensorView traces: set GOSMP_TESTDATA to a folder that has some in its folder osi")
	}
	return files
}

// messages splits a trace: every message is preceded by its length, 32 bits little-endian.
func messages(t *testing.T, file string) (list [][]byte) {
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	for len(b) > 0 {
		n := binary.LittleEndian.Uint32(b)
		list = append(list, b[4:4+n])
		b = b[4+n:]
	}
	return list
}

// TestDetect_SameAsPlain_RealTraces plays recorded traces to both detectors, in every
// configuration.
func TestDetect_SameAsPlain_RealTraces(t *testing.T) {
	for _, file := range traces(t) {
		for name, c := range configs() {
			c.HalfAngle = 3.1 // these traces have few objects; see them all
			p := newPair(t, c)
			seen, problems := 0, objects.Problems(0)
			for k, b := range messages(t, file) {
				now := timebase.Time(k+1) * timebase.Second
				data := p.step(t, b, now)
				require.NotNil(t, data)
				checkRules(t, data)
				problems |= p.fast.Problems()
				seen += len(data.MovingObject) + len(data.StationaryObject)
				view := &osi3.SensorView{}
				require.NoError(t, proto.Unmarshal(b, view))
				require.True(t, proto.Equal(view, data.SensorView[0]),
					"the view is copied as it was")
			}
			if name == "default" {
				t.Logf("%s: %d detections, problems: %v", filepath.Base(file), seen, problems)
			}
		}
	}
}
