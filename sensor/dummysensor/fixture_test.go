package dummysensor_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/model/modeltest"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
)

// tester is the common interface of tests and property tests.
type tester interface {
	require.TestingT
	modeltest.T
}

// The notional binary variables.
const (
	viewIn        = "OSMPSensorViewIn"
	dataOut       = "OSMPSensorDataOut"
	configRequest = "OSMPSensorViewInConfigRequest"
	configIn      = "OSMPSensorViewInConfig"
)

// rows of all six sensors, in milliseconds, with values that are easy to recognize.
const sixSensors = `SensorID,Timestamp,Field1,Field2,Field3
1,1000,100,-200,-9800
8,1000,10,-20,30,1000000,-2000000,3000000
16,1000,200,-10,430
2,1000,101325,290
32,1000,288
4,1000,95000,52300000000,13400000000,1700000000123456,140,216,131000,5000,3000,-4000,500,1500,2500,250,785,10,20,9,3
1,1010,300,-400,-9700
8,1010,11,-21,31,1000100,-2000200,3000300
1,1040,500,600,-9600
2,1050,101300,291
16,1060,210,-11,431
4,1100,95500,52300001000,13400002000,1700000000223456,141,217,131500,6000,0,6000,-250,1501,2501,251,1571,11,21,10,4
0
`

type set = map[string]any

// rig is an instance of the model, driven by a host.
type rig struct {
	*fmu.Instance
	t         tester
	variables *fmu.Variables
	host      *modeltest.Rig
	memory    *mock.Memory
	log       *mock.Log
	now       int64 // ns
}

// newRig creates an instance whose resources folder does not exist.
func newRig(t tester) *rig { return rigWith(t, mock.NewMemory(), "/nowhere/resources") }

func rigWith(t tester, memory *mock.Memory, resources string) *rig {
	t.Helper()
	return rigOf(t, dummysensor.Definition(), memory, modeltest.Host{Resources: resources})
}

// rigOf creates an instance of a definition on a host with the given memory.
func rigOf(t tester, d *fmu.Definition, memory *mock.Memory, h modeltest.Host) *rig {
	t.Helper()
	r := &rig{t: t, variables: &d.Variables, memory: memory, log: &mock.Log{}}
	h.Memory, h.Deliver = memory, r.log.Deliver
	r.host = h.Instantiate(t, d)
	r.Instance = r.host.Instance()
	return r
}

// started creates an instance that plays a scenario, in the state Step Complete.
func started(t tester, scenario string, parameters set) *rig {
	t.Helper()
	r := newRig(t)
	r.setUp(withScenario(t, scenario, parameters))
	require.Equal(t, fmi.OK, r.ExitInitializationMode(), "%v", r.log.Lines)
	return r
}

// implausible returns an instance like started, but for a scenario with an implausible row rate,
// which is the only warning.
func implausible(t tester, scenario string, parameters set) *rig {
	t.Helper()
	r := newRig(t)
	r.setUp(withScenario(t, scenario, parameters))
	if status := r.ExitInitializationMode(); status != fmi.OK {
		require.Equal(t, fmi.Warning, status)
		lines := r.lines()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], "implausible unit of time")
	}
	return r
}

// withScenario writes the text to a file and adds the file to the parameters.
func withScenario(t tester, text string, parameters set) set {
	t.Helper()
	all := set{"replay.scenarioFile": file(t, text)}
	maps.Copy(all, parameters)
	return all
}

