package fmu_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// serialized returns the bytes of a snapshot, serialized by a separate instance.
func serialized(s *fmu.Snapshot) []byte {
	i, err := fmu.Instantiate(testDefinition(newCart), fmu.Config{InstanceName: "serializer",
		GUID: guid})
	if err != nil {
		panic(err)
	}
	b := make([]byte, s.Size())
	if status := i.SerializeFMUstate(s, b); status != fmi.OK {
		panic(status)
	}
	return b
}

// saved returns the state of an instance as bytes.
func saved(t require.TestingT, i *fmu.Instance) []byte {
	s, status := i.GetFMUstate(nil)
	require.Equal(t, fmi.OK, status)
	return serialized(s)
}

// move is one action of a host on a cart in step complete.
type move struct {
	kind  string
	value int
}

var moves = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) move {
	return move{rapid.SampledFrom([]string{"step", "force", "trim", "gear", "brake", "note"}).Draw(
		t, "kind"),
		rapid.IntRange(-100, 100).Draw(t, "value")}
}), 0, 12)

// play makes the moves and returns what the host can read after each of them.
func play(t require.TestingT, i *fmu.Instance, list []move) (seen [][]byte) {
	for _, m := range list {
		status := fmi.OK
		switch m.kind {
		case "step":
			now, ok := i.RealStatus(fmu.LastSuccessfulTime)
			require.Equal(t, fmi.OK, ok)
			status = i.DoStep(now, float64(m.value+101)/1000)
		case "force":
			status = i.SetReal(refs(realForce), []float64{float64(m.value)})
		case "trim":
			status = i.SetReal(refs(realTrim), []float64{1 / float64(m.value)})
			if m.value == 0 {
				require.Equal(t, fmi.Error, status) // infinite: every later call returns an error
				return seen
			}
		case "gear":
			status = i.SetInteger(refs(integerGear), []int32{int32(m.value)})
		case "brake":
			status = i.SetBoolean(refs(booleanBrake), []bool{m.value > 0})
		case "note":
			status = i.SetString(refs(stringNote), []string{fmt.Sprint("n\x00ö", m.value)})
		}
		require.Equal(t, fmi.OK, status, "%+v", m)
		seen = append(seen, picture(t, i))
	}
	return seen
}

func TestSnapshot_RestoredInstancesGoOnIdentically(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := moves.Draw(t, "before"), moves.Draw(t, "after")
		i := newStepping(t)
		require.Equal(t, fmi.OK, i.DoStep(0, 0.125))
		play(t, i, before)
		s, status := i.GetFMUstate(nil)
		require.Equal(t, fmi.OK, status)
		if i.State() != fmi.StepComplete {
			return
		}
		want := play(t, i, after)

		require.Equal(t, fmi.OK, i.SetFMUstate(s))
		require.Equal(t, want, play(t, i, after), "the same instance")
		require.Equal(t, fmi.OK, i.SetFMUstate(s), "the snapshot stays valid")

		other := instantiate(t, testDefinition(newCart), &mock.Log{}) // has made no step yet
		restored, status := other.DeSerializeFMUstate(serialized(s))
		require.Equal(t, fmi.OK, status)
		require.Equal(t, fmi.OK, other.SetFMUstate(restored))
		require.Equal(t, saved(t, i), saved(t, other))
		require.Equal(t, want, play(t, other, after), "another instance")
	})
}

// FMPy's own checks restore a state after fmi2Terminate and continue stepping.
func TestSnapshot_RestoredFromEveryState(t *testing.T) {
	i := newStepping(t)
	play(t, i, []move{{"gear", 3}, {"step", 0}, {"force", 9}})
	s, status := i.GetFMUstate(nil)
	require.Equal(t, fmi.OK, status)
	rest := []move{{"step", 1}, {"brake", 1}, {"step", 20}}
	want := play(t, i, rest)
	for _, state := range allStates[:len(allStates)-1] {
		t.Run(state.String(), func(t *testing.T) {
			other := instantiate(t, testDefinition(newCart), &mock.Log{})
			disturb(t, other, state)
			require.Equal(t, fmi.OK, other.SetFMUstate(s))
			require.Equal(t, fmi.StepComplete, other.State())
			require.Equal(t, want, play(t, other, rest))
		})
	}
}

