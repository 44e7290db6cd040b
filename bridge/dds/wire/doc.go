// Package wire encodes and decodes RTPS 2.3 (OMG DDSI-RTPS, formal/2019-04-03): messages with their
// submessages, parameter lists, and the data with which participants announce themselves and their
// endpoints. It opens no sockets and keeps no state.
//
//	b := wire.Begin(nil, prefix)
//	b = wire.AppendInfoTimestamp(b, now)
//	b = wire.AppendData(b, &wire.Data{Writer: id, Number: 1, Payload: cdr})
//
//	r, ok := wire.Open(b)
//	for r.Next(&s) {
//		switch s.Kind { ... }
//	}
//
// Guarantees: data is written in little-endian order; both byte orders are read. Received bytes are
// never trusted: lengths are compared with the remaining bytes, sets have at most 256 members
// (8.3.5.5), and a damaged submessage ends its message. Reading allocates nothing.
//
// Types: [GUID], [Prefix], [EntityID], [Set], [Data], [Reader], [Submessage]; [Participant],
// [Endpoint] and [QoS] of discovery.
package wire
