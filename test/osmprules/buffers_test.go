package osmprules

import (
	"bytes"
	"fmt"
	"hash/crc64"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// requestedConfiguration decodes the configuration that the model requests.
func requestedConfiguration(r *rig) *osi3.SensorViewConfiguration {
	r.t.Helper()
	m := &osi3.SensorViewConfiguration{}
	require.NoError(r.t, proto.Unmarshal(r.received(requested), m))
	return m
}

// carried returns the SensorView inside the SensorData.
func (r *rig) carried() []byte {
	r.t.Helper()
	for b := r.received(dataOut); len(b) > 0; {
		number, kind, n := protowire.ConsumeTag(b)
		require.Positive(r.t, n)
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		require.Positive(r.t, size)
		if number == 8 {
			content, _ := protowire.ConsumeBytes(b[n:])
			return content
		}
		b = b[n+size:]
	}
	return nil
}

// The test's memory lies above 4 GiB and has bit 31 set, so a host that sign-extends the low half
// would read from a wrong address.
func TestB3_HalvesOfTheAddressesOfMessages(t *testing.T) {
	r := playing(t, sixSensors)
	r.step()
	halves := make([]int32, 2)
	require.Equal(t, fmi.OK, r.GetInteger(r.host.References(dataOut)[:2], halves))
	require.Negative(t, halves[0])
	require.EqualValues(t, 0x7FFF, halves[1])
	_, err := r.memory.Read(uint64(uint32(halves[1]))<<32|uint64(uint32(halves[0])), 1)
	require.NoError(t, err)
}

func TestB5_NegativeSizeIsNoData(t *testing.T) {
	r := playing(t, sixSensors)
	address := r.memory.Provide(view(t, 1))
	for _, size := range []int32{-1, -1 << 31} {
		r.set(viewIn, address, size)
		r.step()
		require.NotEqual(t, view(t, 1), r.carried())
	}
	require.NoError(t, r.memory.Faults())
}

func TestB7_ValuesBeginAsNoData(t *testing.T) {
	r := initializing(t, sixSensors)
	for _, x := range []string{viewIn, dataOut, config} {
		address, size := r.host.Pointer(x)
		require.Zero(t, address)
		require.Zero(t, size)
	}
}

// lowHalfZero is a memory with an additional buffer of the host, at an address whose low half is 0.
type lowHalfZero struct {
	*mock.Memory
	data []byte
}

const addressLowZero = 3 << 32

func (m lowHalfZero) View(address uint64, n int) []byte {
	if address == addressLowZero && n <= len(m.data) {
		return m.data[:n]
	}
	return m.Memory.View(address, n)
}

func TestB8_OnlyBaseAndSizeTogetherAreABuffer(t *testing.T) {
	memory := mock.NewMemory()
	data := view(t, 5)
	r := instance(t, memory, lowHalfZero{memory, data}, "")
	r.initialize(sixSensors)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	good := memory.Provide(data)
	for _, c := range []struct {
		address uint64
		size    int32
		there   bool
	}{
		{0, int32(len(data)), false}, {good, 0, false}, {0, 0, false}, {addressLowZero,
			int32(len(data)), true},
		{good, int32(len(data)), true},
		{0, 1 << 30, false},
	} {
		r.set(viewIn, c.address, c.size)
		r.step()
		require.Equal(t, c.there, bytes.Equal(data, r.carried()), "%+v", c)
	}
}

// The bytes come from the generated encoder, which shares no code with the decoder of the model.
func TestV5_SensorViewOfAnotherEncoderIsUnderstood(t *testing.T) {
	r := playing(t, sixSensors)
	r.provide(viewIn, view(t, 7))
	r.step()
	require.Equal(t, 7.0, r.message().MountingPosition.Position.GetX(),
		"taken out of the SensorView")
	require.Equal(t, view(t, 7), r.carried())
}

// Once a configuration is agreed, the input is assumed to follow it.
func TestV6_AgreedConfigurationGovernsTheInput(t *testing.T) {
	r := initializing(t, sixSensors)
	agreed := requestedConfiguration(r)
	agreed.MountingPosition = mounting(2.5)
	data, err := proto.Marshal(agreed)
	require.NoError(t, err)
	r.provide(config, data)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.provide(viewIn, view(t, 7))
	r.step()
	require.Equal(t, 2.5, r.message().MountingPosition.Position.GetX())
}

// The host frees its buffer as soon as fmi2DoStep has returned, and then reads outputs, saves
// states and makes calls that are refused.
func TestB10_V7_NothingIsReadOutsideTheLifetimeOfTheInput(t *testing.T) {
	r := playing(t, sixSensors)
	for k := range 10_000 {
		address := r.provide(viewIn, view(t, k%5))
		if k%100 == 0 { // reading it here is allowed
			_, status := r.GetFMUstate(nil)
			require.Equal(t, fmi.OK, status)
		}
		r.step()
		r.memory.Protect(address)
		r.host.Pointer(dataOut)
		r.host.Pointer(viewIn)
		if k%100 == 1 {
			_, status := r.GetFMUstate(nil)
			require.Equal(t, fmi.OK, status)
			r.step() // without a new Set
		}
	}
	require.NoError(t, r.memory.Faults())
}

func TestC5_C6_RequestFollowsTheParametersUntilAConfigurationIsSet(t *testing.T) {
	r := initializing(t, sixSensors)
	require.Equal(t, 148.5, requestedConfiguration(r).GetRange())
	for _, nominal := range []float64{20, 300, 20} {
		r.host.Set("nominalrange", nominal)
		m := requestedConfiguration(r)
		require.InEpsilon(t, 1.1*nominal, m.GetRange(), 1e-15)
		require.NotNil(t, m.Version)
		require.NotNil(t, m.SensorId)
	}
}

func TestC7_RequestRepeatsTheConfigurationThatWasSet(t *testing.T) {
	r := initializing(t, sixSensors)
	data, err := proto.Marshal(&osi3.SensorViewConfiguration{Version: osi3.Version(),
		Range: proto.Float64(80)})
	require.NoError(t, err)
	// a field from the future
	data = protowire.AppendVarint(protowire.AppendTag(data, 18999, protowire.VarintType), 300)
	r.provide(config, data)
	require.Equal(t, data, r.received(requested))
	r.host.Set("nominalrange", 10)
	require.Equal(t, data, r.received(requested))
}

func TestC8_C9_HostsThatDoNotTakePartAreServed(t *testing.T) {
	r := playing(t, sixSensors)
	r.provide(viewIn, view(t, 3))
	r.step()
	require.Equal(t, view(t, 3), r.carried())
	for _, line := range r.log.Lines {
		require.Equal(t, "OSI", line.Category, "only findings about the content: %v", line)
	}
}

func TestC10_RequestReadInSeparateCallsInAnyOrder(t *testing.T) {
	r := initializing(t, sixSensors)
	want := r.received(requested)
	refs := r.host.References(requested)
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1},
		{2, 1, 0}} {
		x := make([]int32, 3)
		for _, k := range order {
			require.Equal(t, fmi.OK, r.GetInteger(refs[k:k+1], x[k:k+1]))
		}
		found, err := r.memory.Read(osmp.JoinAddress(x[0], x[1]), int(x[2]))
		require.NoError(t, err)
		require.Equal(t, want, found, "order %v", order)
	}
}

