// Package osi reads and writes OSI's single-channel trace files (.osi): messages of one type, each
// preceded by its length as a 32-bit little-endian number, without a header or an index (OSI 3.8.0,
// "OSI trace file formats"). Package [osifile] has the file names that OSI recommends for traces.
//
//	r := osi.NewReader(file)
//	for {
//		message, err := r.Next()
//		if errors.Is(err, io.EOF) {
//			break
//		}
//		...
//	}
//
// Rules:
//
//   - Reading a file of any size needs only the memory of its largest message.
//   - The file does not contain the message type. It comes from the name ([osifile.ParseName]) or
//     from the user, never from the bytes, because messages of most types can be decoded as most
//     others.
//   - Everything before a cut is read. The cut itself is an error of kind [ErrCut], which names the
//     message and the byte.
//   - A writer writes each message in one call, so that written messages survive the end of the
//     program.
//
// Types: [Reader], [Writer].
package osi
