package osmp_test

import (
	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/internal/state"
	"gosmp/osmp"
	"gosmp/timebase"
)

const guid = "9d0d3f0e-0c46-4a0e-8a55-5a7d0a1c8a77"

// The binary variables of the test FMU.
var (
	viewIn    = osmp.Place{BaseLo: 0, BaseHi: 1, Size: 2}
	dataOut   = osmp.Place{BaseLo: 3, BaseHi: 4, Size: 5}
	requested = osmp.Place{BaseLo: 6, BaseHi: 7, Size: 8}
	config    = osmp.Place{BaseLo: 9, BaseHi: 10, Size: 11}
)

const nominalRange fmi.ValueReference = 0 // Real

// testDefinition declares one binary variable of every kind, in the order of the triples above.
func testDefinition(t require.TestingT, newModel func(fmu.Host) fmu.Model) *fmu.Definition {
	d := &fmu.Definition{ModelName: "Sensor", ModelIdentifier: "Sensor", GUID: guid, New: newModel,
		Experiment: fmu.Experiment{Stop: 1, Step: 0.02}}
	for k, b := range []osmp.Binary{
		{Prefix: "OSMPSensorViewIn", MIMEType: osmp.MIMEType("SensorView"), Causality: fmi.Input,
			Variability: fmi.Discrete},
		{Prefix: "OSMPSensorDataOut", MIMEType: osmp.MIMEType("SensorData"), Causality: fmi.Output,
			Variability: fmi.Discrete},
		{Prefix: "OSMPSensorViewInConfigRequest",
			MIMEType: osmp.MIMEType("SensorViewConfiguration"), Causality: fmi.CalculatedParameter,
			Variability: fmi.Fixed, DependsOn: []string{"nominalrange"}},
		{Prefix: "OSMPSensorViewInConfig", MIMEType: osmp.MIMEType("SensorViewConfiguration"),
			Causality: fmi.Parameter, Variability: fmi.Fixed},
	} {
		triple, err := osmp.Declare(&d.Variables, b)
		require.NoError(t, err)
		require.Equal(t, []osmp.Place{viewIn, dataOut, requested, config}[k], triple)
	}
	d.Variables.Add(fmu.Variable{Name: "nominalrange", Type: fmi.Real, Causality: fmi.Parameter,
		Variability: fmi.Fixed,
		Initial:     fmi.Exact, Start: 135.0})
	require.NoError(t, d.Check())
	return d
}

// sensor is a model that only passes bytes on: each test defines what a step reads from its input
// and what it publishes.
type sensor struct {
	fmu.Host
	in     *osmp.Input
	out    *osmp.Output
	config *osmp.ConfigRequest

	step   func() error  // what a step does
	wanted func() []byte // what the configuration request contains
	agreed []byte        // what the host has answered
}

func newSensor(h fmu.Host) *sensor {
	return &sensor{Host: h, in: osmp.NewInput(h, viewIn), out: osmp.NewOutput(h, dataOut),
		config: osmp.NewConfigRequest(h, requested, config),
		step:   func() error { return nil }, wanted: func() []byte { return nil }}
}

func (s *sensor) Initialize(timebase.Time) (err error) {
	s.agreed, err = s.config.Update(s.wanted())
	return err
}

func (s *sensor) Step(timebase.Span) error { return s.step() }

func (s *sensor) Reset() {
	s.in.Reset()
	s.out.Clear()
	s.config.Reset()
}

func (s *sensor) Close() {
	s.out.Close()
	s.config.Close()
}

func (s *sensor) AppendState(b []byte) ([]byte, error) {
	return s.config.AppendState(s.in.AppendState(s.out.AppendState(b))), nil
}

func (s *sensor) RestoreState(b []byte) error {
	d := &state.Decoder{Data: b}
	if err := s.out.RestoreState(d); err != nil {
		return err
	}
	s.in.RestoreState(d)
	if err := s.config.RestoreState(d); err != nil {
		return err
	}
	return d.Err()
}

// rig is an instance with its model. Several rigs can share one memory, as FMUs in one process do.
type rig struct {
	*fmu.Instance
	*sensor
	t      require.TestingT
	memory *mock.Memory
	now    float64
}

