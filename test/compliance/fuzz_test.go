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
	"gosmp/internal/mock"
	"gosmp/mocksim/scene"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
)

// The binary variables of the model that take bytes from outside.
var (
	viewIn = osmp.Triple{BaseLo: 0, BaseHi: 1, Size: 2}
	config = osmp.Triple{BaseLo: 9, BaseHi: 10, Size: 11}
)

// bench is an instance of the model without C around it.
type bench struct {
	*fmu.Instance
	memory *mock.Memory
	log    *mock.Log
}

func newBench(t testing.TB) bench {
	t.Helper()
	b := bench{memory: mock.NewMemory(), log: &mock.Log{}}
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "scenario.csv"), []byte("32,0,280\n32,10,281\n1,20,1,2,-9807\n"), 0o600))
	var err error
	b.Instance, err = fmu.Instantiate(dummysensor.Definition(), fmu.Config{
		InstanceName: "bench", Resources: folder, LoggingOn: true, Deliver: b.log.Deliver, Memory: b.memory,
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		b.Free()
		require.NoError(t, b.memory.Faults())
	})
	return b
}

// connect lends the instance bytes; without bytes the variable is empty.
func (b bench) connect(t testing.TB, to osmp.Triple, data []byte) {
	t.Helper()
	var lo, hi int32
	if len(data) > 0 {
		lo, hi = osmp.SplitAddress(b.memory.Provide(data))
	}
	status := b.SetInteger(references(to), []int32{lo, hi, int32(len(data))})
	require.Equal(t, fmi.OK, status)
}

// initialize goes to the first communication point.
func (b bench) initialize() fmi.Status {
	for _, call := range []func() fmi.Status{
		func() fmi.Status { return b.SetupExperiment(fmu.ExperimentSetup{}) }, b.EnterInitializationMode, b.ExitInitializationMode,
	} {
		if status := call(); status > fmi.Warning {
			return status
		}
	}
	return fmi.OK
}

// costsNoMore shows that bad input costs no more than the call: after a reset the instance lives as
// ever.
func (b bench) costsNoMore(t *testing.T) {
	t.Helper()
	require.Equal(t, fmi.OK, b.Reset())
	require.Equal(t, fmi.OK, b.initialize())
	require.Equal(t, fmi.OK, b.DoStep(0, 0.02))
}

func marshal(f *testing.F, m proto.Message) []byte {
	f.Helper()
	data, err := proto.Marshal(m)
	require.NoError(f, err)
	return data
}

// FuzzConfiguration gives the model any bytes as the SensorViewConfiguration that was agreed upon.
func FuzzConfiguration(f *testing.F) {
	good := &osi3.SensorViewConfiguration{
		SensorId: &osi3.Identifier{Value: proto.Uint64(7)},
		MountingPosition: &osi3.MountingPosition{
			Position: &osi3.Vector3D{X: proto.Float64(1), Z: proto.Float64(2)}, Orientation: &osi3.Orientation3D{Yaw: proto.Float64(0.5)},
		},
		Range: proto.Float64(150),
	}
	f.Add(marshal(f, good))
	f.Add(marshal(f, good)[:20])
	f.Add([]byte("\x12\xff\xff\xff\xff\x0f"))
	f.Add([]byte("text"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := newBench(t)
		b.connect(t, config, data)
		status := b.initialize()
		if len(data) > 0 && proto.Unmarshal(data, &osi3.SensorViewConfiguration{}) != nil {
			require.NotEmpty(t, b.log.Lines, "what is no configuration is told")
		}
		if status == fmi.OK {
			require.LessOrEqual(t, b.DoStep(0, 0.02), fmi.Warning)
		}
		require.NotEqual(t, fmi.Fatal, status)
		b.costsNoMore(t)
	})
}

// FuzzSensorView gives the model any bytes as SensorView, carried along with and without a look
// into every field.
func FuzzSensorView(f *testing.F) {
	view := marshal(f, scene.Crowd(3, 1, 2))
	f.Add(view, false)
	f.Add(view[:len(view)-1], true)
	f.Add([]byte("\x3a\x04\x2a\x02\x12\x05"), true)
	const validate = 8 // the Boolean input.validate
	f.Fuzz(func(t *testing.T, data []byte, strictly bool) {
		b := newBench(t)
		require.Equal(t, fmi.OK, b.SetBoolean([]fmi.ValueReference{validate}, []bool{strictly}))
		require.Equal(t, fmi.OK, b.initialize())
		b.connect(t, viewIn, data)
		status := b.DoStep(0, 0.02)
		require.LessOrEqual(t, status, fmi.Warning, "a step goes on without what cannot be used")
		if strictly && proto.Unmarshal(data, &osi3.SensorView{}) != nil {
			require.Equal(t, fmi.Warning, status)
		}
		b.connect(t, viewIn, nil)
		require.LessOrEqual(t, b.DoStep(0.02, 0.02), fmi.Warning)
		b.costsNoMore(t)
	})
}

// FuzzState gives the model any bytes as a serialized state, and, to get past the checksum, with
// the right one.
func FuzzState(f *testing.F) {
	b := newBench(f)
	require.Equal(f, fmi.OK, b.initialize())
	b.connect(f, viewIn, marshal(f, scene.Crowd(2, 1, 1)))
	require.Equal(f, fmi.OK, b.DoStep(0, 0.02))
	s, status := b.GetFMUstate(nil)
	require.Equal(f, fmi.OK, status)
	good := make([]byte, s.Size())
	require.Equal(f, fmi.OK, b.SerializeFMUstate(s, good))
	f.Add(0, []byte{}, false)
	f.Add(len(good)/2, []byte{0xff}, true)
	f.Add(len(good)-40, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, true)
	f.Fuzz(func(t *testing.T, at int, change []byte, sealed bool) {
		data := append([]byte{}, good...)
		copy(data[min(max(at, 0), len(data)):], change)
		if sealed {
			binary.LittleEndian.PutUint32(data[len(data)-4:], crc32.ChecksumIEEE(data[:len(data)-4]))
		}
		b := newBench(t)
		s, status := b.DeSerializeFMUstate(data)
		if status == fmi.OK && b.SetFMUstate(s) <= fmi.Warning {
			// From a time far from the recording's own a step plays all that lies between, which
			// takes as long as that.
			if now, _ := b.RealStatus(fmu.LastSuccessfulTime); math.Abs(now-0.02) < 10 {
				require.NotEqual(t, fmi.Fatal, b.DoStep(now, 0.02))
			}
		} else {
			require.NotEmpty(t, b.log.Lines)
		}
		b.costsNoMore(t)
	})
}

// references are the value references of the three integers: in FMI 2.0 the Integers count in the
// order of the table, as indices do.
func references(x osmp.Triple) []fmi.ValueReference {
	return []fmi.ValueReference{fmi.ValueReference(x.BaseLo), fmi.ValueReference(x.BaseHi), fmi.ValueReference(x.Size)}
}
