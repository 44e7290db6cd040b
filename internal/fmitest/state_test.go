package fmitest_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/fmitest"
)

// picture is everything that a host can see of an instance at one communication point.
type picture struct {
	reals    [6]float64
	integers [11]int32 // including the addresses of DataOut
	booleans [3]int32
	texts    [3]string
	message  published
}

func look(t *testing.T, c fmitest.Component) (p picture) {
	refs := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	texts := make([]fmitest.Text, 3)
	require.Equal(t, fmi.OK, c.GetReal(refs, 6, p.reals[:]))
	require.Equal(t, fmi.OK, c.GetInteger(refs, 11, p.integers[:]))
	require.Equal(t, fmi.OK, c.GetBoolean(refs, 3, p.booleans[:]))
	require.Equal(t, fmi.OK, c.GetString(refs, 3, texts))
	for k, text := range texts {
		p.texts[k] = text.String()
	}
	p.message = readOutput(t, c)
	return p
}

// goOn performs 10 steps of 0.25 s, with growing messages.
func goOn(t *testing.T, c fmitest.Component) (seen []picture) {
	for k := range 10 {
		require.Equal(t, fmi.OK, c.SetInteger([]uint32{fmitest.IntegerSize}, 1,
			[]int32{int32(1 + 1000*k)}))
		require.Equal(t, fmi.OK, c.SetReal([]uint32{fmitest.RealForce}, 1, []float64{float64(k)}))
		require.Equal(t, fmi.OK, c.DoStep(2.5+0.25*float64(k), 0.25))
		seen = append(seen, look(t, c))
	}
	return seen
}

// halfway creates an instance with both sides of its output filled, a note and a state, at 2.5 s.
func halfway(t *testing.T, h *fmitest.Host) (fmitest.Component, fmitest.State) {
	c := started(t, h)
	require.Equal(t, fmi.OK, c.SetString([]uint32{fmitest.StringNote}, 1, name("ünïcode")))
	require.Equal(t, fmi.OK, c.Rounds(0, 0.25, 10))
	var s fmitest.State
	require.Equal(t, fmi.OK, c.GetFMUstate(&s))
	return c, s
}

// After a snapshot and some steps, a restored instance repeats the steps identically for the host,
// including the published address at the restored point, in every state in which an instance can be
// restored.
func TestState_RestoredContinuesIdentically(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	c, s := halfway(t, h)
	defer c.Free()
	at, want := look(t, c), goOn(t, c)
	for _, from := range []struct {
		state string
		leave func()
	}{
		{"step complete", func() {}},
		{"terminated", func() { require.Equal(t, fmi.OK, c.Terminate()) }},
		{"error", func() { require.Equal(t, fmi.Error, c.DoStep(99, 1)) }},
		{"step failed", func() {
			behaviour := fmitest.StepDiscards
			require.Equal(t, fmi.OK, c.SetString([]uint32{fmitest.StringBehaviour}, 1,
				[]*string{&behaviour}))
			require.Equal(t, fmi.Discard, c.DoStep(5, 0.25))
		}},
		{"fatal", func() { // another instance is lost, this one continues
			p := reach(t, "D")
			p.close()
		}},
		{"instantiated", func() { require.Equal(t, fmi.OK, c.Reset()) }},
		{"initialization mode", func() {
			require.Equal(t, fmi.OK, c.Reset())
			require.Equal(t, fmi.OK, c.SetupExperiment(0, nil))
			require.Equal(t, fmi.OK, c.EnterInitializationMode())
		}},
	} {
		from.leave()
		require.Equal(t, fmi.OK, c.SetFMUstate(s), from.state)
		require.Equal(t, at, look(t, c), from.state)
		requireSame(t, want, goOn(t, c))
	}
}

// A serialized state continues in another instance; only the addresses differ.
func TestState_SerializedContinuesInAnotherInstance(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	c, s := halfway(t, h)
	var size uint
	require.Equal(t, fmi.OK, c.SerializedFMUstateSize(s, &size))
	data := make([]byte, size)
	require.Equal(t, fmi.OK, c.SerializeFMUstate(s, data, size))
	want := goOn(t, c)
	c.Free()

	other := h.Instantiate(fmitest.Usual("other"))
	defer other.Free()
	var read fmitest.State
	require.Equal(t, fmi.OK, other.DeSerializeFMUstate(data, size, &read))
	require.Equal(t, fmi.OK, other.SetFMUstate(read))
	requireSame(t, want, goOn(t, other))

	again := make([]byte, size)
	require.Equal(t, fmi.OK, other.SerializeFMUstate(read, again, size))
	require.True(t, bytes.Equal(data, again))
	require.Empty(t, h.Lines())
}

// requireSame compares everything except addresses, which depend on how the buffers have grown.
func requireSame(t *testing.T, want, got []picture) {
	require.Len(t, got, len(want))
	for k := range want {
		a, b := want[k], got[k]
		require.Equal(t, a.message.sum, b.message.sum, "message of step %d", k)
		for _, p := range []*picture{&a, &b} {
			p.message.address = 0
			p.integers[fmitest.DataOut.BaseLo], p.integers[fmitest.DataOut.BaseHi] = 0, 0
		}
		require.Equal(t, a, b, "step %d", k)
	}
}