func TestSnapshot_TakenInEveryState(t *testing.T) {
	for _, state := range allStates[:len(allStates)-1] {
		t.Run(state.String(), func(t *testing.T) {
			i := instantiate(t, testDefinition(newCart), &mock.Log{})
			disturb(t, i, state)
			s, status := i.GetFMUstate(nil)
			require.Equal(t, fmi.OK, status)
			other := newStepping(t)
			require.Equal(t, fmi.OK, other.SetFMUstate(s))
			require.Equal(t, state, other.State())
			require.Equal(t, saved(t, i), saved(t, other))
		})
	}
}

// A snapshot taken in initialization mode records whether the calculated values are up to date, and
// holds the experiment.
func TestSnapshot_InInitializationMode(t *testing.T) {
	b := reach(t, fmi.Instantiated)
	require.Equal(t, fmi.OK, b.SetupExperiment(fmu.ExperimentSetup{Start: 2, StopDefined: true,
		Stop: 3}))
	require.Equal(t, fmi.OK, b.EnterInitializationMode())
	stale, _ := b.GetFMUstate(nil)
	require.Equal(t, fmi.OK, b.GetReal(refs(0), make([]float64, 1)))
	computed, _ := b.GetFMUstate(nil)
	require.Equal(t, 1, b.model.Initializes)
	for snapshot, calls := range map[*fmu.Snapshot]int{stale: 1, computed: 0} {
		other := scripted(t)
		var start timebase.Time
		other.model.OnInitialize = func(at timebase.Time) error { start = at; return nil }
		require.Equal(t, fmi.OK, other.SetFMUstate(snapshot))
		require.Equal(t, fmi.OK, other.ExitInitializationMode())
		require.Equal(t, calls, other.model.Initializes)
		require.Equal(t, timebase.Time(calls)*2*timebase.Second, start)
		require.Equal(t, fmi.OK, other.DoStep(2, 1))
		require.Equal(t, fmi.Error, other.DoStep(3, 1), "beyond the stop time that was restored")
	}
}

func TestSnapshot_ReuseOverwritesTheGivenOne(t *testing.T) {
	i := newStepping(t)
	s, _ := i.GetFMUstate(nil)
	first := serialized(s)
	require.Equal(t, fmi.OK, i.SetString(refs(stringNote), []string{"a longer text than before"}))
	again, status := i.GetFMUstate(s)
	require.Equal(t, fmi.OK, status)
	require.Same(t, s, again)
	require.Greater(t, s.Size(), len(first))
	require.Equal(t, saved(t, i), serialized(s))
	size, status := i.SerializedFMUstateSize(s)
	require.Equal(t, fmi.OK, status)
	require.Equal(t, s.Size(), size)
}

// An FMU without states refuses to create, restore and exchange them. Freeing a state of another
// FMU is not an error.
func TestStates_OfAnFMUWithoutThem(t *testing.T) {
	s, status := reach(t, fmi.StepComplete).GetFMUstate(nil)
	require.Equal(t, fmi.OK, status)
	for f, want := range map[fmu.Function]fmi.Status{
		fmu.GetFMUstate: fmi.Error, fmu.SetFMUstate: fmi.Error, fmu.FreeFMUstate: fmi.OK,
		fmu.SerializedFMUstateSize: fmi.Error,
		fmu.SerializeFMUstate:      fmi.Error, fmu.DeSerializeFMUstate: fmi.Error,
		fmu.SetDebugLogging: fmi.OK,
	} {
		b := &bench{log: &mock.Log{}}
		d := testDefinition(newCart)
		d.WithoutState = true
		b.Instance = instantiate(t, d, b.log)
		require.Equal(t, want, callers[f].call(b, s), f)
		if want == fmi.Error {
			oneLine(t, b.log, fmi.Error,
				f.String()+": not supported: canGetAndSetFMUstate is false")
		}
	}
}

