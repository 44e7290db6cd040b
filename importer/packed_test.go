//go:build linux && cgo

package importer_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// dist returns the path of a built FMU.
func dist(name string) string {
	path := filepath.Join("..", "dist", name)
	switch name {
	case "OSMPDummySensor.fmu":
		return cmp.Or(os.Getenv("GOSMP_FMU"), path)
	case "OSMPDummySensor-fmi3.fmu":
		return cmp.Or(os.Getenv("GOSMP_FMU3"), path)
	}
	return path
}

// packed opens a built FMU in dist by its name.
func packed(t *testing.T, name string) *importer.FMU {
	t.Helper()
	path := dist(name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no FMU: %v; make examples packs it", err)
	}
	f, err := importer.Open(path)
	require.NoError(t, err)
	return f
}

// traffic is a Go participant that sends a SensorView with one vehicle, whose id counts steps.
type traffic struct{ messages }

func (v *traffic) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	v.n++
	id := func(n int) *osi3.Identifier { return &osi3.Identifier{Value: proto.Uint64(uint64(n))} }
	object := func(n int, x float64) *osi3.MovingObject {
		zero := proto.Float64(0)
		return &osi3.MovingObject{Id: id(n), Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
			Base: &osi3.BaseMoving{
				Dimension: &osi3.Dimension3D{Length: proto.Float64(4), Width: proto.Float64(2),
					Height: proto.Float64(1.5)},
				Position:    &osi3.Vector3D{X: proto.Float64(x), Y: zero, Z: proto.Float64(0.75)},
				Orientation: &osi3.Orientation3D{Roll: zero, Pitch: zero, Yaw: zero},
				Velocity:    &osi3.Vector3D{X: zero, Y: zero, Z: zero},
			}}
	}
	now := &osi3.Timestamp{Seconds: proto.Int64(int64(s.End / timebase.Second)),
		Nanos: proto.Uint32(uint32(s.End % timebase.Second))}
	bytes, err := proto.Marshal(&osi3.SensorView{Timestamp: now, SensorId: id(7),
		HostVehicleId: id(1),
		GlobalGroundTruth: &osi3.GroundTruth{Timestamp: now, HostVehicleId: id(1),
			MovingObject: []*osi3.MovingObject{object(1, 0), object(100+v.n, 20)}}})
	v.out.SetBlob(0, 0, bytes)
	return cosim.Advance{Reached: s.End}, err
}

// The packed sensor receives the messages of a Go participant, and its output for each one is read
// in the same step. Its configuration request is read and answered in Initialization Mode, and the
// sensor uses the answer: the request itself, or the user's configuration.
func TestPacked_SensorGetsMessagesOfAGoParticipantAndAConfiguration(t *testing.T) {
	f := packed(t, "OSMPDummySensor.fmu")
	own, err := proto.Marshal(
		&osi3.SensorViewConfiguration{SensorId: &osi3.Identifier{Value: proto.Uint64(42)}})
	require.NoError(t, err)
	for _, answer := range [][]byte{nil, own} {
		for _, shared := range []bool{false, true} {
			pool := &importer.Pool{}
			pool.Options.LogCalls = true
			var calls, warnings []string
			o := importer.Options{Shared: shared,
				Start: []importer.StartValue{{Name: "replay.enabled", Value: "false"},
					{Name: "nominalrange", Value: "77"}},
				Log: func(m importer.Message) { calls = append(calls, m.Text) },
				Warn: func(text string) {
					warnings = append(warnings, text)
				}, Configuration: map[string][]byte{}}
			if answer != nil {
				o.Configuration["OSMPSensorViewInConfig"] = answer
			}
			i, err := f.NewInstance("sensor", pool, o)
			require.NoError(t, err)
			e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.02)})
			e.Add("traffic", &traffic{messages{mime: view}})
			e.Add("sensor", i)
			e.Connect("traffic.view", "sensor.OSMPSensorViewIn")
			r := &run{blobs: map[string][]string{}}
			e.Observe(blobWatch{r, e.Watch("sensor.OSMPSensorDataOut")})
			e.Observe(blobWatch{r, e.Watch("sensor.OSMPSensorViewInConfigRequest")})
			_, err = e.Run(context.Background())
			require.NoError(t, err)
			require.NoError(t, pool.Close())
			require.Empty(t, warnings)
			requireDetections(t, r.blobs["sensor.OSMPSensorDataOut"], answer != nil)
			requireNegotiation(t, calls, r.blobs["sensor.OSMPSensorViewInConfigRequest"][0], answer)
		}
	}
}

