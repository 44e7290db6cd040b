package view

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestShare: however many pages want data, all of them together get a quarter of the time, after a
// quarter of a second at once.
func TestShare(t *testing.T) {
	var s share
	begin := time.Now()
	require.LessOrEqual(t, s.due(begin), time.Duration(0))
	now, took, all := begin, 10*time.Millisecond, time.Duration(0)
	for range 1000 {
		now = now.Add(max(0, s.due(now)))
		now = now.Add(took)
		s.used(now, took)
		all += took
	}
	require.InDelta(t, (4*all - time.Second).Seconds(), now.Sub(begin).Seconds(), 0.1)
	now = now.Add(time.Hour)
	for range 25 {
		require.LessOrEqual(t, s.due(now), time.Duration(0))
		s.used(now, took)
	}
	require.LessOrEqual(t, s.due(now), time.Duration(0))
	s.used(now, took)
	require.Positive(t, s.due(now))
}

// TestShare_Suspended: pages wait for some seconds, but not for hours, if this process was suspended
// while it encoded their data.
func TestShare_Suspended(t *testing.T) {
	var s share
	now := time.Now()
	s.used(now, 10*time.Hour)
	require.LessOrEqual(t, s.due(now), 20*time.Second)
}

// TestShare_AfterTheRun: a page that waits for its share still gets the end of the run.
func TestShare_AfterTheRun(t *testing.T) {
	v, err := Open(Options{})
	require.NoError(t, err)
	v.mu.Lock()
	v.share.next = time.Now().Add(time.Hour)
	v.mu.Unlock()
	got := make(chan string)
	go func() {
		defer close(got)
		r, err := http.Get(strings.Replace(v.Address(), "/?", "/data?", 1)) //nolint:noctx // a test
		if err != nil {
			return
		}
		text, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		got <- string(text)
	}()
	require.True(t, v.Wait(time.Hour), "the page is open")
	v.Close("how it ended")
	require.Contains(t, <-got, "how it ended")
}
