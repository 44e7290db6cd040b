// Package server carries the messages of a bridge to clients over the network: [WebSocket] to
// viewers such as Lichtblick and Foxglove and to scripts, [TCP] to programs of your own. Both are a
// [bridge.Carrier].
//
//	carrier, err := server.ListenWebSocket("127.0.0.1:8765", config,
//		server.Options{Receive: sut.Receive})
//	err = carrier.Publish(topic, timeNs, bytes)
//	carrier.Advance(timeNs)
//	err = carrier.Close()
//
// Guarantees:
//
//   - A client never stops the simulation. Each one has a bounded queue; when it is full, the
//     oldest messages are dropped and counted, and there is one warning. A client that receives
//     nothing for ten seconds is disconnected.
//   - Everything that a client sends is checked before it is used. Errors are reported, with their
//     position, to that client only.
//   - A message that a client sends also reaches the other clients, as in a publish-subscribe
//     system.
//
// The WebSocket protocol follows Foxglove's ws-protocol repository (docs/spec.md), subprotocols
// foxglove.websocket.v1 and foxglove.sdk.v1, which have the same messages. The TCP protocol uses
// the frames of simapi.
//
// Types: [WebSocket], [TCP], [Client], [Options].
package server