// requireDetections requires that each message has the time and the vehicle of its step.
func requireDetections(t *testing.T, all []string, configured bool) {
	t.Helper()
	require.Len(t, all, 51)
	for k, text := range all[1:] {
		var data osi3.SensorData
		require.NoError(t, proto.Unmarshal([]byte(text), &data))
		at := data.GetTimestamp().GetSeconds()*1e9 + int64(data.GetTimestamp().GetNanos())
		require.Equal(t, int64(k+1)*20_000_000, at)
		require.Len(t, data.GetMovingObject(), 1)
		require.Equal(t, uint64(101+k),
			data.GetMovingObject()[0].GetHeader().GetGroundTruthId()[0].GetValue(),
			"without a step of delay")
		require.Equal(t, configured, data.GetSensorId().GetValue() == 42)
	}
}

// requireNegotiation requires that the request, which contains the user's range, was read after
// EnterInitializationMode, answered, and read again with the bytes of the answer.
func requireNegotiation(t *testing.T, calls []string, request string, answer []byte) {
	t.Helper()
	var order []string
	for _, call := range calls {
		name, arguments, _ := strings.Cut(call, "(")
		for _, triple := range []string{"6, 7, 8", "9, 10, 11"} {
			if strings.Contains(arguments, "vr=["+triple+"]") {
				order = append(order, strings.TrimPrefix(name, "fmi2")+" "+triple)
			}
		}
		if strings.HasSuffix(name, "InitializationMode") {
			order = append(order, strings.TrimPrefix(name, "fmi2"))
		}
	}
	require.Contains(t, strings.Join(order, ", "),
		"EnterInitializationMode, GetInteger 6, 7, 8, SetInteger 9, 10, 11, GetInteger 6, 7, 8, ")
	if answer != nil {
		require.Equal(t, string(answer), request)
		return
	}
	var wanted osi3.SensorViewConfiguration
	require.NoError(t, proto.Unmarshal([]byte(request), &wanted))
	require.GreaterOrEqual(t, wanted.GetRange(), 77.0,
		"the request follows the parameter that was set before")
	require.Less(t, wanted.GetRange(), 135.0)
}

// Each packed FMU of this project runs with all its outputs recorded.
func TestPacked_AllRun(t *testing.T) {
	list, err := filepath.Glob("../dist/*.fmu")
	require.NoError(t, err)
	if len(list) == 0 {
		t.Skip("no FMU in dist; make examples packs some")
	}
	for _, path := range list {
		runOrRefuse(t, path, false)
	}
}

// publicFMUs names a folder with third-party FMUs. They are run in place.
const publicFMUs = "GOSMP_PUBLIC_FMUS"

// Each FMU in or below that folder either runs for ten steps or is rejected before anything is
// loaded.
func TestPublic_AllRunOrAreRefusedByName(t *testing.T) {
	folder := os.Getenv(publicFMUs)
	if folder == "" {
		t.Skip("set " + publicFMUs + " to a folder with FMUs")
	}
	require.NoError(t, filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".fmu" {
			runOrRefuse(t, path, true)
		}
		return err
	}))
}

// runOrRefuse runs an FMU for ten steps.
func runOrRefuse(t *testing.T, path string, mayRefuse bool) {
	t.Run(filepath.Base(path), func(t *testing.T) {
		f, err := importer.Open(path)
		if err != nil && mayRefuse {
			require.ErrorIs(t, err, importer.ErrInvalid)
			require.ErrorContains(t, err, "expected")
			t.Log(err)
			return
		}
		require.NoError(t, err)
		var watch []string
		for _, v := range f.Variables() {
			if v.Role == cosim.Output {
				watch = append(watch, v.Name)
			}
		}
		r := newRun(f, watch...)
		step := 0.1
		if e := f.Model.DefaultExperiment; e.StepSize != nil {
			step = *e.StepSize
		}
		r.spec = cosim.Spec{Stop: cosim.Every(step).Point(0, 10), Step: cosim.Every(step)}
		require.NoError(t, r.do(t))
		require.Equal(t, int64(10), r.result.Steps)
	})
}
