package dds_test

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/dds"
	"gosmp/bridge/dds/wire"
)

// alive returns a reliable QoS with a lease.
func alive(kind dds.Liveliness, lease time.Duration) dds.QoS {
	return dds.QoS{Reliable: true, Depth: 10, Liveliness: kind, Lease: lease}
}

// signs counts the signs of life in the packets of a participant, which are dropped once gone is
// true.
func signs(p *dds.Participant, gone *atomic.Bool) (kinds *[2]atomic.Int32) {
	kinds = &[2]atomic.Int32{}
	p.Lose(func(b []byte) bool {
		r, _ := wire.Open(b)
		for s := (wire.Submessage{}); r.Next(&s); {
			_, kind, ok := wire.ReadLiveliness(s.Payload)
			if s.Writer == wire.LivelinessWriter && s.Kind == wire.KindData && ok {
				kinds[kind].Add(1)
			}
		}
		return gone.Load()
	})
	return kinds
}

// A writer with a lease gives signs of life even without messages. If they stop, its readers
// notice.
func TestLiveliness_Automatic(t *testing.T) {
	d := domain()
	warn, warnings := texts()
	a, b := member(t, d, "a", nil), member(t, d, "b", warn)
	gone := atomic.Bool{}
	given := signs(a, &gone)
	w, err := a.NewWriter(topic("x", alive(dds.Automatic, 400*time.Millisecond)))
	require.NoError(t, err)
	r, err := b.NewReader(topic("x", alive(dds.Automatic, time.Second)), func(dds.Sample) {})
	require.NoError(t, err)
	soon(t, func() bool { return w.Matched() == 1 && r.Matched() == 1 })
	soon(t, func() bool { return given[wire.Automatic].Load() >= 4 })
	require.Zero(t, given[wire.ManualByParticipant].Load())
	gone.Store(true)
	const said = "/x: LIVELINESS: node /a has not asserted its liveliness within its lease of 400ms"
	soon(t, func() bool { return strings.Contains(strings.Join(warnings(), "\n"), said) })
	before := b.Counts().Leases
	gone.Store(false)
	seen := given[wire.Automatic].Load()
	soon(t, func() bool { return given[wire.Automatic].Load() > seen+1 })
	gone.Store(true)
	soon(t, func() bool { return b.Counts().Leases > before }, "a lease can expire again")
	require.Equal(t, 1, strings.Count(strings.Join(warnings(), "\n"), said),
		"one warning is enough")
}

// Writers with manual liveliness are alive only while they write, even if their participant is
// alive.
func TestLiveliness_Manual(t *testing.T) {
	for _, kind := range []dds.Liveliness{dds.ManualByParticipant, dds.ManualByTopic} {
		t.Run(kind.String(), func(t *testing.T) {
			d := domain()
			a, b := member(t, d, "a", nil), member(t, d, "b", nil)
			given := signs(a, &atomic.Bool{})
			w, err := a.NewWriter(topic("x", alive(kind, 200*time.Millisecond)))
			require.NoError(t, err)
			got := &box{}
			r, err := b.NewReader(topic("x", alive(kind, time.Second)), got.put)
			require.NoError(t, err)
			soon(t, func() bool { return w.Matched() == 1 && r.Matched() == 1 })
			for n := uint64(0); n < 3; n++ {
				w.Write(text("x"), time.Now())
				soon(t, func() bool { return b.Counts().Leases > n })
			}
			soon(t, func() bool { return len(got.take()) == 3 }, "messages arrive all the same")
			require.Zero(t, given[wire.Automatic].Load())
			require.Equal(t, kind == dds.ManualByParticipant,
				given[wire.ManualByParticipant].Load() > 0)
		})
	}
}

// Both sides notice a missed deadline once for each silence.
func TestLiveliness_Deadline(t *testing.T) {
	d := domain()
	warnA, ours := texts()
	warnB, theirs := texts()
	a, b := member(t, d, "a", warnA), member(t, d, "b", warnB)
	q := dds.QoS{Reliable: true, Depth: 10, Deadline: 100 * time.Millisecond}
	w, err := a.NewWriter(topic("x", q))
	require.NoError(t, err)
	q.Deadline = 150 * time.Millisecond
	got := &box{}
	r, err := b.NewReader(topic("x", q), got.put)
	require.NoError(t, err)
	soon(t, func() bool { return w.Matched() == 1 && r.Matched() == 1 })
	for n := uint64(1); n < 4; n++ {
		w.Write(text("x"), time.Now())
		soon(t, func() bool { return a.Counts().Deadlines >= n && b.Counts().Deadlines >= n })
	}
	require.Equal(t, []string{"/x: DEADLINE: nothing has been published for 100ms"}, ours())
	require.Equal(t, []string{"/x: DEADLINE: no message has been received for 150ms"}, theirs())
	soon(t, func() bool { return len(got.take()) == 3 })
}

