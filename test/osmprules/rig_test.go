package osmprules

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/model/modeltest"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
)

// tester is the common interface of tests and properties.
type tester interface {
	require.TestingT
	modeltest.T
}

// Rows of all six sensors over 100 ms, in milliseconds.
const sixSensors = `1,1000,100,-200,-9800
8,1000,10,-20,30,1000000,-2000000,3000000
16,1000,200,-10,430
2,1000,101325,290
32,1000,288
4,1000,95000,52300000000,13400000000,1700000000123456,140,216,131000,5000,3000,-4000,500,1500,2500,250,785,10,20,9,3
1,1010,300,-400,-9700
1,1040,500,600,-9600
2,1050,101300,291
4,1100,95500,52300001000,13400002000,1700000000223456,141,217,131500,6000,0,6000,-250,1501,2501,251,1571,11,21,10,4
0
`

// The binary variables of the model.
const (
	viewIn    = "OSMPSensorViewIn"
	dataOut   = "OSMPSensorDataOut"
	requested = "OSMPSensorViewInConfigRequest"
	config    = "OSMPSensorViewInConfig"
)

const cycle = 20_000_000 // ns

// rig is an instance that a host controls.
type rig struct {
	*fmu.Instance
	t      tester
	host   *modeltest.Rig
	memory *mock.Memory
	log    *mock.Log
	now    int64 // ns
}

// instance creates an instance in the state instantiated. Instances may share memory, as in one
// process.
func instance(t tester, memory *mock.Memory, as modeltest.Memory, resources string) *rig {
	t.Helper()
	r := &rig{t: t, memory: memory, log: &mock.Log{}}
	r.host = modeltest.Host{Resources: resources, Memory: as, Deliver: r.log.Deliver}.Instantiate(t,
		dummysensor.Definition())
	r.Instance = r.host.Instance()
	return r
}

// initializing creates an instance in initialization mode.
func initializing(t tester, scenario string) *rig {
	t.Helper()
	memory := mock.NewMemory()
	r := instance(t, memory, memory, "")
	r.initialize(scenario)
	return r
}

func (r *rig) initialize(scenario string) {
	r.t.Helper()
	require.Equal(r.t, fmi.OK, r.SetupExperiment(fmu.ExperimentSetup{}))
	require.Equal(r.t, fmi.OK, r.EnterInitializationMode())
	r.host.Set("replay.scenarioFile", write(r.t, scenario))
}

// playing creates an instance in step complete.
func playing(t tester, scenario string) *rig {
	t.Helper()
	r := initializing(t, scenario)
	require.Equal(t, fmi.OK, r.ExitInitializationMode(), "%v", r.log.Lines)
	return r
}

// write creates a scenario file in a separate folder.
func write(t tester, scenario string) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "gosmp-osmprules-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	name := filepath.Join(folder, "scenario.csv")
	require.NoError(t, os.WriteFile(name, []byte(scenario), 0o600))
	return name
}

// tryStep makes a step of the default size.
func (r *rig) tryStep() fmi.Status {
	status := r.host.TryStepFrom(float64(r.now)/1e9, cycle/1e9)
	if status <= fmi.Warning {
		r.now += cycle
	}
	return status
}

func (r *rig) step() {
	r.t.Helper()
	require.Equal(r.t, fmi.OK, r.tryStep(), "%v", r.log.Lines)
}

// set sets the three integers of a notional variable.
func (r *rig) set(name string, address uint64, size int32) {
	r.t.Helper()
	require.Equal(r.t, fmi.OK, r.host.TryPoint(name, address, size))
}

// provide puts data into a buffer of the host and sets the notional variable to it.
func (r *rig) provide(name string, data []byte) (address uint64) {
	r.t.Helper()
	address = r.memory.Provide(data)
	r.set(name, address, int32(len(data)))
	return address
}

// received returns a copy of the bytes of a notional variable, nil for "no data".
func (r *rig) received(name string) []byte {
	r.t.Helper()
	return bytes.Clone(r.host.Read(name))
}

func (r *rig) message() *osi3.SensorData {
	r.t.Helper()
	data, m := r.received(dataOut), &osi3.SensorData{}
	require.NotEmpty(r.t, data)
	require.NoError(r.t, proto.Unmarshal(data, m))
	return m
}

// view returns an encoded SensorView that is identified by a number and by its length.
func view(t tester, number int) []byte {
	t.Helper()
	id := &osi3.Identifier{Value: proto.Uint64(uint64(number))}
	at := &osi3.Timestamp{Seconds: proto.Int64(int64(number)), Nanos: proto.Uint32(0)}
	padding := proto.String(string(make([]byte, number%300)))
	object := &osi3.MovingObject{Id: id, Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
		ModelReference: padding}
	b, err := proto.Marshal(&osi3.SensorView{
		Version: osi3.Version(), Timestamp: at, SensorId: id, HostVehicleId: id,
		MountingPosition: mounting(float64(number)), GlobalGroundTruth: &osi3.GroundTruth{
			Version: osi3.Version(), Timestamp: at, HostVehicleId: id,
			MovingObject: []*osi3.MovingObject{object},
		},
	})
	require.NoError(t, err)
	return b
}

func mounting(x float64) *osi3.MountingPosition {
	return &osi3.MountingPosition{
		Position: &osi3.Vector3D{X: proto.Float64(x), Y: proto.Float64(0), Z: proto.Float64(0)},
		Orientation: &osi3.Orientation3D{Roll: proto.Float64(0), Pitch: proto.Float64(0),
			Yaw: proto.Float64(0)},
	}
}
