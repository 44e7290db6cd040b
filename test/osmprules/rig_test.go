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
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
)

// tester is what tests and properties have in common.
type tester interface {
	require.TestingT
	Helper()
	Cleanup(func())
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

// The binary variables of the model, whose references are a contract with its users.
var (
	viewIn    = osmp.Triple{BaseLo: 0, BaseHi: 1, Size: 2}
	dataOut   = osmp.Triple{BaseLo: 3, BaseHi: 4, Size: 5}
	requested = osmp.Triple{BaseLo: 6, BaseHi: 7, Size: 8}
	config    = osmp.Triple{BaseLo: 9, BaseHi: 10, Size: 11}
)

const cycle = 20_000_000 // ns

// rig is an instance in the hands of a host.
type rig struct {
	*fmu.Instance
	t         tester
	variables *fmu.Variables
	memory    *mock.Memory
	log       *mock.Log
	now       int64 // ns
}

// instance makes one in the state instantiated. Memory may be shared, as in one process.
func instance(t tester, memory *mock.Memory, as fmu.Memory, resources string) *rig {
	t.Helper()
	d := dummysensor.Definition()
	r := &rig{t: t, variables: &d.Variables, memory: memory, log: &mock.Log{}}
	i, err := fmu.Instantiate(d, fmu.Config{
		InstanceName: "sensor", Resources: resources, LoggingOn: true, Deliver: r.log.Deliver, Memory: as,
	})
	require.NoError(t, err)
	r.Instance = i
	t.Cleanup(func() {
		i.Free()
		require.NoError(t, memory.Faults())
	})
	return r
}

// initializing makes an instance in initialization mode.
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
	r.text("replay.scenarioFile", write(r.t, scenario))
}

// playing makes an instance in step complete.
func playing(t tester, scenario string) *rig {
	t.Helper()
	r := initializing(t, scenario)
	require.Equal(t, fmi.OK, r.ExitInitializationMode(), "%v", r.log.Lines)
	return r
}

// write makes a scenario file in a folder of its own.
func write(t tester, scenario string) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "gosmp-osmprules-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	name := filepath.Join(folder, "scenario.csv")
	require.NoError(t, os.WriteFile(name, []byte(scenario), 0o600))
	return name
}

func (r *rig) ref(name string) []fmi.ValueReference {
	v := r.variables.Named(name)
	require.NotNil(r.t, v, name)
	return []fmi.ValueReference{v.Reference(fmi.FMI2)}
}

func (r *rig) text(name, value string) {
	r.t.Helper()
	require.Equal(r.t, fmi.OK, r.SetString(r.ref(name), []string{value}))
}

func (r *rig) real(name string, value float64) {
	r.t.Helper()
	require.Equal(r.t, fmi.OK, r.SetReal(r.ref(name), []float64{value}))
}

func (r *rig) integer(name string) int32 {
	r.t.Helper()
	x := []int32{0}
	require.Equal(r.t, fmi.OK, r.GetInteger(r.ref(name), x))
	return x[0]
}

// tryStep makes a step of the default size.
func (r *rig) tryStep() fmi.Status {
	status := r.DoStep(float64(r.now)/1e9, cycle/1e9)
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
func (r *rig) set(x osmp.Triple, address uint64, size int32) {
	r.t.Helper()
	lo, hi := osmp.SplitAddress(address)
	require.Equal(r.t, fmi.OK, r.SetInteger(references(x), []int32{lo, hi, size}))
}

// provide puts data into a buffer of the host and sets the notional variable to it.
func (r *rig) provide(x osmp.Triple, data []byte) (address uint64) {
	r.t.Helper()
	address = r.memory.Provide(data)
	r.set(x, address, int32(len(data)))
	return address
}

// get reads the three integers of a notional variable, in one call.
func (r *rig) get(x osmp.Triple) (address uint64, size int32) {
	r.t.Helper()
	found := make([]int32, 3)
	require.Equal(r.t, fmi.OK, r.GetInteger(references(x), found), "%v", r.log.Lines)
	return osmp.JoinAddress(found[0], found[1]), found[2]
}

// received is a copy of what a notional variable points at, nil for "no data".
func (r *rig) received(x osmp.Triple) []byte {
	r.t.Helper()
	address, size := r.get(x)
	if address == 0 || size == 0 {
		require.Zero(r.t, address)
		require.Zero(r.t, size)
		return nil
	}
	data, err := r.memory.Read(address, int(size))
	require.NoError(r.t, err)
	return bytes.Clone(data)
}

func (r *rig) message() *osi3.SensorData {
	r.t.Helper()
	data, m := r.received(dataOut), &osi3.SensorData{}
	require.NotEmpty(r.t, data)
	require.NoError(r.t, proto.Unmarshal(data, m))
	return m
}

// view is an encoded SensorView that is told apart by a number and by its length.
func view(t tester, number int) []byte {
	t.Helper()
	id := &osi3.Identifier{Value: proto.Uint64(uint64(number))}
	at := &osi3.Timestamp{Seconds: proto.Int64(int64(number)), Nanos: proto.Uint32(0)}
	padding := proto.String(string(make([]byte, number%300)))
	object := &osi3.MovingObject{Id: id, Type: osi3.MovingObject_TYPE_VEHICLE.Enum(), ModelReference: padding}
	b, err := proto.Marshal(&osi3.SensorView{
		Version: osi3.Version(), Timestamp: at, SensorId: id, HostVehicleId: id, MountingPosition: mounting(float64(number)),
		GlobalGroundTruth: &osi3.GroundTruth{
			Version: osi3.Version(), Timestamp: at, HostVehicleId: id, MovingObject: []*osi3.MovingObject{object},
		},
	})
	require.NoError(t, err)
	return b
}

func mounting(x float64) *osi3.MountingPosition {
	return &osi3.MountingPosition{
		Position:    &osi3.Vector3D{X: proto.Float64(x), Y: proto.Float64(0), Z: proto.Float64(0)},
		Orientation: &osi3.Orientation3D{Roll: proto.Float64(0), Pitch: proto.Float64(0), Yaw: proto.Float64(0)},
	}
}

// references are the value references of the three integers: in FMI 2.0 the Integers count in the
// order of the table, as indices do.
func references(x osmp.Triple) []fmi.ValueReference {
	return []fmi.ValueReference{fmi.ValueReference(x.BaseLo), fmi.ValueReference(x.BaseHi), fmi.ValueReference(x.Size)}
}