func TestD5_EveryStepGivesASensorData(t *testing.T) {
	r := playing(t, sixSensors)
	for k := range 20 {
		if k%2 == 1 {
			r.provide(viewIn, view(t, k))
		} else {
			r.set(viewIn, 0, 0)
		}
		r.step()
		m := r.message()
		require.EqualValues(t, r.now, m.Timestamp.GetSeconds()*1e9+int64(m.Timestamp.GetNanos()))
		for name, known := range map[string]bool{
			"version": m.Version != nil, "sensor_id": m.SensorId != nil,
			"mounting_position": m.MountingPosition != nil, "sensor_view": len(m.SensorView) == 1,
		} {
			require.True(t, known, name)
		}
		require.Empty(t, m.ProtoReflect().GetUnknown())
	}
}

func TestD6_ValidAgreesWithTheSize(t *testing.T) {
	r := initializing(t, sixSensors)
	r.host.Set("replay.startDelay", 0.05)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	for k := range 5 {
		r.step()
		valid := r.host.Get("valid")
		_, size := r.host.Pointer(dataOut)
		require.Equal(t, size > 0, valid)
		require.Equal(t, k >= 2, valid)
	}
}

var table = crc64.MakeTable(crc64.ISO)

// pointer is an address that a host has kept instead of a copy of the message.
type pointer struct {
	address uint64
	size    int32
	sum     uint64
}

