// Package wire writes and reads the bytes of RTPS 2.3 (OMG DDSI-RTPS, formal/2019-04-03): messages
// with their submessages, parameter lists, and the data that participants announce themselves and
// their endpoints with. It opens no sockets and keeps no state.
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
// Rules upheld: what is written has the lowest byte first; both byte orders are read. Bytes of
// others are never trusted: lengths are compared with what is left, sets have at most 256 members
// (8.3.5.5), and a submessage that is damaged ends its message. Reading allocates nothing.
//
// Types: [GUID], [Prefix], [EntityID], [Set], [Data], [Reader], [Submessage]; [Participant],
// [Endpoint] and [QoS] of discovery.
package wire
