// Package mcap reads, writes, recovers and checks MCAP files: containers of time-stamped messages
// on several channels, with chunks, compression and an index at the end.
//
//	w, err := mcap.NewWriter(file, mcap.Options{Compression: mcap.Zstd})
//	err = w.AddSchema(&mcap.Schema{
//		ID: 1, Name: "osi3.SensorView", Encoding: "protobuf", Data: descriptors})
//	err = w.AddChannel(&mcap.Channel{
//		ID: 1, SchemaID: 1, Topic: "view", MessageEncoding: "protobuf"})
//	err = w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: 20_000_000, Data: bytes})
//	err = w.Close()
//
//	f, err := mcap.Open(file, size)
//	for m, err := range f.Messages(mcap.Query{}) { ... }
//
// Rules:
//
//   - Lengths, counts and offsets in a file are checked before memory is allocated or anything is
//     read; no input makes the package panic. The memory of a reader is bounded by the chunks that
//     overlap in time.
//   - [Scanner] reads records from front to back, as from a pipe; [File] reads by the index;
//     [Recover] salvages a damaged file.
//   - The same calls to a writer give the same bytes. Flushed data can be read even if the program
//     is killed: [Writer.Flush] passes a whole chunk and its indexes to the underlying writer in
//     one call.
//
// Source: the MCAP specification, version 0 of the format, and its conformance suite.
//
// Types: the records [Header], [Schema], [Channel], [Message], [Chunk], [MessageIndex],
// [ChunkIndex], [Attachment], [AttachmentIndex], [Statistics], [Metadata], [MetadataIndex],
// [SummaryOffset], [DataEnd], [Footer]; [Writer] with [Options]; [Scanner]; [File] with [Query] and
// [Iterator]; [Recover] with [Loss]. Errors: [ErrFormat], [ErrUsage].
package mcap