func (r *rig) keep() pointer {
	address, size := r.host.Pointer(dataOut)
	return pointer{address, size, crc64.Checksum(r.received(dataOut), table)}
}

// intact requires that the bytes at a pointer are unchanged.
func (r *rig) intact(p pointer, when string) {
	r.t.Helper()
	data, err := r.memory.Read(p.address, int(p.size))
	require.NoError(r.t, err, when)
	require.Equal(r.t, p.sum, crc64.Checksum(data, table), when)
}

func TestD7_PointerIsGoodUntilTheSecondStepAfter(t *testing.T) {
	r := playing(t, sixSensors)
	r.step()
	for k := range 300 {
		kept := r.keep()
		switch k % 6 {
		case 0: // another message, longer or shorter
			r.provide(viewIn, view(t, 37*k))
			r.step()
		case 1: // a SensorView that cannot be decoded
			r.provide(viewIn, []byte{0xFF})
			require.LessOrEqual(t, r.tryStep(), fmi.Warning)
		case 2: // getters
			r.host.Pointer(dataOut)
			_, status := r.GetFMUstate(nil)
			require.Equal(t, fmi.OK, status)
		case 3: // a state that is saved and restored
			s, _ := r.GetFMUstate(nil)
			require.Equal(t, fmi.OK, r.SetFMUstate(s))
		default:
			r.step()
		}
		r.intact(kept, fmt.Sprint("after round ", k))
	}
	kept := r.keep()
	require.Equal(t, fmi.Error, r.DoStep(-5, 1), "a failed step")
	r.intact(kept, "after a failed step")
}

// A step without data publishes zeros and leaves the bytes of the previous step unchanged.
func TestD7_StepsWithoutData(t *testing.T) {
	memory := mock.NewMemory()
	r := instance(t, memory, memory, "")
	require.Equal(t, fmi.OK, r.EnterInitializationMode())
	r.host.Set("replay.enabled", false)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	for k := range 20 {
		r.provide(viewIn, view(t, 11*k))
		r.step()
		kept := r.keep()
		r.set(viewIn, 0, 0)
		r.step()
		require.Nil(t, r.received(dataOut))
		r.intact(kept, "after an empty step")
	}
}

// consumer is a model with a SensorData input, like a logical model: it copies its input in every
// step.
type consumer struct {
	in  *osmp.Input
	got [][]byte
}

func (c *consumer) Initialize(timebase.Time) error       { return nil }
func (c *consumer) Reset()                               {}
func (c *consumer) Close()                               {}
func (c *consumer) AppendState(b []byte) ([]byte, error) { return b, nil }
func (c *consumer) RestoreState([]byte) error            { return nil }
func (c *consumer) Step(timebase.Span) (none error) {
	data, _ := c.in.Take()
	c.got = append(c.got, bytes.Clone(data))
	return none
}

const dataIn = "OSMPSensorDataIn"

// consuming returns an FMU with that model, in step complete.
func consuming(t *testing.T, memory *mock.Memory) (*consumer, *modeltest.Rig) {
	t.Helper()
	c := &consumer{}
	d := &fmu.Definition{ModelName: "Consumer", ModelIdentifier: "Consumer",
		Experiment: fmu.Experiment{Stop: 1, Step: 0.02}}
	triple, err := osmp.Declare(&d.Variables, osmp.Binary{
		Prefix: dataIn, MIMEType: osmp.MIMEType("SensorData"), Causality: fmi.Input,
		Variability: fmi.Discrete,
	})
	require.NoError(t, err)
	d.New = func(h fmu.Host) fmu.Model {
		c.in = osmp.NewInput(h, triple)
		return c
	}
	r := modeltest.Host{Memory: memory}.Instantiate(t, d)
	r.Start()
	return c, r
}

