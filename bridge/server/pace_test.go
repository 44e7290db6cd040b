package server

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPace_SharesTheRate(t *testing.T) {
	var members atomic.Int64
	p := pace{rate: 1000, members: &members}
	now := time.Unix(100, 0)
	members.Store(1)
	require.LessOrEqual(t, p.admit(now, 1000), time.Duration(0), "a second's worth is saved")
	require.Equal(t, time.Second, p.admit(now, 1000))
	require.LessOrEqual(t, p.admit(now.Add(2*time.Second), 1000), time.Duration(0))
	members.Store(4)
	require.Equal(t, 4*time.Second, p.admit(now.Add(2*time.Second), 1000),
		"four clients have a quarter each")
	require.LessOrEqual(t, p.admit(now.Add(time.Hour), 250), time.Duration(0))
	require.Equal(t, time.Second, p.admit(now.Add(time.Hour), 250),
		"no more than a second is saved")
}

// TestQueue_Bytes: regardless of what clients receive, the waiting bytes are bounded in total, and
// each client has its own part of the space.
func TestQueue_Bytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var waiting atomic.Int64
		queues := make([]*queue, mostClients)
		for k := range queues {
			queues[k] = newQueue(defaultQueue, &waiting)
		}
		payload := make([]byte, 6*ownWaiting)
		var p portion
		for range rapid.IntRange(1, 100).Draw(t, "calls") {
			q := queues[rapid.IntRange(0, mostClients-1).Draw(t, "client")]
			if rapid.IntRange(0, 9).Draw(t, "take") == 0 && q.count > 0 {
				q.take(&p)
			} else {
				size := rapid.IntRange(0, len(payload)).Draw(t, "size")
				q.put(item{0, 0, payload[:size]})
				mine := q.bytes+q.taken+10 <= ownWaiting
				if dropped := q.put(item{0, 0, payload[:10]}); mine {
					require.Zero(t, dropped, "dropped in its own part")
				}
			}
			require.LessOrEqual(t, waiting.Load(), int64(mostWaiting+mostClients*ownWaiting))
		}
		for _, q := range queues {
			q.drop()
		}
		require.Zero(t, waiting.Load())
	})
}

// TestQueue_TakesPortions: bytes on their way count until the next call.
func TestQueue_TakesPortions(t *testing.T) {
	var waiting atomic.Int64
	q := newQueue(8, &waiting)
	for range 3 {
		require.Zero(t, q.put(item{0, 0, make([]byte, portionSize/2)}))
	}
	var p portion
	require.True(t, q.take(&p))
	require.Len(t, p.items, 2)
	require.EqualValues(t, 3*portionSize/2, waiting.Load())
	require.True(t, q.take(&p))
	require.Len(t, p.items, 1)
	require.EqualValues(t, portionSize/2, waiting.Load())
	require.Zero(t, q.put(item{0, 0, make([]byte, 2*mostWaiting)}),
		"alone, a message of any length")
}
