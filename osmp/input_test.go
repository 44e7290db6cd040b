package osmp_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/osmp"
)

// take performs one step and returns a copy of the bytes found at its input.
func (r *rig) take() (data []byte, presence osmp.Presence) {
	require.Equal(r.t, fmi.OK, r.doStep(func() error {
		data, presence = r.in.Take()
		data = bytes.Clone(data)
		return nil
	}))
	return data, presence
}

func TestB8_NoBufferIsNoData(t *testing.T) {
	lo, hi := osmp.SplitAddress(0x0000_7FFF_8000_0010) // not mapped: a read would fault
	for _, c := range [][3]int32{
		{0, 0, 64}, {lo, hi, 0}, {0, 0, 0}, {lo, 0, 0}, {0, hi, 0}, {lo, hi, -1},
		{lo, hi, math.MinInt32}, {0, 0, -64},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			r := newRig(t, mock.NewMemory())
			r.begin()
			r.set(viewIn, c[0], c[1], c[2])
			first := osmp.NoData
			if c[2] < 0 || c[2] > 0 && c[0] == 0 && c[1] == 0 {
				first = osmp.Contradiction
				require.ErrorIs(t, r.in.Contradiction(), osmp.ErrContradiction)
				require.ErrorContains(t, r.in.Contradiction(), fmt.Sprintf("size %d", c[2]))
			}
			for _, wanted := range []osmp.Presence{first, osmp.NoData} {
				data, presence := r.take()
				require.Nil(t, data)
				require.Equal(t, wanted, presence)
			}
			r.close()
		})
	}
}

// One half may be 0 while the other is not: (0, hi, n) is valid memory at a multiple of 4 GiB, (lo,
// 0, n) below 4 GiB.
func TestB8_OneHalfMayBeZero(t *testing.T) {
	for _, c := range [][2]int32{{0, 0x7FFF}, {0, -1}, {0x1000, 0}, {math.MinInt32, 0}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			var asked []uint64
			memory := viewer(func(address uint64, n int) []byte {
				asked = append(asked, address)
				return bytes.Repeat([]byte{7}, n)
			})
			var s *sensor
			d := testDefinition(t, func(h fmu.Host) fmu.Model { s = newSensor(h); return s })
			i, err := fmu.Instantiate(d, fmu.Config{InstanceName: "sensor", GUID: guid,
				Memory: memory})
			require.NoError(t, err)
			r := &rig{Instance: i, sensor: s, t: t}
			r.begin()
			r.set(viewIn, c[0], c[1], 3)
			data, presence := r.take()
			require.Equal(t, osmp.Data, presence)
			require.Equal(t, []byte{7, 7, 7}, data)
			require.Equal(t, []uint64{osmp.JoinAddress(c[0], c[1])}, asked)
		})
	}
}

// viewer is a memory in which every address is readable.
type viewer func(address uint64, n int) []byte

func (viewer) Allocate(int) ([]byte, uint64, error) { return nil, 0, mock.ErrExhausted }
func (viewer) Free(uint64)                          {}
func (v viewer) View(address uint64, n int) []byte  { return v(address, n) }

func (v viewer) Copy(to []byte, address uint64) bool {
	return copy(to, v(address, len(to))) == len(to)
}

func TestV7_BufferIsReadUntilTheStepEndsAndNeverAfter(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	for k := range 50 {
		message := bytes.Repeat([]byte{byte(k)}, k+1)
		address := r.provide(viewIn, message)
		data, presence := r.take()
		require.Equal(t, osmp.Data, presence)
		require.Equal(t, message, data)

		r.memory.Protect(address) // the step has returned: from here on a read faults
		r.received(dataOut)
		r.get(viewIn, 2, 1, 0)
		r.save()
	}
	r.close()
}

func TestV7_StepWithoutANewSetFindsItExpired(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	address := r.provide(viewIn, []byte("view"))
	r.take()
	r.memory.Protect(address)
	for range 3 {
		data, presence := r.take()
		require.Nil(t, data)
		require.Equal(t, osmp.Expired, presence)
	}
	r.provide(viewIn, []byte("next"))
	data, presence := r.take()
	require.Equal(t, osmp.Data, presence)
	require.Equal(t, "next", string(data))
	r.close()
}

// Setting the same address again renews its lifetime, even if the host sets only one of the three
// integers.
func TestV7_SettingTheSameAddressAgainIsFresh(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	address := r.provide(viewIn, []byte("view"))
	lo, hi := osmp.SplitAddress(address)
	r.take()
	for _, again := range []func(){
		func() { r.set(viewIn, lo, hi, 4) },
		func() { require.Equal(t, fmi.OK, r.SetInteger(references(viewIn)[2:3], []int32{4})) },
		func() { require.Equal(t, fmi.OK, r.SetInteger(references(viewIn)[1:2], []int32{hi})) },
		func() { require.Equal(t, fmi.OK, r.SetInteger(references(viewIn)[0:1], []int32{lo})) },
	} {
		again()
		data, presence := r.take()
		require.Equal(t, osmp.Data, presence)
		require.Equal(t, "view", string(data))
	}
	_, presence := r.take()
	require.Equal(t, osmp.Expired, presence)
	r.close()
}

