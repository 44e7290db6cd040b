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
)

// promise is a pointer that a step has published: its bytes must be readable until the beginning of
// the second step after that.
type promise struct {
	address uint64
	bytes   []byte
	age     int // steps since
}

// saving is a snapshot with the promises at the time it was taken.
type saving struct {
	snapshot *fmu.Snapshot
	from     int
	promises []promise
	current  []byte
}

// lifetimes drives two FMUs in one process and tracks their promises.
type lifetimes struct {
	memory   *mock.Memory
	rigs     [2]*rig
	promises [2][]promise
	current  [2][]byte // what the triple must show, nil for "no data"
	saved    []saving
}

func newLifetimes(t require.TestingT) *lifetimes {
	l := &lifetimes{memory: mock.NewMemory()}
	for n := range l.rigs {
		l.rigs[n] = newRig(t, l.memory)
		l.rigs[n].begin()
	}
	return l
}

// aged returns the promises that still apply at the beginning of a step.
func aged(list []promise) (left []promise) {
	for _, p := range list {
		if p.age == 0 {
			left = append(left, promise{p.address, p.bytes, 1})
		}
	}
	return left
}

var messageSizes = rapid.SampledFrom([]int{1, 2, 100, 4095, 4096, 4097, 8192, 8193, 10_000, 40_000})

func (l *lifetimes) publish(t *rapid.T) {
	n := rapid.IntRange(0, 1).Draw(t, "FMU")
	message := bytes.Repeat([]byte{rapid.Byte().Draw(t, "fill")}, messageSizes.Draw(t, "size"))
	direct := rapid.Bool().Draw(t, "from a buffer of one's own")
	l.promises[n] = aged(l.promises[n])
	require.Equal(t, fmi.OK, l.rigs[n].doStep(func() error {
		if direct {
			return l.rigs[n].out.Publish(message)
		}
		return l.rigs[n].out.Publish(append(l.rigs[n].out.Buffer(), message...))
	}))
	address, _ := l.rigs[n].output()
	l.promises[n] = append(l.promises[n], promise{address, message, 0})
	l.current[n] = message
}

// nothing performs a step without data, which a model can report in several ways.
func (l *lifetimes) nothing(t *rapid.T) {
	n := rapid.IntRange(0, 1).Draw(t, "FMU")
	empty := rapid.Bool().Draw(t, "empty message")
	l.promises[n] = aged(l.promises[n])
	require.Equal(t, fmi.OK, l.rigs[n].doStep(func() error {
		if empty {
			return l.rigs[n].out.Publish(l.rigs[n].out.Buffer())
		}
		l.rigs[n].out.Clear()
		return nil
	}))
	l.current[n] = nil
}

// discard performs a step that fails; the host retries from the state before it.
func (l *lifetimes) discard(t *rapid.T) {
	n := rapid.IntRange(0, 1).Draw(t, "FMU")
	before := l.rigs[n].save()
	require.Equal(t, fmi.Discard, l.rigs[n].doStep(func() error { return fmu.ErrDiscard }))
	l.check(t)
	l.rigs[n].restore(before)
}

func (l *lifetimes) save(t *rapid.T) {
	n := rapid.IntRange(0, 1).Draw(t, "FMU")
	l.saved = append(l.saved, saving{l.rigs[n].save(), n, slices.Clone(l.promises[n]),
		l.current[n]})
}

func (l *lifetimes) restore(t *rapid.T) {
	if len(l.saved) == 0 {
		t.Skip("nothing saved yet")
	}
	n := rapid.IntRange(0, 1).Draw(t, "FMU")
	s := rapid.SampledFrom(l.saved).Draw(t, "snapshot")
	l.rigs[n].restore(s.snapshot)
	l.current[n] = s.current
	l.promises[n] = slices.Clone(s.promises) // at exactly the saved addresses
	if n != s.from {
		l.promises[n] = nil
		if s.current != nil {
			address, _ := l.rigs[n].output()
			l.promises[n] = []promise{{address, s.current, 0}}
		}
	}
}

func (l *lifetimes) reset(t *rapid.T) {
	n := rapid.IntRange(0, 1).Draw(t, "FMU")
	l.rigs[n].Reset()
	l.current[n] = nil
	l.check(t) // filled with zeros, but not freed
	l.rigs[n].begin()
}

func (l *lifetimes) check(t require.TestingT) {
	require.NoError(t, l.memory.Faults())
	for n, r := range l.rigs {
		if r.State() != fmi.Instantiated { // where a Get is not legal
			require.Equal(t, l.current[n], r.received(dataOut))
		}
		require.Equal(t, l.current[n], r.out.Message())
		for _, p := range l.promises[n] {
			found, err := l.memory.Read(p.address, len(p.bytes))
			require.NoError(t, err)
			require.True(t, bytes.Equal(p.bytes, found),
				"the pointer of %d steps ago has lost its bytes", p.age)
		}
	}
}

