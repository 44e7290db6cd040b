package dds_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/dds"
	"gosmp/bridge/dds/wire"
)

// seeds returns packets of a peer: announcements, samples, fragments, heartbeats and
// acknowledgements.
func seeds(domain int) (list [][]byte) {
	id := wire.GUID{Prefix: wire.Prefix([]byte("peer00000000")), Entity: wire.ParticipantEntity}
	nowhere := []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:9")}
	data := func(d wire.Data) {
		b := wire.AppendInfoTimestamp(wire.Begin(nil, id.Prefix), time.Unix(1, 0))
		list = append(list, wire.AppendData(b, &d))
	}
	self := wire.Participant{GUID: id, Lease: time.Hour, Endpoints: wire.BuiltinEndpointsSet,
		Domain: domain, Name: "/", Meta: nowhere, User: nowhere, UserData: []byte("enclave=/;")}
	data(wire.Data{Writer: wire.ParticipantWriter, Number: 1, Payload: self.Append(nil)})
	for k, kind := range []byte{wire.KindWriter, wire.KindReader} {
		e := wire.Endpoint{GUID: wire.GUID{Prefix: id.Prefix, Entity: wire.EntityID{0, 0, 9, kind}},
			Participant: id, Topic: "rt/x", Type: dds.TypeName("std_msgs/String"),
			Locators: nowhere,
			QoS:      wire.QoS{Reliable: true, Deadline: wire.Forever, Lease: wire.Forever},
			UserData: []byte("typehash=RIHS01_0;")}
		writer := []wire.EntityID{wire.PublicationWriter, wire.SubscriptionWriter}[k]
		data(wire.Data{Writer: writer, Number: 1, Payload: e.Append(nil)})
	}
	disguised := id
	for k, kind := range []string{"std_msgs/String", "std_msgs/Bool"} { // replaced while handled
		disguised.Entity = wire.PublicationWriter
		list = append(list, builtinClaim(disguised, int64(k+2), dds.TypeName(kind)))
	}
	from, to := wire.EntityID{0, 0, 9, wire.KindWriter}, wire.Unknown
	data(wire.Data{Writer: from, Number: 1, Payload: text("hello")})
	data(wire.Data{Writer: from, Number: 5, Payload: text("later")})
	data(wire.Data{Writer: from, Number: 6, Payload: []byte("part"), Fragment: 2, FragmentSize: 4,
		SampleSize: 12})
	begin := func() []byte { return wire.Begin(nil, id.Prefix) }
	set := &wire.Set{Base: 3}
	set.Add(5)
	reader := wire.EntityID{0, 0, 9, wire.KindReader}
	return append(list,
		wire.AppendHeartbeat(begin(), to, from, 1, 9, 1, false),
		wire.AppendGap(begin(), to, from, 2, set),
		wire.AppendAckNack(begin(), reader, wire.PublicationWriter, &wire.Set{Base: 1, Size: 3,
			Bits: [8]uint32{7 << 29}}, 1, false),
		wire.AppendNackFragments(begin(), reader, wire.PublicationWriter, 1, set, 2),
	)
}

func FuzzHandle(f *testing.F) {
	d := domain()
	p, err := dds.Join(dds.Settings{Domain: d, Address: netip.MustParseAddr("127.0.0.1"),

		Node: "fuzzed"})
	require.NoError(f, err)
	p.Lose(func([]byte) bool { return true })
	f.Cleanup(func() { _ = p.Close() })
	_, err = p.NewWriter(topic("x", dds.Latched))
	require.NoError(f, err)
	_, err = p.NewReader(topic("x", dds.Default), func(dds.Sample) {})
	require.NoError(f, err)
	for _, seed := range seeds(d) {
		f.Add(seed)
		p.Handle(seed)
	}
	require.Equal(f, 1, p.Counts().Peers, "the seeds come from a peer")
	f.Fuzz(func(_ *testing.T, b []byte) {
		p.Handle(b)
		p.Counts()
	})
}
