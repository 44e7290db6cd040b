// Package trace reads and writes traces: time-stamped messages on several channels, in any file
// format. One call opens a file in any format, which is recognized by the file's content:
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
// which can only be written.
//
// Rules:
//
//   - Reading a source takes only as much memory as its largest message, or as the MCAP chunks that
//     overlap in time. A source reads nothing ahead and starts no goroutine, so it can be used
//     inside an FMU.
//   - The bytes of a message belong to the source and are valid until its next call. A sink keeps
//     no reference to a message after Write has returned.
//   - Everything before a damaged part is read. The damage itself is an error (see [IsDamage]) and
//     ends the source. Only [mcap.Recover] reads beyond it.
//   - Times are log times, in nanoseconds, and never negative. Indexed files are read in the order
//     of log times, all others in file order.
//   - A channel keeps the same pointer for the lifetime of its source.
//   - The same messages give the same bytes: nothing depends on a clock, random numbers or map
//     order.
//
// Types: [Source] with [Options], [Selection] and [Info]; [Sink] with [SinkOptions]; [Channel],
// [Message], [Format]; [Player] finds the message that is valid at a time; [Decoder] decodes
// messages of any channel; [Merge] joins sources, [Prune] keeps selected fields, [Wrap] makes
// SensorViews of GroundTruths; [Survey] counts what is in a file.
package trace
