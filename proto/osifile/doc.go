// Package osifile contains the facts about OSI's single-channel trace files (.osi) that all their
// writers and readers share: the length that precedes each message, the largest message, the names
// that OSI recommends, and where a message has its time stamp (OSI 3.8.0, "OSI trace file
// formats"). It links neither protobuf nor the trace packages, so that the core of an FMU can
// record.
//
//	b = osifile.AppendLength(b, len(message))
//	b = append(b, message...)
//
// Package [gosmp/trace/osi] reads and writes whole files with it, package
// [gosmp/model/internal/recording] records inside an FMU.
//
// Types: [Name], [Type].
package osifile