func TestD7_B10_PointersLiveUntilTheSecondStepAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLifetimes(t)
		t.Repeat(map[string]func(*rapid.T){
			"publish": l.publish, "nothing": l.nothing, "discard": l.discard,
			"save": l.save, "restore": l.restore, "reset": l.reset,
			"": func(t *rapid.T) { l.check(t) },
		})
		for _, r := range l.rigs {
			r.close()
		}
		blocks, _ := l.memory.Live()
		require.Zero(t, blocks, "all memory is given back")
	})
}

func TestD7_TwoAddressesTakeTurns(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	var addresses []uint64
	for k := range 6 {
		r.publish(bytes.Repeat([]byte{byte(k)}, 1000+k))
		address, size := r.output()
		require.Equal(t, int32(1000+k), size)
		addresses = append(addresses, address)
	}
	require.NotEqual(t, addresses[0], addresses[1])
	require.Equal(t, []uint64{addresses[0], addresses[1], addresses[0], addresses[1]},
		addresses[2:])
	blocks, _ := r.memory.Live()
	require.Equal(t, 2, blocks)
	r.close()
}

// A message fits into a block of exactly its size, and messages that grow byte by byte do not each
// need a new block.
func TestD7_BlocksGrowSeldom(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	blocks := func() int { n, _ := r.memory.Live(); return n }
	r.publish([]byte("small"))
	r.publish([]byte("small"))
	full := cap(r.out.Buffer())
	for range 4 {
		r.publish(make([]byte, full))
	}
	require.Equal(t, 2, blocks())
	for k := range 1000 {
		r.publish(make([]byte, full+1+k))
	}
	require.Equal(t, 4, blocks(), "twice as large, not as large as needed")
	r.close()
	require.Nil(t, r.out.Message())
	require.Equal(t, make([]int32, 12), r.Values.Integers, "a freed message is no longer published")
}

func TestD7_StepWithoutDataDoesNotRotate(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	r.publish([]byte("first"))
	first, _ := r.output()
	for range 3 {
		require.Equal(t, fmi.OK, r.doStep(func() error { r.out.Clear(); return nil }))
		address, size := r.output()
		require.Zero(t, address)
		require.Zero(t, size)
	}
	r.publish([]byte("second"))
	second, _ := r.output()
	require.NotEqual(t, first, second, "the one that was live last stays untouched")
	data, err := r.memory.Read(first, 5)
	require.NoError(t, err)
	require.Equal(t, "first", string(data))
	r.close()
}

// A consumer in a daisy chain that is one step late reads the producer's bytes while the producer
// writes the next ones.
func TestD8_LateConsumerReadsWhatWasPublished(t *testing.T) {
	memory := mock.NewMemory()
	producer, consumer := newRig(t, memory), newRig(t, memory)
	producer.begin()
	consumer.begin()
	var late []byte
	for k := range 20 {
		lo, hi, size := int32(0), int32(0), int32(0)
		if k > 0 {
			address, n := producer.output()
			lo, hi = osmp.SplitAddress(address)
			size = n
		}
		message := bytes.Repeat([]byte{byte(k)}, 3000*(k+1))
		producer.publish(message) // steps before its consumer has read the previous output
		consumer.set(viewIn, lo, hi, size)
		require.Equal(t, fmi.OK, consumer.doStep(func() error {
			data, presence := consumer.in.Take()
			require.Equal(t, k > 0, presence == osmp.Data)
			require.Equal(t, late, append([]byte(nil), data...))
			return nil
		}))
		late = message
	}
	producer.close()
	consumer.close()
}

func TestD7_RestoredAddressesInTheSameInstance(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	r.publish([]byte("previous"))
	previous, _ := r.output()
	r.publish([]byte("live"))
	live, _ := r.output()
	s := r.save()
	for range 4 {
		// in new blocks, because the old ones are too small
		r.publish(bytes.Repeat([]byte{1}, 50_000))
	}
	r.restore(s)
	address, size := r.output()
	require.Equal(t, live, address)
	require.Equal(t, int32(4), size)
	require.Equal(t, "live", string(r.received(dataOut)))
	data, err := r.memory.Read(previous, 8)
	require.NoError(t, err)
	require.Equal(t, "previous", string(data))
	r.close()
}

// A consumer may still read what was published before the host rolled back.
func TestD7_RollingBackLeavesTheNewestMessageAlone(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	r.publish([]byte("a"))
	r.publish([]byte("b"))
	s := r.save()
	newest := bytes.Repeat([]byte{1}, 60_000)
	r.publish(newest)
	address, _ := r.output()
	r.restore(s)
	r.publish(bytes.Repeat([]byte{2}, 50_000)) // which would fit
	data, err := r.memory.Read(address, len(newest))
	require.NoError(t, err)
	require.True(t, bytes.Equal(newest, data))
	r.close()
}

// Repeated rollbacks must not make memory grow with every round.
func TestD7_RestoringAgainAndAgainDoesNotGrow(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	r.publish([]byte("a"))
	r.publish([]byte("b"))
	s := r.save()
	rollBack := func() int {
		r.publish(bytes.Repeat([]byte{1}, 50_000))
		r.publish(bytes.Repeat([]byte{2}, 60_000))
		r.restore(s)
		_, size := r.memory.Live()
		return size
	}
	for range 5 {
		rollBack()
	}
	steady := rollBack()
	for range 50 {
		require.Equal(t, steady, rollBack())
	}
	require.Less(t, steady, 6*2*60_000)
	r.close()
}

