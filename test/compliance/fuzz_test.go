package compliance_test

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/mocksim/scene"
	"gosmp/model/modeltest"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
)

// newRig instantiates the model with a short scenario.
func newRig(t testing.TB) *modeltest.Rig {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "scenario.csv"),
		[]byte("32,0,280\n32,10,281\n1,20,1,2,-9807\n"), 0o600))
	return modeltest.Host{Resources: folder}.Instantiate(t, dummysensor.Definition())
}

// requireUsable requires that bad input affects only the call that received it: after a reset the
// instance runs as usual.
func requireUsable(t *testing.T, rig *modeltest.Rig) {
	t.Helper()
	rig.Reset()
	rig.Start()
	require.Equal(t, fmi.OK, rig.TryStep(0.02))
}

func marshal(f *testing.F, m proto.Message) []byte {
	f.Helper()
	data, err := proto.Marshal(m)
	require.NoError(f, err)
	return data
}

// FuzzConfiguration passes arbitrary bytes to the model as the agreed SensorViewConfiguration.
func FuzzConfiguration(f *testing.F) {
	good := &osi3.SensorViewConfiguration{
		SensorId: &osi3.Identifier{Value: proto.Uint64(7)},
		MountingPosition: &osi3.MountingPosition{
			Position:    &osi3.Vector3D{X: proto.Float64(1), Z: proto.Float64(2)},
			Orientation: &osi3.Orientation3D{Yaw: proto.Float64(0.5)},
		},
		Range: proto.Float64(150),
	}
	f.Add(marshal(f, good))
	f.Add(marshal(f, good)[:20])
	f.Add([]byte("\x12\xff\xff\xff\xff\x0f"))
	f.Add([]byte("text"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rig := newRig(t)
		rig.Write("OSMPSensorViewInConfig", data)
		status := rig.TryStart(0)
		if len(data) > 0 && proto.Unmarshal(data, &osi3.SensorViewConfiguration{}) != nil {
			require.NotEmpty(t, rig.Log(), "bytes that are not a configuration are logged")
		}
		if status <= fmi.Warning {
			require.LessOrEqual(t, rig.TryStep(0.02), fmi.Warning)
		}
		require.NotEqual(t, fmi.Fatal, status)
		requireUsable(t, rig)
	})
}

// FuzzSensorView passes arbitrary bytes to the model as a SensorView, with and without a check of
// every field.
func FuzzSensorView(f *testing.F) {
	view := marshal(f, scene.Crowd(3, 1, 2))
	f.Add(view, false)
	f.Add(view[:len(view)-1], true)
	f.Add([]byte("\x3a\x04\x2a\x02\x12\x05"), true)
	f.Fuzz(func(t *testing.T, data []byte, strictly bool) {
		rig := newRig(t)
		rig.Set("input.validate", strictly)
		rig.Start()
		rig.Write("OSMPSensorViewIn", data)
		status := rig.TryStep(0.02)
		require.LessOrEqual(t, status, fmi.Warning, "a step ignores what it cannot use")
		if strictly && proto.Unmarshal(data, &osi3.SensorView{}) != nil {
			require.Equal(t, fmi.Warning, status)
		}
		rig.Write("OSMPSensorViewIn", []byte{})
		require.LessOrEqual(t, rig.TryStep(0.02), fmi.Warning)
		requireUsable(t, rig)
	})
}

// FuzzState passes arbitrary bytes to the model as a serialized state, also with a correct
// checksum, so that they are decoded.
func FuzzState(f *testing.F) {
	rig := newRig(f)
	rig.Start()
	rig.Write("OSMPSensorViewIn", scene.Crowd(2, 1, 1))
	rig.Step(0.02)
	good := rig.Save()
	f.Add(0, []byte{}, false)
	f.Add(len(good)/2, []byte{0xff}, true)
	f.Add(len(good)-40, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, true)
	f.Fuzz(func(t *testing.T, at int, change []byte, sealed bool) {
		data := append([]byte{}, good...)
		copy(data[min(max(at, 0), len(data)):], change)
		if sealed {
			binary.LittleEndian.PutUint32(data[len(data)-4:],
				crc32.ChecksumIEEE(data[:len(data)-4]))
		}
		rig := newRig(t)
		s, status := rig.Instance().DeSerializeFMUstate(data)
		if status == fmi.OK && rig.TryRestore(s, 0.02) <= fmi.Warning {
			// From a time far from the times in the recording, a step plays all rows in between,
			// which takes long.
			if now, _ := rig.Instance().RealStatus(fmu.LastSuccessfulTime); math.Abs(
				now-0.02) < 10 {
				require.NotEqual(t, fmi.Fatal, rig.TryStepFrom(now, 0.02))
			}
		} else {
			require.NotEmpty(t, rig.Log())
		}
		requireUsable(t, rig)
	})
}
