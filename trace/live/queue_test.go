package live

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/timebase"
	"gosmp/trace"
)

// numbered returns a message that contains its number and size.
func numbered(n, size int) trace.Message {
	return trace.Message{Time: timebase.Time(n), Data: bytes.Repeat([]byte{byte(n)}, size)}
}

// small is the capacity of the queues in tests, in bytes.
const small = 1 << 13

// Whatever is added and read, and in whatever order, the queue behaves like a list, and is full
// only when all its slots or half of its bytes are taken.
func TestQueue_IsAListOfMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := newQueue(small)
		var list []trace.Message
		waiting := 0
		for n := range rapid.IntRange(1, 200).Draw(t, "actions") {
			if len(list) > 0 && rapid.IntRange(0, 2).Draw(t, "action") == 0 {
				m := q.next(func() {})
				require.Equal(t, list[0].Time, m.Time)
				require.True(t, bytes.Equal(list[0].Data, m.Data))
				waiting -= lines(len(m.Data))
				list = list[1:]
				q.release()
				continue
			}
			m := numbered(n, rapid.SampledFrom([]int{1, 100, 700, small/2 + 1, 3 * small}).Draw(t,
				"size"))
			if q.offer(m) {
				q.publish()
				list = append(list, m)
				waiting += lines(len(m.Data))
				continue
			}
			require.Greater(t, waiting, len(q.arena)/2-lines(len(m.Data)), "the queue is full")
		}
		require.LessOrEqual(t, len(q.arena), 6*small, "two of the largest messages")
		q.close()
		for _, want := range list {
			m := q.next(func() {})
			require.Equal(t, want.Time, m.Time)
			require.True(t, bytes.Equal(want.Data, m.Data))
			q.release()
		}
		require.Nil(t, q.next(func() {}))
	})
}

func TestQueue_HasAThousandPlaces(t *testing.T) {
	q := newQueue(queueLength * lineSize)
	for n := range queueLength {
		require.True(t, q.offer(numbered(n, 1)))
	}
	require.False(t, q.offer(numbered(0, 1)))
	q.publish()
	q.next(func() {})
	q.release()
	require.True(t, q.offer(numbered(0, 1)))
}

// A queue that is always full makes both goroutines wait for each other.
func TestQueue_BothSidesWait(t *testing.T) {
	q, count := newQueue(small), 20_000
	go func() {
		for n := range count {
			m := numbered(n, 1+n%3000)
			for !q.offer(m) {
				q.wait()
			}
		}
		q.close()
	}()
	for n := range count {
		m := q.next(func() {})
		require.EqualValues(t, n, m.Time)
		require.Len(t, m.Data, 1+n%3000)
		require.Equal(t, []byte{byte(n), byte(n)}, []byte{m.Data[0], m.Data[len(m.Data)-1]})
		q.release()
	}
	require.Nil(t, q.next(func() {}))
}

// The queue allocates neither messages nor memory for them.
func TestQueue_AllocatesNothing(t *testing.T) {
	q, m := newQueue(queueBytes), numbered(1, 11_000)
	require.Zero(t, testing.AllocsPerRun(5000, func() {
		if !q.offer(m) {
			panic("full")
		}
		q.publish()
		q.next(func() {})
		q.release()
	}))
}