func TestSerialize_BufferMayBeLarger(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	s, _ := b.GetFMUstate(nil)
	large := bytes.Repeat([]byte{7}, s.Size()+1)
	require.Equal(t, fmi.OK, b.SerializeFMUstate(s, large))
	require.Equal(t, append(serialized(s), 7), large)
}

func TestSerialize_BufferTooSmall(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	s, _ := b.GetFMUstate(nil)
	require.Equal(t, fmi.Error, b.SerializeFMUstate(s, make([]byte, s.Size()-1)))
	oneLine(t, b.log, fmi.Error, fmt.Sprintf("size: wrong argument: found %d, expected %d bytes",
		s.Size()-1, s.Size()))
}

func TestDeSerialize_CopiesTheBytes(t *testing.T) {
	i := newStepping(t)
	data := saved(t, i)
	s, status := i.DeSerializeFMUstate(data)
	require.Equal(t, fmi.OK, status)
	clear(data)
	require.Equal(t, fmi.OK, i.SetFMUstate(s))
}

func TestDeSerialize_RefusesEveryChangedByteAndLength(t *testing.T) {
	data := saved(t, newStepping(t))
	refuse := func(bad []byte) {
		b := reach(t, fmi.StepComplete)
		s, status := b.DeSerializeFMUstate(bad)
		require.Nil(t, s)
		require.Equal(t, fmi.Error, status)
		oneLine(t, b.log, fmi.Error, "fmi2DeSerializeFMUstate: state: unusable state: found ")
	}
	for k := range data {
		for _, flip := range []byte{0x01, 0x80, 0xFF} {
			bad := bytes.Clone(data)
			bad[k] ^= flip
			refuse(bad)
		}
		refuse(data[:k])
	}
	refuse(append(bytes.Clone(data), 0))
	refuse(nil)
}

// The number at the end of the first line is the layout version. A state of another version is
// refused, even if its bytes are sound.
func TestDeSerialize_RefusesAnotherLayout(t *testing.T) {
	data := saved(t, newStepping(t))
	data[len("gosmp state ")]++
	body := data[:len(data)-4]
	data = binary.LittleEndian.AppendUint32(body, crc32.ChecksumIEEE(body))
	b := reach(t, fmi.StepComplete)
	_, status := b.DeSerializeFMUstate(data)
	require.Equal(t, fmi.Error, status)
	oneLine(t, b.log, fmi.Error, `expected a state that begins with "gosmp state 1\n"`)
}

func TestDeSerialize_RefusesAnotherFMU(t *testing.T) {
	d := testDefinition(newCart)
	d.GUID = "00000000-0000-0000-0000-000000000000"
	i, err := fmu.Instantiate(d, fmu.Config{InstanceName: "other", GUID: d.GUID})
	require.NoError(t, err)
	s, _ := i.GetFMUstate(nil)
	foreign := make([]byte, s.Size())
	require.Equal(t, fmi.OK, i.SerializeFMUstate(s, foreign))

	b := reach(t, fmi.StepComplete)
	_, status := b.DeSerializeFMUstate(foreign)
	require.Equal(t, fmi.Error, status)
	oneLine(t, b.log, fmi.Error, d.GUID, guid)
	b = reach(t, fmi.StepComplete)
	require.Equal(t, fmi.Error, b.SetFMUstate(s), "nor by way of a snapshot handle")
	oneLine(t, b.log, fmi.Error, "fmi2SetFMUstate", d.GUID, guid)
}

func TestSetFMUstate_NothingInIt(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	require.Equal(t, fmi.Error, b.SetFMUstate(&fmu.Snapshot{}))
	oneLine(t, b.log, fmi.Error, "unusable state: found 0 bytes that begin with")
}

