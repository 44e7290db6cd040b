package trace_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
)

// crowd returns a GroundTruth of a car, a van without a role, and a pedestrian with a vehicle
// classification.
func crowd(at timebase.Time) *osi3.GroundTruth {
	t := at.Seconds()
	vector := func(x, y, z float64) *osi3.Vector3D {
		return &osi3.Vector3D{X: proto.Float64(x), Y: proto.Float64(y), Z: proto.Float64(z)}
	}
	g := &osi3.GroundTruth{Version: message.Version(), Timestamp: message.Time(at),
		HostVehicleId: message.ID(7)}
	for k, id := range []uint64{7, 1 << 40, 3} {
		k := float64(k)
		o := &osi3.MovingObject{Id: message.ID(id), Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
			Base: &osi3.BaseMoving{
				Position: vector(10.1*k+t, -2.5*k, 0.1+0.2), Velocity: vector(1/3.0, -1e-9*k, 0),
				Acceleration: vector(-9.81, 1e300, k),
				Dimension: &osi3.Dimension3D{Length: proto.Float64(4.2 + k),
					Width: proto.Float64(1.8), Height: proto.Float64(1.5)},
				Orientation: &osi3.Orientation3D{Roll: proto.Float64(0.01),
					Pitch: proto.Float64(-0.02 * k), Yaw: proto.Float64(3.1)}},
			VehicleClassification: &osi3.MovingObject_VehicleClassification{
				Type: osi3.MovingObject_VehicleClassification_TYPE_DELIVERY_VAN.Enum()}}
		g.MovingObject = append(g.MovingObject, o)
	}
	g.MovingObject[0].VehicleClassification.Role =
		osi3.MovingObject_VehicleClassification_ROLE_POLICE.Enum()
	g.MovingObject[2].Type = osi3.MovingObject_TYPE_PEDESTRIAN.Enum()
	return g
}

// crowds writes SensorViews of a crowd, each half a second after its GroundTruth, and transmitted
// one second later still.
func crowds(t *testing.T, format trace.Format) []byte {
	var b bytes.Buffer
	sink, err := trace.Create(&b, format, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("view", "sv"))
	require.NoError(t, err)
	for k := range timebase.Time(3) {
		at := k*20*ms + 1
		data, err := proto.Marshal(&osi3.SensorView{Version: message.Version(),
			Timestamp: message.Time(at + 500*ms), GlobalGroundTruth: crowd(at)})
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at + 1500*ms, Publish: at +
			500*ms, Data: data}))
	}
	require.NoError(t, sink.Close())
	return b.Bytes()
}

// table reads CSV and returns its rows, sorted by time and object, with numbers in a consistent
// format.
func table(t *testing.T, content []byte) [][]string {
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		for k, cell := range row {
			x, err := strconv.ParseFloat(cell, 64)
			require.NoError(t, err, cell)
			row[k] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	slices.SortFunc(rows[1:], slices.Compare)
	return rows
}

// T45: the table of objects equals the table that omega-prime 0.3.7 creates from the same trace,
// stored in testdata/omega_prime_table.csv. If omega-prime is installed in Python, it reads the
// trace again; OMEGA_PRIME_UPDATE=1 updates the stored table.
func TestObjects_AreOmegaPrimesTable(t *testing.T) {
	golden := filepath.Join("testdata", "omega_prime_table.csv")
	python, err := exec.LookPath("python3")
	if err == nil && exec.Command(python, "-c", "import omega_prime").Run() == nil {
		file := filepath.Join(t.TempDir(), "a.mcap")
		require.NoError(t, os.WriteFile(file, crowds(t, trace.MCAP), 0o600))
		out, err := exec.Command(python, filepath.Join("testdata", "omega_prime_table.py"),
			file).Output()
		require.NoError(t, err)
		if os.Getenv("OMEGA_PRIME_UPDATE") != "" {
			require.NoError(t, os.WriteFile(golden, out, 0o600))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, table(t, want), table(t, out),
			"omega-prime makes another table than 0.3.7")
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	for _, format := range []trace.Format{trace.MCAP, trace.OSIFile} {
		s := open(t, "a.mcap", crowds(t, format), trace.Options{Type: "sv"})
		var out bytes.Buffer
		sink, err := trace.Create(&out, trace.Objects, trace.SinkOptions{})
		require.NoError(t, err)
		c, err := sink.Add(*s.Channels()[0])
		require.NoError(t, err)
		for m, err := s.Next(); err == nil; m, err = s.Next() {
			copied := *m
			copied.Channel = c
			require.NoError(t, sink.Write(&copied))
		}
		require.NoError(t, sink.Close())
		require.Equal(t, table(t, want), table(t, out.Bytes()), format)
	}
}
