package osmp_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/internal/state"
	"gosmp/osmp"
	"gosmp/timebase"
)

// refIn is the input of an FMU for FMI 3.0, after the time; 0 and 1 are the indices of its input and
// output.
const refIn fmi.ValueReference = 1

// carrier is a model whose output contains its input. Each test defines what a step does.
type carrier struct {
	fmu.Host
	in   *osmp.Input
	out  *osmp.Output
	step func(data []byte) error
}

func (c *carrier) Initialize(timebase.Time) error { return nil }

func (c *carrier) Step(timebase.Span) error {
	data, _ := c.in.Take()
	return c.step(data)
}

func (c *carrier) Reset() {
	c.in.Reset()
	c.out.Clear()
}

func (c *carrier) Close() { c.out.Close() }

func (c *carrier) AppendState(b []byte) ([]byte, error) {
	return c.in.AppendState(c.out.AppendState(b)), nil
}

func (c *carrier) RestoreState(b []byte) error {
	d := &state.Decoder{Data: b}
	if err := c.out.RestoreState(d); err != nil {
		return err
	}
	c.in.RestoreState(d)
	return d.Err()
}

// enclosing is an instance that also plays the loader's role: it sets the input in the space
// reserved for it.
type enclosing struct {
	*fmu.Instance
	model  *carrier
	memory *mock.Memory
	now    float64
	direct int // how often the reserved space was used

	values expected
	saved  []savedEnclosing
}

// expected holds the required values of the variables, and of the output after Settle if a message
// waits.
type expected struct {
	input, output, waiting []byte
	waits                  bool
}

type savedEnclosing struct {
	state   *fmu.Snapshot
	values  expected
	now     float64
	address uint64 // of the output
}

func newEnclosing(t require.TestingT) *enclosing {
	e := &enclosing{memory: mock.NewMemory()}
	d := &fmu.Definition{ModelName: "Carrier", ModelIdentifier: "Carrier", GUID: guid,
		Units: []fmi.Unit{{Name: "s", S: 1}}, Variables: *fmu.NewVariables(fmi.FMI3),
		Experiment: fmu.Experiment{Stop: 1, Step: 0.25}}
	var places [2]osmp.Place
	for k, b := range []osmp.Binary{
		{Prefix: "OSMPSensorViewIn", MIMEType: osmp.MIMEType("SensorView"), Causality: fmi.Input,
			Variability: fmi.Discrete},
		{Prefix: "OSMPSensorDataOut", MIMEType: osmp.MIMEType("SensorData"), Causality: fmi.Output,
			Variability: fmi.Discrete},
	} {
		var err error
		places[k], err = osmp.Declare(&d.Variables, b)
		require.NoError(t, err)
	}
	d.New = func(h fmu.Host) fmu.Model {
		e.model = &carrier{Host: h, in: osmp.NewInput(h, places[0]),
			out: osmp.NewOutput(h, places[1])}
		return e.model
	}
	require.NoError(t, d.Check())
	var err error
	e.Instance, err = fmu.Instantiate(d, fmu.Config{Version: fmi.FMI3, InstanceName: "carrier",
		GUID: guid, Memory: e.memory})
	require.NoError(t, err)
	e.begin(t)
	return e
}

func (e *enclosing) begin(t require.TestingT) {
	require.Equal(t, fmi.OK, e.Initialize(fmu.ExperimentSetup{}))
	require.Equal(t, fmi.OK, e.ExitInitializationMode())
	e.now = 0
}

// set sets the input as the loader does: in place, or in memory of its own.
func (e *enclosing) set(t require.TestingT, data []byte) {
	require.True(t, e.DirectBinaries())
	room, address := e.RoomFor(0)
	if len(data) <= len(room) {
		e.direct++
		copy(room, data)
		e.AdoptBinary(refIn, room[:len(data)], address)
	} else {
		own := slices.Clone(data)
		e.AdoptBinary(refIn, own, e.memory.Provide(own))
	}
	e.values.input = data
}

// doStep steps with the model's part, and returns the status.
func (e *enclosing) doStep(do func(data []byte) error) fmi.Status {
	e.model.step = do
	status := e.DoStep(e.now, 0.25)
	if status == fmi.OK {
		e.now += 0.25
	}
	return status
}

// enclose performs a step with a message around the input; finish turns it into the output.
func (e *enclosing) enclose(t require.TestingT, head, tail []byte, finish func([]byte) error) (
	message []byte) {
	require.Equal(t, fmi.OK, e.doStep(func(data []byte) error {
		if len(data) == 0 {
			return finish(nil)
		}
		return finish(append(e.model.out.Enclose(head, data, e.model.in), tail...))
	}))
	if len(e.values.input) == 0 {
		return nil
	}
	return slices.Concat(head, e.values.input, tail)
}

// published returns the message after a step that has published it.
func (e *enclosing) published(message []byte) {
	e.values.output, e.values.waiting, e.values.waits = message, nil, false
}

// check compares both variables, and the memory at the output's address.
func (e *enclosing) check(t require.TestingT) {
	require.NoError(t, e.memory.Faults())
	in, _ := e.BinaryAt(0)
	require.True(t, bytes.Equal(e.values.input, in), "the input keeps its value")
	out, address := e.BinaryAt(1)
	require.True(t, bytes.Equal(e.values.output, out), "the output")
	if len(out) > 0 {
		there, err := e.memory.Read(address, len(out))
		require.NoError(t, err)
		require.True(t, bytes.Equal(e.values.output, there), "the memory of the output")
	}
}