func TestV7_SnapshotCopiesWhatTheNextStepWouldSee(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	address := r.provide(viewIn, []byte("view"))
	s := r.save()
	r.take()
	r.memory.Protect(address)

	for _, target := range []*rig{r, newRig(t, r.memory)} {
		target.restore(s)
		again := target.save() // copies the copy
		target.restore(again)
		data, presence := target.take()
		require.Equal(t, osmp.Data, presence)
		require.Equal(t, "view", string(data))
		_, presence = target.take()
		require.Equal(t, osmp.Expired, presence, "once only, like the host's own buffer")

		address = target.provide(viewIn, []byte("dropped"))
		target.restore(s) // undoes a value that was set but not yet read
		target.memory.Protect(address)
		data, presence = target.take()
		require.Equal(t, osmp.Data, presence)
		require.Equal(t, "view", string(data))

		target.restore(s)
		target.provide(viewIn, []byte("set anew"))
		data, presence = target.take()
		require.Equal(t, osmp.Data, presence)
		require.Equal(t, "set anew", string(data))
		require.NoError(t, r.memory.Faults())
	}
	r.close()
}

// A host that sets the three integers one at a time may save a state in between, while they form an
// invalid address. The state is still valid, and the values that the host sets afterward take
// effect.
func TestV7_SnapshotWhileTheHostIsSettingTheInput(t *testing.T) {
	for k, first := range references(viewIn) {
		r := newRig(t, mock.NewMemory())
		r.begin()
		r.stepWith("view of the step before")
		address := r.memory.Provide([]byte("next view"))
		lo, hi := osmp.SplitAddress(address + 1<<40)
		value := []int32{lo &^ 0xFFF, hi, math.MaxInt32 >> 8}[k]
		if k == 2 { // points outside a buffer that has been released
			r.set(viewIn, 1, 2, 0)
		}
		require.Equal(t, fmi.OK, r.SetInteger([]fmi.ValueReference{first}, []int32{value}))
		s := r.save()
		for _, target := range []*rig{r, newRig(t, r.memory)} {
			target.restore(s)
			_, presence := target.take()
			require.NotEqual(t, osmp.Data, presence)
			target.restore(s)
			require.Equal(t, "next view", string(target.takeFrom(address, 9)))
		}
		r.close()
	}
}

// takeFrom sets the input to an address and performs a step with it.
func (r *rig) takeFrom(address uint64, size int32) []byte {
	lo, hi := osmp.SplitAddress(address)
	r.set(viewIn, lo, hi, size)
	data, presence := r.take()
	require.Equal(r.t, osmp.Data, presence)
	return data
}

func TestV7_PendingUntilTaken(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	require.False(t, r.in.Pending(), "never set")
	r.provide(viewIn, []byte("view"))
	require.True(t, r.in.Pending())
	require.Equal(t, fmi.OK, r.doStep(func() error {
		r.in.Take()
		require.False(t, r.in.Pending(), "even before the step has returned")
		return nil
	}))
	r.provide(viewIn, []byte("next"))
	r.Reset()
	require.False(t, r.in.Pending(), "a reset forgets that it was set")
	r.close()
}

func TestV7_SnapshotOfAnExpiredInputStaysExpired(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	r.memory.Protect(r.stepWith("view"))
	s := r.save()
	for _, target := range []*rig{r, newRig(t, r.memory)} {
		target.restore(s)
		data, presence := target.take()
		require.Nil(t, data)
		require.Equal(t, osmp.Expired, presence)
	}
	r.close()
}

// stepWith provides an input and performs the step that consumes it.
func (r *rig) stepWith(text string) (address uint64) {
	address = r.provide(viewIn, []byte(text))
	r.take()
	return address
}

func TestV7_ResetForgetsTheInput(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	r.memory.Protect(r.provide(viewIn, []byte("view")))
	r.Reset()
	r.begin()
	data, presence := r.take()
	require.Nil(t, data)
	require.Equal(t, osmp.NoData, presence)
	r.close()
}

// A refused step also ends the lifetime of the host's buffer.
func TestV7_RefusedStepEndsTheLifetimeToo(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	before := r.save()
	address := r.provide(viewIn, []byte("view"))
	require.Equal(t, fmi.Error, r.DoStep(0, -1))
	r.memory.Protect(address)
	r.save() // legal in the error state, for debugging
	r.restore(before)
	address = r.provide(viewIn, []byte("view"))
	// has not read the input
	require.Equal(t, fmi.Discard, r.doStep(func() error { return fmu.ErrDiscard }))
	r.memory.Protect(address)
	r.save()
	r.restore(before)
	_, presence := r.take()
	require.Equal(t, osmp.NoData, presence)
	r.close()
}

func TestInput_NoAllocations(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	r.provide(viewIn, bytes.Repeat([]byte{1}, 5000))
	size, values := references(viewIn)[2:3], []int32{5000}
	found := 0
	step := func() error {
		data, _ := r.in.Take()
		found += len(data)
		return nil
	}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		r.SetInteger(size, values)
		r.doStep(step)
	}))
	require.Equal(t, 101*5000, found)
	r.close()
}