func TestSetFMUstate_RefusedByTheModel(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	s, _ := b.GetFMUstate(nil)
	b.model.OnRestore = func([]byte) error { return errTest }
	require.Equal(t, fmi.Error, b.SetFMUstate(s))
	require.Equal(t, fmi.Erroneous, b.State())
	oneLine(t, b.log, fmi.Error, "fmi2SetFMUstate: unusable state: "+errTest.Error())
}

func TestSetFMUstate_WarningOfTheModelHasRestored(t *testing.T) {
	b := reach(t, fmi.StepComplete)
	s, _ := b.GetFMUstate(nil)
	require.Equal(t, fmi.OK, b.DoStep(0, 0.5))
	b.model.OnRestore = func([]byte) error { return fmu.AsWarning(errTest) }
	require.Equal(t, fmi.Warning, b.SetFMUstate(s))
	oneLine(t, b.log, fmi.Warning, errTest.Error())
	b.lastTime(t, 0)
}

// seal wraps arbitrary bytes in a valid frame, so that a fuzzer passes the checksum.
func seal(inside []byte) []byte {
	b := state.AppendString([]byte("gosmp state 1\n"), guid)
	b = append(b, inside...)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// inside removes the frame again.
func inside(data []byte) []byte { return data[len("gosmp state 1\n")+8+len(guid) : len(data)-4] }

func TestSetFMUstate_ForgedContentsAreRefused(t *testing.T) {
	good := inside(saved(t, newStepping(t)))
	change := func(at int, value byte) []byte {
		b := bytes.Clone(good)
		b[at] = value
		return b
	}
	for name, bad := range map[string][]byte{
		"nothing":               {},
		"fatal state":           change(0, byte(fmi.Dead)),
		"unknown state":         change(0, 200),
		"cut":                   good[:len(good)-1],
		"too long":              append(bytes.Clone(good), 0),
		"endless string":        change(3+3*8+7*8+3*4+3+7, 0xFF),
		"model's length":        change(len(good)-16-8, 15),
		"model's length beyond": change(len(good)-16-1, 0xFF),
	} {
		t.Run(name, func(t *testing.T) {
			b := reach(t, fmi.StepComplete)
			b.model.OnRestore = func([]byte) error {
				require.Fail(t, "the model is not troubled")
				return nil
			}
			s, status := b.DeSerializeFMUstate(seal(bad))
			require.Equal(t, fmi.OK, status, "the frame is right")
			require.Equal(t, fmi.Error, b.SetFMUstate(s))
			require.Equal(t, fmi.OK, b.Reset())
			begin(t, b.Instance, fmu.ExperimentSetup{})
		})
	}
	i := newStepping(t)
	s, status := i.DeSerializeFMUstate(seal(good))
	require.Equal(t, fmi.OK, status)
	require.Equal(t, fmi.OK, i.SetFMUstate(s), "seal and inside fit the format")
}

// FuzzDeSerialize uses the input both as it is and, to pass the checksum, as the contents of a
// sealed frame. Nothing may panic, and an accepted state must be preserved to the last bit.
func FuzzDeSerialize(f *testing.F) {
	i := newStepping(f)
	for _, m := range []move{{"step", 5}, {"note", 1}, {"gear", -7}} {
		play(f, i, []move{m})
		data := saved(f, i)
		f.Add(data, false)
		f.Add(inside(data), true)
		f.Add(data[:len(data)/2], false)
	}
	f.Add([]byte("gosmp state 1\n"), false)
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if sealed {
			data = seal(data)
		}
		i := newStepping(t)
		s, status := i.DeSerializeFMUstate(data)
		if status != fmi.OK {
			require.Nil(t, s)
			require.Equal(t, fmi.Erroneous, i.State())
			return
		}
		require.Equal(t, data, serialized(s))
		if i.SetFMUstate(s) != fmi.OK {
			require.Equal(t, fmi.Erroneous, i.State())
			require.Equal(t, fmi.OK, i.Reset())
			return
		}
		now, _ := i.RealStatus(fmu.LastSuccessfulTime)
		i.DoStep(now, 0.01)
		i.GetReal(refs(0), make([]float64, 1))
		require.NotEqual(t, fmi.Fatal, i.Reset())
	})
}