// actions are what the environment and the model can do.
func (e *enclosing) actions(t *rapid.T) map[string]func(*rapid.T) {
	sizes := rapid.SampledFrom([]int{1, 2, 100, 400, 3000, 4096, 10_000})
	draw := func(name string) []byte {
		return bytes.Repeat([]byte{rapid.Byte().Draw(t, name)}, sizes.Draw(t, name+" size"))
	}
	out := e.model.out
	return map[string]func(*rapid.T){
		"":    func(t *rapid.T) { e.check(t) },
		"set": func(*rapid.T) { e.set(t, draw("value")) },
		"set elsewhere": func(*rapid.T) {
			e.values.input = draw("value")[:rapid.IntRange(0, 1).Draw(t, "bytes")]
			require.Equal(t, fmi.OK, e.SetBinary([]fmi.ValueReference{refIn},
				[][]byte{e.values.input}))
		},
		"enclose": func(t *rapid.T) {
			e.skipWhileWaiting(t)
			e.published(e.enclose(t, draw("head"), draw("tail"), out.Publish))
		},
		"prepare": func(*rapid.T) {
			e.values.waiting = e.enclose(t, draw("head"), draw("tail"), out.Prepare)
			e.values.waits = true
		},
		"settle": func(*rapid.T) {
			if e.values.waits {
				e.published(e.values.waiting)
			}
			out.Settle()
		},
		"publish": func(t *rapid.T) {
			e.skipWhileWaiting(t)
			message := draw("message")
			require.Equal(t, fmi.OK, e.doStep(func([]byte) error {
				return out.Publish(append(out.Buffer(), message...))
			}))
			e.published(message)
		},
		"nothing": func(*rapid.T) {
			require.Equal(t, fmi.OK, e.doStep(func([]byte) error {
				out.Clear()
				return nil
			}))
			e.published(nil)
		},
		"discard": func(*rapid.T) {
			head := draw("head")
			require.Equal(t, fmi.Discard, e.doStep(func(data []byte) error {
				_ = append(out.Enclose(head, data, e.model.in), head...)
				return fmu.ErrDiscard
			}))
		},
		"save":    func(*rapid.T) { e.save(t) },
		"restore": e.restore,
		"reset": func(*rapid.T) {
			require.Equal(t, fmi.OK, e.Reset())
			e.begin(t)
			e.values = expected{}
		},
	}
}

// skipWhileWaiting skips an action that a model does not take in Event Mode.
func (e *enclosing) skipWhileWaiting(t *rapid.T) {
	if e.values.waits {
		t.Skip("a message waits for Settle")
	}
}

func (e *enclosing) save(t require.TestingT) {
	s, status := e.GetFMUstate(nil)
	require.Equal(t, fmi.OK, status)
	_, address := e.BinaryAt(1)
	e.saved = append(e.saved, savedEnclosing{s, e.values, e.now, address})
}

func (e *enclosing) restore(t *rapid.T) {
	if len(e.saved) == 0 {
		t.Skip("nothing saved yet")
	}
	s := rapid.SampledFrom(e.saved).Draw(t, "state")
	require.Equal(t, fmi.OK, e.SetFMUstate(s.state))
	e.values, e.now = s.values, s.now
	_, address := e.BinaryAt(1)
	require.Equal(t, s.address, address, "the host knows the output at this address")
}

// An input that lies where the next message needs it keeps the value that was set, and the output
// has the same bytes as with a copy, regardless of what else the model publishes and what the
// environment does.
func TestOutput_Enclose_KeepsInputAndOutput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := newEnclosing(t)
		t.Repeat(e.actions(t))
		e.Free()
		require.NoError(t, e.memory.Faults())
	})
}

// From the second message on, an input of the usual size is set where the next message needs it,
// and is neither copied again nor moved.
func TestOutput_Enclose_SetsInputsInPlace(t *testing.T) {
	e := newEnclosing(t)
	head, tail := []byte("head"), bytes.Repeat([]byte("tail"), 100)
	for k := range 20 {
		e.set(t, bytes.Repeat([]byte{byte(k)}, 5000))
		e.published(e.enclose(t, head, tail, e.model.out.Publish))
		e.check(t)
		in, _ := e.BinaryAt(0)
		out, _ := e.BinaryAt(1)
		require.Equal(t, k > 0 && e.direct > 0, &in[0] == &out[len(head)], "step %d", k)
	}
	require.GreaterOrEqual(t, e.direct, 17)
}

// A head that needs more room than earlier ones moves the position of inputs. An input at the
// earlier position stays there.
func TestOutput_Enclose_LongerHeads(t *testing.T) {
	e := newEnclosing(t)
	enclose := func(head int) {
		e.published(e.enclose(t, bytes.Repeat([]byte{'h'}, head), []byte("tail"),
			e.model.out.Publish))
		e.check(t)
	}
	for range 4 {
		e.set(t, make([]byte, 20_000))
		enclose(10)
	}
	e.set(t, bytes.Repeat([]byte{'v'}, 1000))
	for _, head := range []int{10, 600, 1000, 600, 10, 5000, 10, 10, 10} {
		enclose(head)
	}
}
