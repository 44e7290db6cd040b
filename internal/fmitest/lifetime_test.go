package fmitest_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/fmitest"
	"gosmp/osmp"
)

// count returns a number of repetitions, a tenth of it in a short run.
func count(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// started creates an instance that has been initialized at 0 s.
func started(t testing.TB, h *fmitest.Host) fmitest.Component {
	c := h.Instantiate(fmitest.Usual(t.Name()))
	require.NotZero(t, c)
	require.Equal(t, fmi.OK, c.SetupExperiment(0, nil))
	require.Equal(t, fmi.OK, c.EnterInitializationMode())
	require.Equal(t, fmi.OK, c.ExitInitializationMode())
	return c
}

func TestInput_IsNotReadAfterDoStep(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	c := started(t, h)
	defer c.Free()
	rounds := count(5_000)
	require.Equal(t, rounds, c.VanishingInput(0.01, rounds), "lines: %v", h.Lines())
	t.Logf("%d steps with inputs that vanish when fmi2DoStep returns", 2*rounds)
}

// published is a message as read by the host.
type published struct {
	address uint64
	size    int
	sum     uint32
}

func (p published) intact() bool { return fmitest.ChecksumAt(p.address, p.size) == p.sum }

func readOutput(t *testing.T, c fmitest.Component) published {
	refs := fmitest.DataOutReferences
	values := make([]int32, 3)
	require.Equal(t, fmi.OK, c.GetInteger(refs, 3, values))
	p := published{address: osmp.JoinAddress(values[0], values[1]), size: int(values[2])}
	p.sum = fmitest.ChecksumAt(p.address, p.size)
	return p
}

// A message stays in place, byte for byte, until the second fmi2DoStep after the one that created
// it begins, regardless of the kind of step in between and of how often Go collects garbage.
func TestOutput_StaysUntilTheSecondStep(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	c := started(t, h)
	defer c.Free()
	var last published
	time, steps := 0.0, int32(0)
	for k := range count(400) {
		size := int32(1 + 37*k%9000)
		require.Equal(t, fmi.OK, c.SetInteger([]uint32{fmitest.IntegerSize}, 1, []int32{size}))
		require.Equal(t, fmi.OK, c.DoStep(time, 0.25))
		time, steps = time+0.25, steps+1
		require.True(t, last.size == 0 || last.intact(), "step %d: the message before it is gone",
			k)
		runtime.GC()
		last = readOutput(t, c)
		require.Equal(t, fmitest.Checksum(fmitest.AppendMessage(nil, int(size), int(steps))),
			last.sum, "step %d", k)
		if k%5 == 0 { // a step without a message clears the output and does not switch buffers
			require.Equal(t, fmi.OK, c.SetInteger([]uint32{fmitest.IntegerSize}, 1, []int32{0}))
			require.Equal(t, fmi.OK, c.DoStep(time, 0.25))
			time, steps = time+0.25, steps+1
			require.True(t, last.intact())
			require.Equal(t, published{sum: fmitest.Checksum(nil)}, readOutput(t, c))
			last = published{}
		}
	}
}

// Neither a discarded nor a failed step changes a published message, which remains until the
// instance is freed or reset.
func TestOutput_SurvivesDiscardAndError(t *testing.T) {
	for behaviour, want := range map[string]fmi.Status{
		fmitest.StepDiscards: fmi.Discard, fmitest.StepFails: fmi.Error,
		fmitest.StepPanics: fmi.Fatal,
	} {
		p := reach(t, "C")
		before := readOutput(t, p.c)
		require.Equal(t, fmi.OK, p.behave(behaviour))
		require.Equal(t, want, p.c.DoStep(0.5, 0.25))
		runtime.GC()
		require.True(t, before.intact(), behaviour)
		p.close()
	}
}

func TestGetString_TextsLiveUntilTheNextCall(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	c := started(t, h)
	defer c.Free()
	refs := []uint32{fmitest.StringNote, fmitest.StringText, fmitest.StringNote}
	for k := range 50 {
		note := fmt.Sprintf("note %d, ünïcode", k)
		require.Equal(t, fmi.OK, c.SetString([]uint32{fmitest.StringNote}, 1, name(note)))
		require.Equal(t, fmi.OK, c.DoStep(0.25*float64(k), 0.25))
		texts := make([]fmitest.Text, 3)
		require.Equal(t, fmi.OK, c.GetString(refs, 3, texts))
		runtime.GC()
		require.Equal(t, note, texts[0].String())
		require.Equal(t, fmt.Sprintf("%s %d", note, k+1), texts[1].String())
		require.Equal(t, note, texts[2].String())
	}
}

func TestInstances_64On16Threads(t *testing.T) {
	before := fmitest.OpenModels()
	require.Zero(t, fmitest.Threads(16, 64, count(500)))
	require.Zero(t, fmitest.Strays())
	require.Zero(t, fmitest.MisusedModels())
	require.Equal(t, before, fmitest.OpenModels(), "models that were not closed")
}

// If a host frees an instance while its other threads still call it, these calls return fmi2Error
// and do not crash.
func TestFreeInstance_WhileOthersCall(t *testing.T) {
	before := fmitest.OpenModels()
	h := fmitest.NewHost()
	defer h.Close()
	for range count(20) {
		require.Zero(t, started(t, h).Contend(8))
	}
	require.Equal(t, before, fmitest.OpenModels())
	require.Zero(t, fmitest.MisusedModels(), "calls of a model that was busy or closed")
	require.Empty(t, h.Lines())
}

// A number that is not a component must not disturb a thread that has never entered the library,
// regardless of the number's value; Go treats small numbers as invalid pointers.
func TestComponent_ForeignFirstOnFreshThread(t *testing.T) {
	for _, c := range []fmitest.Component{0, 1, 8, 4095, 4096, 0xdeadbeef, ^fmitest.Component(0)} {
		require.Zero(t, fmitest.ForeignFirst(c, 20), "component %#x", c)
	}
	p := reach(t, "C")
	defer p.close()
	for _, s := range []fmitest.State{1, 8, 4095, 4096, 0xdeadbeef, ^fmitest.State(0)} {
		if s != 0 { // a NULL location is the normal case for two functions
			require.Zero(t, p.c.ForeignStates(s, 20), "state %#x", s)
		}
	}
}

// A freed handle is not reused soon.
func TestComponent_HandlesAreNotReused(t *testing.T) {
	h := fmitest.NewHost()
	defer h.Close()
	gone := h.Instantiate(fmitest.Usual("gone"))
	gone.Free()
	for range count(5_000) {
		c := h.Instantiate(fmitest.Usual("next"))
		require.NotEqual(t, gone, c)
		require.Equal(t, fmi.Error, gone.Reset())
		c.Free()
	}
	gone.Free() // a second time, which must have no effect
	require.Empty(t, h.Lines())
}

// fmi2FreeInstance is legal in any state, even before initialization and after an error, and closes
// the model.
func TestFreeInstance_InEveryState(t *testing.T) {
	for _, state := range []string{"I", "M", "C", "F", "T", "E", "D"} {
		before := fmitest.OpenModels()
		p := reach(t, state)
		require.Equal(t, before+1, fmitest.OpenModels(), state)
		p.close()
		require.Equal(t, before, fmitest.OpenModels(), state)
	}
}

// If a host does not free its states, or lets another instance free them, no memory leaks once the
// instance is freed.
func TestState_GoesWithItsInstance(t *testing.T) {
	p, other := reach(t, "C"), reach(t, "C")
	defer other.close()
	require.Equal(t, fmi.OK, other.c.SetFMUstate(p.saved),
		"any instance of this FMU can restore it")
	p.close()
	require.Equal(t, fmi.Error, other.c.SetFMUstate(p.saved))
	lines := other.host.Lines()
	require.Len(t, lines, 1)
	require.Contains(t, lines[0].Text,
		"expected a state from fmi2GetFMUstate that has not been freed")
}

// A model that panics while its state is restored is lost; another instance can still use that
// state.
func TestState_PanicWhileRestoring(t *testing.T) {
	p, other := reach(t, "C"), reach(t, "C")
	defer p.close()
	defer other.close()
	require.Equal(t, fmi.OK, p.behave(fmitest.RestorePanics))
	var s fmitest.State
	require.Equal(t, fmi.OK, p.c.GetFMUstate(&s))
	require.Equal(t, fmi.Fatal, p.c.SetFMUstate(s))
	require.Len(t, p.host.Lines(), 1)
	require.Equal(t, fmi.OK, other.c.SetFMUstate(p.saved))
	require.Equal(t, fmi.OK, other.c.DoStep(0, 0.25))
}
