// Package trace reads and writes traces: time-stamped messages of several channels, whatever the
// format of the file. One call opens any of them, and the content of the file decides which it is:
//
//	source, err := trace.Open("drive.mcap", trace.Options{})
//	defer source.Close()
//	for {
//		message, err := source.Next()
//		if errors.Is(err, io.EOF) {
//			break
//		}
//		...
//	}
//
//	sink, err := trace.Create(file, trace.MCAP, trace.SinkOptions{Compression: mcap.Zstd})
//	channel, err := sink.Add(trace.OSI("RadarFL.OSMPSensorDataOut", "SensorData"))
//	err = sink.Write(&trace.Message{Channel: channel, Time: t, Publish: t, Data: bytes})
//	err = sink.Close()
//
// The formats are OSI's single-channel files (.osi, package trace/osi), MCAP with OSI's metadata
// (package trace/mcap; OSI 3.8.0, "OSI multi-channel trace file format"), JSON Lines, and CSV,
// which is only written.
//
// Rules:
//
//   - A source of any size takes the memory of its largest message, or of the MCAP chunks that
//     overlap in time. Nothing beyond them is read and no goroutine is started, so that a source
//     may be used inside an FMU.
//   - The bytes of a message belong to the source and are valid until its next call. A sink keeps
//     nothing of a message when Write has returned.
//   - What comes before damage is read; the damage is an error, see [IsDamage], and ends the
//     source. Only [mcap.Recover] reads on after it.
//   - Times are the log times, in nanoseconds, from 0 up. Indexed files are read in their order,
//     all others in the order of the file.
//   - A channel that has been seen stays the same pointer for the life of its source.
//   - The same messages give the same bytes: no clock, no random number, no order of a map.
//
// Types: [Source] with [Options], [Selection] and [Info]; [Sink] with [SinkOptions]; [Channel],
// [Message], [Format]; [Player] finds the message that is valid at a time; [Decoder] decodes
// messages of any channel; [Merge] joins sources, [Prune] keeps some fields, [Wrap] makes
// SensorViews of GroundTruths; [Survey] counts what is in a file.
package trace
