package osmp_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/osmp"
	"gosmp/timebase"
)

// configuring creates a rig in initialization mode whose request asks for 1.1 times the nominal
// range.
func configuring(t *testing.T) *rig {
	r := newRig(t, mock.NewMemory())
	r.wanted = r.wantedRange
	r.enterInitialization()
	return r
}

func (r *rig) wantedRange() []byte { return wanting(r.Values.Reals[nominalRange]) }

// wanting returns an encoded message that requests a range.
func wanting(nominal float64) []byte {
	b := protowire.AppendTag(nil, 6, protowire.BytesType)
	return protowire.AppendString(b, fmt.Sprintf("range %g m", 1.1*nominal))
}

func (r *rig) setRange(x float64) {
	require.Equal(r.t, fmi.OK, r.SetReal([]fmi.ValueReference{nominalRange}, []float64{x}))
}

func TestC6_RequestFollowsTheParametersItDependsOn(t *testing.T) {
	r := configuring(t)
	require.Equal(t, wanting(135), r.received(requested))
	for _, x := range []float64{50, 400, 50, 135} {
		r.setRange(x)
		require.Equal(t, wanting(x), r.received(requested))
	}
	require.Nil(t, r.agreed)
	require.Nil(t, r.config.Agreed())
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	require.Equal(t, wanting(135), r.received(requested), "frozen")
	r.close()
}

func TestC7_RequestRepeatsTheHostsConfiguration(t *testing.T) {
	r := configuring(t)
	r.received(requested)
	unknown := protowire.AppendBytes(protowire.AppendTag(nil, 18999, protowire.BytesType),
		[]byte{0, 0xFF, '#', '%'})
	answer := append(wanting(77), unknown...)
	address := r.provide(config, answer)
	require.Equal(t, answer, r.received(requested), "byte for byte, unknown fields included")
	require.Equal(t, answer, r.agreed)
	require.Equal(t, answer, r.config.Agreed())
	own, _ := r.get(requested, 0, 1, 2)
	require.NotEqual(t, address, own, "a copy of our own")

	r.setRange(10)
	require.Equal(t, answer, r.received(requested), "a parameter has no say any more")
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.memory.Protect(address) // the lifetime of a configuration ends here
	for range 3 {
		r.publish([]byte("data"))
		require.Equal(t, answer, r.received(requested))
	}
	r.save()
	r.close()
}

func TestC7_NewestConfigurationCounts(t *testing.T) {
	r := configuring(t)
	for k := range 4 {
		answer := wanting(float64(k))
		address := r.provide(config, answer)
		require.Equal(t, answer, r.received(requested))
		r.memory.Protect(address) // copied when it was set
		require.Equal(t, answer, r.received(requested))
	}
	// withdrawn, and a size without an address, which is not an answer either
	for _, size := range []int32{0, 5} {
		r.provide(config, []byte("answer"))
		require.Equal(t, "answer", string(r.received(requested)))
		r.set(config, 0, 0, size)
		require.Equal(t, wanting(135), r.received(requested))
		require.Nil(t, r.agreed)
		require.Nil(t, r.config.Agreed())
	}
	r.close()
}

func TestC7_ConfigurationSetBeforeInitializationMode(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.wanted = func() []byte { return wanting(1) }
	r.provide(config, []byte("early"))
	r.enterInitialization()
	require.Equal(t, "early", string(r.received(requested)))
	r.close()
}

// If a host sets the three integers in three separate calls and reads in between, the FMU never
// reads from a half-set address.
func TestC7_ConfigurationSetInThreeCalls(t *testing.T) {
	r := configuring(t)
	address := r.memory.Provide([]byte("answer"))
	lo, hi := osmp.SplitAddress(address)
	for k, ref := range references(config) {
		require.Equal(t, wanting(135), r.received(requested))
		require.Equal(t, fmi.OK, r.SetInteger([]fmi.ValueReference{ref},
			[]int32{[]int32{lo, hi, 6}[k]}))
	}
	require.Equal(t, "answer", string(r.received(requested)))
	r.close()
}

// The host may set the three in any order, whatever their previous values are.
func TestC7_ConfigurationSetInThreeCallsOfAnyOrder(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1},
		{2, 1, 0}} {
		r := configuring(t)
		for _, answer := range []string{"answer", "a longer answer"} {
			lo, hi := osmp.SplitAddress(r.memory.Provide([]byte(answer)))
			for _, k := range order {
				ref := references(config)[k]
				require.Equal(t, fmi.OK, r.SetInteger([]fmi.ValueReference{ref},
					[]int32{[]int32{lo, hi, int32(len(answer))}[k]}))
				// from here on, combining the old buffer with a new size would be the host's
				// mistake
				if answer == "answer" {
					require.NotNil(t, r.received(requested))
				}
			}
			require.Equal(t, answer, string(r.received(requested)), "%v", order)
		}
		r.close()
	}
}