// file writes a scenario to a new folder.
func file(t tester, text string) string {
	t.Helper()
	name := filepath.Join(folder(t), "scenario.csv")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func folder(t tester) string {
	t.Helper()
	name, err := os.MkdirTemp("", "gosmp-dummysensor-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(name)) })
	return name
}

// setUp enters initialization mode and sets parameters. Unless they include the time unit, the
// documented one is used, because most scenarios in these tests are too short to reveal their unit.
func (r *rig) setUp(parameters set) {
	r.t.Helper()
	require.Equal(r.t, fmi.OK, r.SetupExperiment(fmu.ExperimentSetup{}))
	require.Equal(r.t, fmi.OK, r.EnterInitializationMode())
	r.set(set{"replay.timeUnit": "ms"})
	r.set(parameters)
}

// set sets variables by name, in the order of their names.
func (r *rig) set(values set) {
	r.t.Helper()
	require.Equal(r.t, fmi.OK, r.trySet(values), "%v", r.log.Lines)
}

// trySet is like set, but for an instance that may reject the values. It returns the worst status.
func (r *rig) trySet(values set) (worst fmi.Status) {
	r.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		worst = max(worst, r.host.TrySet(name, values[name]))
	}
	return worst
}

func (r *rig) real(name string) float64 {
	r.t.Helper()
	return r.host.Get(name).(float64)
}

func (r *rig) integer(name string) int {
	r.t.Helper()
	return int(r.host.Get(name).(int32))
}

func (r *rig) boolean(name string) bool {
	r.t.Helper()
	return r.host.Get(name).(bool)
}

// outputs returns the values of all outputs except addresses.
func (r *rig) outputs() set {
	r.t.Helper()
	found := set{}
	for _, v := range r.variables.All() {
		if v.Causality == fmi.Output && !strings.Contains(v.Name, ".base.") {
			found[v.Name] = r.host.Get(v.Name)
		}
	}
	return found
}

// step performs a step of h nanoseconds.
func (r *rig) step(h int64) fmi.Status {
	r.t.Helper()
	status := r.host.TryStepFrom(float64(r.now)/1e9, float64(h)/1e9)
	if status <= fmi.Warning {
		r.now += h
	}
	return status
}

// steps performs n successful steps of h nanoseconds.
func (r *rig) steps(n int, h int64) {
	r.t.Helper()
	for range n {
		require.Equal(r.t, fmi.OK, r.step(h), "%v", r.log.Lines)
	}
}

const cycle = 20_000_000 // ns, the default step

// triple sets the three integers of a binary variable.
func (r *rig) triple(prefix string, address uint64, size int32) {
	r.t.Helper()
	require.Equal(r.t, fmi.OK, r.host.TryPoint(prefix, address, size), "%v", r.log.Lines)
}

// provide puts data into a buffer of the host and sets the triple to it.
func (r *rig) provide(prefix string, data []byte) (address uint64) {
	r.t.Helper()
	address = r.memory.Provide(data)
	r.triple(prefix, address, int32(len(data)))
	return address
}

// tryProvide is like provide, but for an instance that may reject the data.
func (r *rig) tryProvide(prefix string, data []byte) fmi.Status {
	return r.host.TryPoint(prefix, r.memory.Provide(data), int32(len(data)))
}

// received reads the message that the triple refers to, as a host does. It returns nil for "no
// data".
func (r *rig) received(prefix string) []byte {
	r.t.Helper()
	return bytes.Clone(r.host.Read(prefix))
}

// message returns the SensorData of the last step.
func (r *rig) message() *osi3.SensorData {
	r.t.Helper()
	data := r.received(dataOut)
	require.NotNil(r.t, data, "no SensorData")
	m := &osi3.SensorData{}
	require.NoError(r.t, proto.Unmarshal(data, m))
	return m
}

// lines returns the lines logged since the last call.
func (r *rig) lines() []string {
	var texts []string
	for _, m := range r.log.Drain() {
		texts = append(texts, fmt.Sprintf("%v %s: %s", m.Status, m.Category, m.Text))
	}
	return texts
}

// save takes a snapshot.
func (r *rig) save() *fmu.Snapshot {
	r.t.Helper()
	s, status := r.GetFMUstate(nil)
	require.Equal(r.t, fmi.OK, status)
	return s
}

// sensorView returns a SensorView of a host and other vehicles around it, which move with time.
func sensorView(number, others int) *osi3.SensorView {
	id := func(n int) *osi3.Identifier { return &osi3.Identifier{Value: proto.Uint64(uint64(n))} }
	// never after the step that uses it
	at := &osi3.Timestamp{Seconds: proto.Int64(0), Nanos: proto.Uint32(uint32(number))}
	truth := &osi3.GroundTruth{Version: osi3.Version(), Timestamp: at, HostVehicleId: id(100)}
	for n := range others + 1 {
		truth.MovingObject = append(truth.MovingObject, &osi3.MovingObject{
			Id: id(100 + n), Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
			Base: &osi3.BaseMoving{
				Dimension:   dimension(5, 2, 1.5),
				Position:    vector3d(20*float64(n)+0.1*float64(number), 2*float64(n), 0.75),
				Velocity:    vector3d(10, 0, 0),
				Orientation: orientation(0, 0, 0), OrientationRate: orientation(0, 0, 0),
			},
			VehicleAttributes: &osi3.MovingObject_VehicleAttributes{BbcenterToRear: vector3d(-1.4,
				0, -0.4)},
			VehicleClassification: &osi3.MovingObject_VehicleClassification{
				Type: osi3.MovingObject_VehicleClassification_TYPE_MEDIUM_CAR.Enum()},
		})
	}
	return &osi3.SensorView{
		Version: osi3.Version(), Timestamp: at, SensorId: id(10000), HostVehicleId: id(100),
		GlobalGroundTruth: truth,
		MountingPosition: &osi3.MountingPosition{Position: vector3d(1, 2, 3),
			Orientation: orientation(0.1, 0.2, 0.3)},
	}
}

func vector3d(x, y, z float64) *osi3.Vector3D {
	return &osi3.Vector3D{X: proto.Float64(x), Y: proto.Float64(y), Z: proto.Float64(z)}
}

func orientation(roll, pitch, yaw float64) *osi3.Orientation3D {
	return &osi3.Orientation3D{Roll: proto.Float64(roll), Pitch: proto.Float64(pitch),
		Yaw: proto.Float64(yaw)}
}

func dimension(length, width, height float64) *osi3.Dimension3D {
	return &osi3.Dimension3D{Length: proto.Float64(length), Width: proto.Float64(width),
		Height: proto.Float64(height)}
}

func marshal(t tester, m proto.Message) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	require.NoError(t, err)
	return b
}

// fields returns the contents of all occurrences of a length-delimited field.
func fields(t tester, message []byte, number protowire.Number) (contents [][]byte) {
	t.Helper()
	for b := message; len(b) > 0; {
		num, kind, n := protowire.ConsumeTag(b)
		require.Positive(t, n)
		size := protowire.ConsumeFieldValue(num, kind, b[n:])
		require.Positive(t, size)
		if num == number {
			content, _ := protowire.ConsumeBytes(b[n:])
			contents = append(contents, content)
		}
		b = b[n+size:]
	}
	return contents
}
