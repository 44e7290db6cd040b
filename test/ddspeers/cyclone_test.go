package ddspeers

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/cdr"
	"gosmp/bridge/dds"
)

const cyclone = "peer_cyclone.py"

// The names of the test topics, in DDS and in ROS, and of their type.
const (
	plainTopic = "rt/chatter"
	rosTopic   = "/chatter"
	plainType  = "std_msgs::msg::dds_::String_"
)

// stringTopic returns a topic of strings.
func stringTopic(q dds.QoS) dds.Topic {
	return dds.Topic{Name: plainTopic, Type: plainType, QoS: q}
}

func TestCyclone(t *testing.T) {
	python := interpreters(t, "cyclonedds")[0]

	t.Run("it gets what is published", func(t *testing.T) {
		d := domain()
		p, _ := join(t, d)
		w, err := p.NewWriter(stringTopic(dds.Default))
		require.NoError(t, err)
		peer := start(t, python, cyclone, "listen", d, plainTopic, "String", "reliable", 50)
		soon(t, func() bool { return w.Matched() == 1 })
		for k := range 50 {
			w.Write(text(fmt.Sprint("number ", k)), time.Now())
		}
		for k := range 50 {
			require.Equal(t, fmt.Sprint("number ", k), peer.next("got"))
		}
		peer.end()
		soon(t, func() bool { return w.Matched() == 0 })
		peer = start(t, python, cyclone, "listen", d, plainTopic, "String", "best", 50)
		increasing(t, w, peer, 50)
	})

	t.Run("what it publishes is got", func(t *testing.T) {
		d := domain()
		p, _ := join(t, d)
		got := make(chan string, 100)
		_, err := p.NewReader(stringTopic(dds.Default), func(s dds.Sample) {
			got <- cdr.NewReader(s.Payload).String()
		})
		require.NoError(t, err)
		peer := start(t, python, cyclone, "talk", d, plainTopic, "String", "reliable", 20)
		for k := range 20 {
			require.Equal(t, fmt.Sprint("number ", k), <-got)
		}
		peer.end()
	})

	t.Run("fragments in both directions", func(t *testing.T) {
		const size = 1_000_000
		d := domain()
		p, _ := join(t, d)
		out := dds.Topic{Name: "blob", Type: "test::Blob", QoS: dds.Default}
		w, err := p.NewWriter(out)
		require.NoError(t, err)
		peer := start(t, python, cyclone, "listen", d, out.Name, "Blob", "reliable", 10)
		soon(t, func() bool { return w.Matched() == 1 })
		for k := range 10 {
			payload, sum := blob(k, size)
			w.Write(payload, time.Now())
			require.Equal(t, []any{float64(size), float64(sum)}, peer.next("got"))
		}
		peer.end()
		back := dds.Topic{Name: "back", Type: "test::Blob", QoS: dds.Default}
		got := make(chan []byte, 10)
		_, err = p.NewReader(back, func(s dds.Sample) { got <- s.Payload })
		require.NoError(t, err)
		peer = start(t, python, cyclone, "talk", d, back.Name, "Blob", "reliable size=300000", 3)
		for k := range 3 {
			want, _ := blob(k, 300_000)
			require.Equal(t, want, (<-got)[:len(want)])
		}
		peer.end()
	})

	t.Run("late joiners get what is latched", func(t *testing.T) {
		d := domain()
		p, _ := join(t, d)
		w, err := p.NewWriter(stringTopic(dds.QoS{Reliable: true, Latched: true, Depth: 3}))
		require.NoError(t, err)
		for k := range 5 {
			w.Write(text(fmt.Sprint("number ", k)), time.Now())
		}
		peer := start(t, python, cyclone, "listen", d, plainTopic, "String", "reliable latched", 3)
		for k := 2; k < 5; k++ {
			require.Equal(t, fmt.Sprint("number ", k), peer.next("got"))
		}
		peer.end()
		d = domain()
		peer = start(t, python, cyclone, "talk", d, plainTopic, "String", "reliable latched", 5)
		peer.next("ready")
		p, _ = join(t, d)
		got := make(chan string, 10)
		_, err = p.NewReader(stringTopic(dds.QoS{Reliable: true, Latched: true, Depth: 10}),
			func(s dds.Sample) { got <- cdr.NewReader(s.Payload).String() })
		require.NoError(t, err)
		for k := range 5 {
			require.Equal(t, fmt.Sprint("number ", k), <-got)
		}
	})

	t.Run("both sides report a QoS that does not match", func(t *testing.T) {
		const reliabilityID = 11
		d := domain()
		p, warnings := join(t, d)
		_, err := p.NewWriter(stringTopic(dds.SensorData))
		require.NoError(t, err)
		peer := start(t, python, cyclone, "listen", d, plainTopic, "String", "reliable", 1)
		require.InDelta(t, reliabilityID, peer.next("incompatible"), 0)
		require.Contains(t, <-warnings, "/chatter: RELIABILITY: the reader wants reliable, the "+
			"writer offers best effort (we are the writer, node ")
	})
}