func TestC8_C9_HostThatDoesNeitherIsServed(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.wanted = func() []byte { return wanting(1) }
	r.begin() // does not read the request or set a configuration
	r.publish([]byte("data"))
	require.Equal(t, wanting(1), r.received(requested))
	r.close()
}

func TestC10_AddressesAreFrozenWithoutAChange(t *testing.T) {
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	r := configuring(t)
	address, size := r.get(requested, 0, 1, 2)
	same := func() {
		for _, order := range orders {
			a, n := r.get(requested, order...)
			require.Equal(t, address, a)
			require.Equal(t, size, n)
		}
	}
	same()
	r.setRange(135) // set, but not changed
	same()
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	for range 3 {
		r.publish([]byte("data"))
		same()
	}
	require.Equal(t, fmi.OK, r.Terminate())
	same()
	r.close()
}

func TestC6_NothingWantedAfterResetIsNoData(t *testing.T) {
	r := configuring(t)
	require.Equal(t, wanting(135), r.received(requested))
	r.Reset()
	r.wanted = func() []byte { return nil }
	r.begin()
	require.Nil(t, r.received(requested), "not what was requested before the reset")

	r = configuring(t)
	require.Equal(t, wanting(135), r.received(requested))
	r.config.Reset()
	require.Nil(t, r.received(requested), "also without the instance, which puts back all values")
	r.close()
}

func TestC7_ResetForgetsTheConfiguration(t *testing.T) {
	r := configuring(t)
	r.memory.Protect(r.provide(config, []byte("answer")))
	// The instance has not been initialized since then: the host's buffer was not read and no
	// longer exists.
	r.Reset()
	require.Nil(t, r.config.Agreed())
	r.enterInitialization()
	require.Equal(t, wanting(135), r.received(requested))

	r.provide(config, []byte("answer"))
	require.Equal(t, "answer", string(r.received(requested)))
	r.Reset()
	require.Nil(t, r.config.Agreed())
	r.begin()
	require.Equal(t, wanting(135), r.received(requested))
	r.close()
}

func TestC7_SnapshotKeepsBothSidesOfTheHandshake(t *testing.T) {
	r := configuring(t)
	r.received(requested)
	wantedOnly := r.save()
	address := r.provide(config, []byte("answer"))
	unread := r.save() // set, not yet read by the model
	require.Equal(t, "answer", string(r.received(requested)))
	r.memory.Protect(address)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	agreed := r.save()
	r.publish([]byte("data"))

	other := newRig(t, r.memory)
	other.wanted = other.wantedRange
	for _, target := range []*rig{r, other} {
		target.restore(wantedOnly)
		require.Equal(t, wanting(135), target.received(requested))
		require.Nil(t, target.config.Agreed())
		target.setRange(9)
		require.Equal(t, wanting(9), target.received(requested), "still follows its parameters")

		target.restore(agreed)
		require.Equal(t, fmi.StepComplete, target.State())
		require.Equal(t, "answer", string(target.received(requested)))
		require.Equal(t, "answer", string(target.config.Agreed()))

		target.restore(unread)
		require.Equal(t, fmi.OK, target.ExitInitializationMode())
		require.Equal(t, "answer", string(target.received(requested)))
		require.Equal(t, "answer", string(target.agreed))

		target.restore(unread) // later changes do not reach the snapshot
		target.provide(config, []byte("ANSWER"))
		require.Equal(t, "ANSWER", string(target.received(requested)))
		target.restore(unread)
		require.Equal(t, "answer", string(target.received(requested)))
		require.NoError(t, r.memory.Faults())
	}
	other.close()
	r.close()
}

// The host may release its configuration once fmi2ExitInitializationMode has returned, even with an
// error.
func TestC7_FailedInitializationEndsTheLifetimeToo(t *testing.T) {
	d := testDefinition(t, func(h fmu.Host) fmu.Model { return &failing{newSensor(h)} })
	memory := mock.NewMemory()
	i, err := fmu.Instantiate(d, fmu.Config{InstanceName: "sensor", GUID: guid, Memory: memory})
	require.NoError(t, err)
	r := &rig{Instance: i, t: t, memory: memory}
	r.enterInitialization()
	address := r.provide(config, []byte("answer"))
	require.Equal(t, fmi.Error, r.ExitInitializationMode())
	memory.Protect(address)
	r.save()
	r.close()
}

// failing is a sensor that fails before it has read the configuration.
type failing struct{ *sensor }

func (failing) Initialize(timebase.Time) error { return errors.New("no scenario") }

func TestC10_NoMemoryForTheRequestIsAnError(t *testing.T) {
	r := configuring(t)
	r.memory.Allocations = 0
	require.Equal(t, fmi.Error, r.ExitInitializationMode())
	require.Nil(t, r.received(requested))
	r.close()
}