func TestD7_ResetFreesNothing(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	r.publish([]byte("bytes"))
	address, _ := r.output()
	r.Reset()
	require.Equal(t, make([]int32, 12), r.Values.Integers)
	data, err := r.memory.Read(address, 5)
	require.NoError(t, err)
	require.Equal(t, "bytes", string(data))
	r.close()
	_, err = r.memory.Read(address, 5)
	require.ErrorContains(t, err, "no longer valid")
}

func TestB5_NoMemoryIsAnErrorAndNoData(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	r.publish([]byte("live"))
	live, _ := r.output()
	r.memory.Allocations = 0
	require.Equal(t, fmi.Error, r.doStep(func() error { return r.out.Publish([]byte("next")) }))
	require.Nil(t, r.received(dataOut))
	data, err := r.memory.Read(live, 4)
	require.NoError(t, err, "what was live stays")
	require.Equal(t, "live", string(data))
	r.close()
}

// The heap reuses addresses: the second buffer of another instance may be at the address of the
// first one in this test.
func TestRestore_AddressThatMeansTheOtherSideHere(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	r.publish([]byte("first"))
	r.publish([]byte("later"))
	saved := r.out.AppendState(nil)
	const zero, one = 2, 2 + 8 + 8 + 5 // offsets of the addresses of the two sides
	copy(saved[one:one+8], saved[zero:zero+8])
	copy(saved[zero:zero+8], []byte{1, 2, 3})
	require.NoError(t, r.out.RestoreState(&state.Decoder{Data: saved}))
	again := r.out.AppendState(nil)
	require.Equal(t, saved[zero+8:one], again[zero+8:one], "no side has written over the other")
	require.Equal(t, saved[one:], again[one:])
	r.close()
}

func TestRestore_UnusableDoubleBuffer(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	r.publish([]byte("message"))
	saved := r.out.AppendState(nil)
	for k := range saved {
		other := newRig(t, r.memory)
		require.ErrorIs(t, other.out.RestoreState(&state.Decoder{Data: saved[:k]}), fmu.ErrState)
		require.Nil(t, other.out.Message())
	}
	// there is no third side, and the integers have no fourth state
	for k, wrong := range []byte{2, 3} {
		forged := bytes.Clone(saved)
		forged[k] = wrong
		require.ErrorIs(t, r.out.RestoreState(&state.Decoder{Data: forged}), fmu.ErrState)
	}
	require.Nil(t, r.received(dataOut))
	r.close()
}

// The values of a state from another instance contain its addresses. If the state cannot be
// restored, they must not remain.
func TestRestore_FailureLeavesNoForeignAddress(t *testing.T) {
	memory := mock.NewMemory()
	r, other := newRig(t, memory), newRig(t, memory)
	r.begin()
	r.publish([]byte("message"))
	memory.Allocations = 0
	require.Equal(t, fmi.Error, other.SetFMUstate(r.save()))
	require.Equal(t, fmi.Erroneous, other.State())
	require.Nil(t, other.received(dataOut), "the error state allows a Get")
	memory.Allocations = -1
	other.Reset()
	other.begin()
	other.restore(r.save())
	require.Equal(t, "message", string(other.received(dataOut)))
	other.close()
	r.close()
}

// Outputs with a start value may be set before the first step (FMI 2.0, 4.2.4). The values set are
// restored with a state, in the instance that was saved and in others.
func TestRestore_BringsBackWhatTheHostHasSet(t *testing.T) {
	memory := mock.NewMemory()
	r := newRig(t, memory)
	r.enterInitialization()
	for _, triple := range [][3]int32{{5, 0, 0}, {1, 2, 3}, {0, 0, 7}, {0, 0, 0}} {
		r.set(dataOut, triple[0], triple[1], triple[2])
		wantAddress, wantSize := r.output()
		s := r.save()
		for _, target := range []*rig{r, newRig(t, memory)} {
			if target == r {
				r.set(dataOut, 9, 9, 9)
			}
			target.restore(s)
			address, size := target.output()
			require.Equal(t, wantAddress, address)
			require.Equal(t, wantSize, size)
			again, status := target.GetFMUstate(nil)
			require.Equal(t, fmi.OK, status)
			require.Equal(t, s, again)
		}
	}
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.publish([]byte("message"))
	require.Equal(t, "message", string(r.received(dataOut)))
	r.close()
}

func TestOutput_NoAllocationsAfterWarmUp(t *testing.T) {
	r := newRig(t, mock.NewMemory())
	r.begin()
	message := bytes.Repeat([]byte{1}, 5000)
	step := func() error { return r.out.Publish(append(r.out.Buffer(), message...)) }
	require.Zero(t, testing.AllocsPerRun(100, func() { r.doStep(step) }))
	r.close()
}
