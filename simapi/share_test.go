package simapi

import (
	"context"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/internal/gate"
)

// loser records the shares that are lost.
type loser map[string]int

func (l loser) of(name string) func() { return func() { l[name]++ } }

// TestRoom_Slow: whoever is slow loses its share as soon as others need it, but not to an address
// that would use more than its own.
func TestRoom_Slow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, lost := newRoom(100), loser{}
		take := func(address string, bytes int) *share {
			s, err := r.take(t.Context(), address, bytes, lost.of(address))
			require.NoError(t, err)
			return s
		}
		a, b := take("a", 40), take("b", 40)
		kept := take("c", 10)
		require.True(t, kept.keep())
		time.Sleep(time.Hour) // while nobody needs more, all may be slow
		begun := time.Now()
		require.Empty(t, lost)

		d := take("d", 20)
		require.Equal(t, loser{"a": 1}, lost)
		require.False(t, a.keep())
		a.give() // not again
		require.Equal(t, 30, r.left)
		require.True(t, d.keep())

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := r.take(ctx, "d", 40, nil) // b is slow, but has no more than d would have
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, loser{"a": 1}, lost)

		d.give()
		d = take("d", 50)
		require.Equal(t, time.Minute, time.Since(begun))
		d2, err := r.take(t.Context(), "d", 50, nil) // instead of d, which is at the same address
		require.NoError(t, err)
		require.Equal(t, loser{"a": 1, "d": 1}, lost)
		require.Equal(t, time.Minute+slowness, time.Since(begun))
		for _, s := range []*share{b, d, d2, kept, nil} {
			s.give()
		}
		require.Equal(t, 100, r.left)
		require.Empty(t, r.of)
		require.Empty(t, r.shares)
	})
}

// TestRoom_Turns: room that becomes free is for the address that uses the least of it, and for short
// frames first.
func TestRoom_Turns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(100)
		all, err := r.take(t.Context(), "a", 90, nil)
		require.NoError(t, err)
		one, err := r.take(t.Context(), "b", 1, nil)
		require.NoError(t, err)
		var mu sync.Mutex
		var order []int
		for _, w := range []struct {
			address string
			bytes   int
		}{{"a", 90}, {"b", 80}, {"b", 70}, {"c", 60}} {
			go func() {
				s, err := r.take(t.Context(), w.address, w.bytes, nil)
				mu.Lock()
				order = append(order, w.bytes)
				mu.Unlock()
				assert.NoError(t, err)
				time.Sleep(time.Second)
				s.give()
			}()
			synctest.Wait()
		}
		require.Empty(t, order)
		all.give()
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, []int{60, 90, 70, 80}, order)
		one.give()
		require.Equal(t, 100, r.left)
	})
}

// TestRoom_Has: whoever cannot wait gets room from an address that has more even then, and otherwise
// none.
func TestRoom_Has(t *testing.T) {
	r, lost := newRoom(100), loser{}
	for range 5 {
		require.NotNil(t, r.has("a", 20, lost.of("a")))
	}
	require.Nil(t, r.has("a", 20, nil))
	require.NotNil(t, r.has("b", 20, lost.of("b")))
	require.NotNil(t, r.has("b", 20, lost.of("b")))
	require.Equal(t, loser{"a": 2}, lost)
	require.Nil(t, r.has("b", 20, nil))
	require.NotNil(t, r.has("c", 20, nil))
	require.Equal(t, loser{"a": 3}, lost)
	require.Nil(t, r.has("c", 20, nil))
}

// TestLink_LongReplies: a long reply is the same as an encoded frame, without a copy of its body.
func TestLink_LongReplies(t *testing.T) {
	for _, n := range []int{0, 1, light, light + 1, 1 << 20} {
		frame := &Frame{Id: 7, Method: Method_GET_MESSAGES, Body: make([]byte, n),
			Status: &Status{Info: []string{"a"}}}
		b, rest, err := appendParts([]byte{1}, frame)
		require.NoError(t, err)
		require.Len(t, frame.GetBody(), n)
		a, c := net.Pipe()
		go func() {
			_, _ = a.Write(append(b[1:], rest...))
			_ = a.Close()
		}()
		var got Frame
		require.NoError(t, NewFrameReader(c).Next(&got))
		require.True(t, proto.Equal(frame, &got), n)
	}
	_, _, err := appendParts(nil, &Frame{Body: make([]byte, LargestFrame)})
	require.ErrorContains(t, err, "at most 16777216")
}

// TestLink_LongRepliesAfterwards: a connection whose reply has lost its room goes on if the reply had
// been written completely. The memory of the reply is free, and one that is longer than frames may
// be takes no room from others.
func TestLink_LongRepliesAfterwards(t *testing.T) {
	v := NewServer(Config{Name: "test"})
	a, c := net.Pipe()
	k := &link{server: v, conn: a, address: "a", reads: gate.Reads(a), writes: gate.Writes(a)}
	go func() {
		frames := NewFrameReader(c)
		for frames.Next(&Frame{}) == nil { // reads everything
		}
	}()
	long := &GetMessagesReply{Message: []*Message{{Cdr: make([]byte, LargestFrame-1000)}}}
	for range 3 {
		require.NoError(t, k.encode(long))
		k.answer(&Frame{Id: 1, Method: Method_GET_MESSAGES}, k.body, nil, nil)
		require.Nil(t, k.reply.GetBody())
		var others []*share
		for _, address := range []string{"b", "c", "d"} {
			others = append(others, v.replies.has(address, LargestFrame, nil))
		}
		k.replying.late()
		others = append(others, v.replies.has("e", LargestFrame/2, nil))
		require.NotContains(t, others, (*share)(nil))
		require.True(t, k.replying.over)
		k.written()
		for _, o := range others {
			o.give()
		}
	}
	require.Equal(t, mostReplies, v.replies.left)
	_, err := a.Write(nil)
	require.NoError(t, err)

	for _, address := range []string{"a", "a", "a", "b"} {
		require.NotNil(t, v.replies.has(address, LargestFrame, func() { t.Error("lost") }))
	}
	long.Message[0].Cdr = make([]byte, LargestFrame)
	require.ErrorContains(t, k.encode(long), "expected at most 16777216")
}