// A host that does not support pointers passes the three integers on one communication point late,
// before or after the source has made its next step.
func TestD8_ChainWithAConsumerThatIsOneStepLate(t *testing.T) {
	for _, sourceFirst := range []bool{true, false} {
		t.Run(fmt.Sprintf("source first %v", sourceFirst), func(t *testing.T) {
			source := playing(t, sixSensors)
			c, sink := consuming(t, source.memory)
			var sent [][]byte
			triple := make([]int32, 3) // from the last communication point
			for k := range 200 {
				if k%3 == 1 {
					source.provide(viewIn, view(t, 53*k)) // so that the messages are of many sizes
				}
				consume := func() {
					require.Equal(t, fmi.OK, sink.TryPoint(dataIn, osmp.JoinAddress(triple[0],
						triple[1]), triple[2]))
					require.Equal(t, fmi.OK, sink.TryStep(cycle/1e9))
				}
				if sourceFirst {
					source.step()
					consume()
				} else {
					consume()
					source.step()
				}
				require.Equal(t, fmi.OK, source.GetInteger(source.host.References(dataOut), triple))
				sent = append(sent, source.received(dataOut))
			}
			require.Len(t, c.got, len(sent))
			require.Empty(t, c.got[0])
			require.Equal(t, sent[:len(sent)-1], c.got[1:])
		})
	}
}

// OSMP 0.3.0 does not define the lifetime of the configuration's buffer: it is not needed after
// fmi2ExitInitializationMode.
func TestG1_ConfigurationMayVanishAfterInitialization(t *testing.T) {
	r := initializing(t, sixSensors)
	data, err := proto.Marshal(&osi3.SensorViewConfiguration{Version: osi3.Version(),
		MountingPosition: mounting(4)})
	require.NoError(t, err)
	address := r.provide(config, data)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.memory.Protect(address)
	for range 3 {
		r.step()
		require.Equal(t, data, r.received(requested))
		require.Equal(t, 4.0, r.message().MountingPosition.Position.GetX())
	}
}

func TestG3_UndecodableInputIsAWarningAndNoData(t *testing.T) {
	r := playing(t, sixSensors)
	whole := view(t, 3)
	r.provide(viewIn, whole[:len(whole)-1])
	require.Equal(t, fmi.Warning, r.tryStep())
	require.Len(t, r.log.Lines, 1)
	require.NotEqual(t, whole[:len(whole)-1], r.carried())
	r.provide(viewIn, whole)
	r.step()
	require.Equal(t, whole, r.carried(), "the next good one counts")
}

func TestG4_ResetPublishesZerosAndTakesNothingBack(t *testing.T) {
	r := playing(t, sixSensors)
	r.step()
	kept := r.keep()
	require.Equal(t, fmi.OK, r.Reset())
	r.now = 0
	r.intact(kept, "after fmi2Reset")
	r.initialize(sixSensors)
	require.Nil(t, r.received(dataOut))
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.intact(kept, "after the next initialization")
	r.step()
	require.NotNil(t, r.received(dataOut))
}

// Instances share nothing, so each may run on a thread of its own. The race detector checks this.
func TestG5_InstancesOnThreadsOfTheirOwn(t *testing.T) {
	want := playing(t, sixSensors)
	for range 50 {
		want.step()
	}
	rigs := make([]*rig, 4)
	for k := range rigs {
		rigs[k] = playing(t, sixSensors)
	}
	var wait sync.WaitGroup
	for _, r := range rigs {
		wait.Go(func() {
			for range 50 {
				if r.tryStep() != fmi.OK {
					return
				}
			}
		})
	}
	wait.Wait()
	for _, r := range rigs {
		require.Equal(t, want.received(dataOut), r.received(dataOut))
	}
}
