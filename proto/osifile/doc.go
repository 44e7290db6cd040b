// Package osifile contains the facts about OSI's single-channel trace files (.osi) that all their
// writers and readers share: the length that precedes each message, the largest message, the names
// that OSI recommends, and the position of the time stamp in a message (OSI 3.8.0, "OSI trace file
// formats"). It links neither protobuf nor the trace packages, so that the core of an FMU can
// record.
//
//	b = osifile.AppendLength(b, len(message))
//	b = append(b, message...)
//
// Package [gosmp/trace/osi] uses it to read and write whole files, and package
// [gosmp/model/internal/recording] uses it to record inside an FMU.
//
// Types: [Name], [Type].
package osifile
