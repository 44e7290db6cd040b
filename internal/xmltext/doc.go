// Package xmltext reads XML documents in the encodings that occur in files for simulation: UTF-8,
// UTF-16, ISO-8859-1, windows-1252 and US-ASCII. Package encoding/xml reads UTF-8 only.
//
// The encoding is detected as appendix F of XML 1.0 describes: by a byte order mark, then by the
// first character in UTF-16, then by the declaration. Documents without any of these are in UTF-8.
// Users of this package see UTF-8 without a mark, so a decoder counts lines, columns and offsets in
// the UTF-8 text.
//
// An encoding that is not supported, and bytes that are not characters of the encoding, are
// reported as an [*Error]. Bytes that are not UTF-8 are left to the decoder of encoding/xml, which
// reports their line.
//
// A [Scanner] reads a document in memory ten times as fast as encoding/xml.
//
// Functions: [NewScanner], [NewRawScanner] and [NewDecoder] for documents that are read token by
// token, [UTF8], [AsDecoded], [Expanded] and [DefaultAttribute] for a text that is needed as a
// whole, [IsUTF16].
package xmltext
