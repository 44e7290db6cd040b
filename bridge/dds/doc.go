// Package dds makes gosmp a participant of DDS domains and of the graphs of ROS 2 on top of them:
// RTPS 2.3 over UDP in Go, with nothing to install.
//
//	carrier, err := dds.Open(config, dds.Options{Receive: sut.Receive, Warn: warn})
//	err = carrier.Publish(topic, timeNs, cdr)
//	err = carrier.Close()
//
// Below the carrier is the participant, which knows no configuration:
//
//	p, err := dds.Join(dds.Settings{Address: netip.MustParseAddr("127.0.0.1"), Node: "gosmp"})
//	w, err := p.NewWriter(dds.Topic{
//		Name: "rt/chatter", Type: "std_msgs::msg::dds_::String_", QoS: dds.Default})
//	w.Write(cdr, time.Now())
//
// Guarantees:
//
//   - A writer never blocks: samples for which its readers are too slow are dropped and counted.
//   - User functions are called without holding a lock.
//   - Packets are sent only to addresses announced by discovery and within the network of the
//     participant's own address. All memory that peers can make grow is bounded.
//   - A participant announces itself in its own goroutine, so it stays alive while a simulation is
//     paused.
//
// Not supported: services, actions, keys, content filters, XCDR2, security, shared memory, IPv6,
// TCP.
//
// Sources: OMG DDSI-RTPS 2.3; for ROS 2 rmw_dds_common and rmw_fastrtps, and for type hashes REP
// 2011.
//
// Types: [Carrier] and [Options]; [Participant], [Settings], [Topic], [QoS], [Writer], [Reader],
// [Sample], [Counts], [Listing], [TopicListing]. Functions: [Topics], [DefinitionOf].
package dds