// Readers that request more frequent signs of life or messages do not match, and the reason is
// reported.
func TestLiveliness_Mismatches(t *testing.T) {
	d := domain()
	warn, warnings := texts()
	a, b := member(t, d, "a", warn), member(t, d, "b", nil)
	const end = " (we are the writer, node /b is the reader): no messages are exchanged"
	want := []string{}
	for name, c := range map[string]struct {
		offered, wanted dds.QoS
		said            string
	}{
		"lease": {dds.Default, alive(dds.Automatic, time.Second),
			"LIVELINESS: the reader wants a lease of 1s, the writer offers forever"},
		"longer": {alive(dds.Automatic, 2*time.Second), alive(dds.Automatic, time.Second),
			"LIVELINESS: the reader wants a lease of 1s, the writer offers 2s"},
		"kind": {alive(dds.Automatic, time.Second), alive(dds.ManualByTopic, time.Second),
			"LIVELINESS: the reader wants manual by topic, the writer offers automatic"},
		"part": {alive(dds.ManualByParticipant, time.Second), alive(dds.ManualByTopic, time.Second),
			"LIVELINESS: the reader wants manual by topic, the writer offers manual by participant"},
		"deadline": {dds.Default, dds.QoS{Reliable: true, Depth: 1, Deadline: time.Second / 2},
			"DEADLINE: the reader wants 500ms, the writer offers forever"},
		"fine": {alive(dds.ManualByTopic, time.Second), alive(dds.Automatic, 2*time.Second), ""},
	} {
		_, err := a.NewWriter(topic(name, c.offered))
		require.NoError(t, err)
		_, err = b.NewReader(topic(name, c.wanted), func(dds.Sample) {})
		require.NoError(t, err)
		if c.said != "" {
			want = append(want, "/"+name+": "+c.said+end)
		}
	}
	soon(t, func() bool { return len(warnings()) >= len(want) })
	require.Subset(t, warnings(), want)
}

// A killed participant counts as gone after its lease, and a warning names it.
func TestLiveliness_LeaseOfAParticipant(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a lease")
	}
	d := domain()
	warn, warnings := texts()
	a, b := member(t, d, "a", nil), member(t, d, "b", warn)
	_, err := a.NewWriter(topic("x", dds.Default))
	require.NoError(t, err)
	r, err := b.NewReader(topic("x", dds.Default), func(dds.Sample) {})
	require.NoError(t, err)
	soon(t, func() bool {
		return slices.ContainsFunc(b.Endpoints(), func(l dds.Listing) bool {
			return l.Topic == "rt/x" && l.Node == "/a"
		}) && r.Matched() == 1
	})
	a.Lose(func([]byte) bool { return true })
	soon(t, func() bool { return r.Matched() == 0 && len(warnings()) > 0 })
	require.Equal(t, []string{"node /a: nothing has been received for the lease of 5s; " +
		"it counts as gone"}, warnings())
	require.Equal(t, uint64(1), b.Counts().Leases)
	require.Zero(t, b.Counts().Peers)
}

// A participant that was suspended, or did not get a processor, does not accuse others of its own
// silence: what they have sent waits in its sockets.
func TestLiveliness_OwnStandstill(t *testing.T) {
	d := domain()
	warn, warnings := texts()
	a, b := member(t, d, "a", nil), member(t, d, "b", warn)
	q := alive(dds.Automatic, time.Minute)
	q.Deadline = 30 * time.Minute
	w, err := a.NewWriter(topic("x", q))
	require.NoError(t, err)
	r, err := b.NewReader(topic("x", q), func(dds.Sample) {})
	require.NoError(t, err)
	soon(t, func() bool { return w.Matched() == 1 && r.Matched() == 1 })
	for range 3 {
		b.Suspend(time.Hour)
		before := b.Ticked()
		soon(t, func() bool { return b.Ticked().After(before) })
	}
	require.Empty(t, warnings())
	require.Zero(t, b.Counts().Leases)
	require.Zero(t, b.Counts().Deadlines)
	require.Equal(t, 1, b.Counts().Met)
}

// Foreign and damaged signs of life are ignored.
func TestLiveliness_OddSigns(t *testing.T) {
	prefix := wire.Prefix([]byte("peer00000000"))
	sound := wire.AppendLiveliness(nil, prefix, wire.ManualByParticipant)
	from, kind, ok := wire.ReadLiveliness(sound)
	require.True(t, ok)
	require.Equal(t, prefix, from)
	require.Equal(t, wire.ManualByParticipant, kind)
	for n := range len(sound) - 4 { // the data sequence at the end is irrelevant
		_, _, ok := wire.ReadLiveliness(sound[:n])
		require.False(t, ok, n)
	}
	for _, kind := range [][4]byte{{}, {0, 0, 0, 4}, {0x80, 0, 0, 1}, {1, 0, 0, 0}} {
		odd := append([]byte(nil), sound...)
		copy(odd[16:], kind[:])
		_, _, ok := wire.ReadLiveliness(odd)
		require.False(t, ok, kind)
	}
}