func newRig(t require.TestingT, memory *mock.Memory) *rig {
	r := &rig{t: t, memory: memory}
	d := testDefinition(t, func(h fmu.Host) fmu.Model {
		r.sensor = newSensor(h)
		return r.sensor
	})
	i, err := fmu.Instantiate(d, fmu.Config{InstanceName: "sensor", GUID: guid, Memory: memory})
	require.NoError(t, err)
	r.Instance = i
	return r
}

// Reset resolves the ambiguity of the two embedded ones: a rig is driven from the host side.
func (r *rig) Reset() {
	require.Equal(r.t, fmi.OK, r.Instance.Reset())
	r.now = 0
}

func (r *rig) enterInitialization() {
	require.Equal(r.t, fmi.OK, r.SetupExperiment(fmu.ExperimentSetup{}))
	require.Equal(r.t, fmi.OK, r.EnterInitializationMode())
}

func (r *rig) begin() {
	r.enterInitialization()
	require.Equal(r.t, fmi.OK, r.ExitInitializationMode())
}

// doStep performs one step in which the model calls do.
func (r *rig) doStep(do func() error) fmi.Status {
	r.step = do
	status := r.DoStep(r.now, 0.25)
	if status <= fmi.Warning {
		r.now += 0.25
	}
	return status
}

// publish performs one step that publishes message.
func (r *rig) publish(message []byte) {
	require.Equal(r.t, fmi.OK, r.doStep(func() error {
		return r.out.Publish(append(r.out.Buffer(), message...))
	}))
}

// get reads the three integers one by one, in the given order of lo, hi and size.
func (r *rig) get(triple osmp.Place, order ...int) (address uint64, size int32) {
	var x [3]int32
	for _, k := range order {
		ref := references(triple)[k]
		require.Equal(r.t, fmi.OK, r.GetInteger([]fmi.ValueReference{ref}, x[k:k+1]))
	}
	return osmp.JoinAddress(x[0], x[1]), x[2]
}

// output returns the address and size of the SensorData.
func (r *rig) output() (address uint64, size int32) { return r.get(dataOut, 0, 1, 2) }

// received reads the bytes of a triple as a host would, or nil for "no data".
func (r *rig) received(triple osmp.Place) []byte {
	address, size := r.get(triple, 0, 1, 2)
	if address == 0 || size == 0 {
		require.Zero(r.t, address)
		require.Zero(r.t, size)
		return nil
	}
	data, err := r.memory.Read(address, int(size))
	require.NoError(r.t, err)
	return append([]byte(nil), data...)
}

// set sets the three integers in one call.
func (r *rig) set(triple osmp.Place, lo, hi, size int32) {
	require.Equal(r.t, fmi.OK, r.SetInteger(
		references(triple), []int32{lo, hi, size}))
}

// provide puts data into a buffer of the host and sets the triple to its address and size.
func (r *rig) provide(triple osmp.Place, data []byte) (address uint64) {
	address = r.memory.Provide(data)
	lo, hi := osmp.SplitAddress(address)
	r.set(triple, lo, hi, int32(len(data)))
	return address
}

// save takes a snapshot.
func (r *rig) save() *fmu.Snapshot {
	s, status := r.GetFMUstate(nil)
	require.Equal(r.t, fmi.OK, status)
	return s
}

// restore restores a snapshot, in the rig that took it or in another one.
func (r *rig) restore(s *fmu.Snapshot) {
	require.Equal(r.t, fmi.OK, r.SetFMUstate(s))
	if r.State() == fmi.InitializationMode {
		r.now = 0
		return
	}
	now, status := r.RealStatus(fmu.LastSuccessfulTime)
	require.Equal(r.t, fmi.OK, status)
	r.now = now
}

// close frees the instance and checks its use of memory.
func (r *rig) close() {
	r.Free()
	require.NoError(r.t, r.memory.Faults())
}

// references returns the value references of the three integers. In FMI 2.0 the Integers are
// numbered in table order, like the indices.
func references(x osmp.Place) []fmi.ValueReference {
	return []fmi.ValueReference{fmi.ValueReference(x.BaseLo), fmi.ValueReference(x.BaseHi),
		fmi.ValueReference(x.Size)}
}
