// Package xmltext reads XML documents in the encodings that occur in files of this field: UTF-8,
// UTF-16, ISO-8859-1, windows-1252 and US-ASCII. Package encoding/xml reads UTF-8 only.
//
// The encoding is found as appendix F of XML 1.0 describes: a byte order mark decides, then the
// first character in UTF-16, then the declaration. Documents without any of these are in UTF-8.
// Everything after this package sees UTF-8 without a mark, so a decoder counts lines, columns and
// offsets in the UTF-8 text.
//
// An encoding that is not supported, and bytes that are not characters of the encoding, are an
// [*Error]. Bytes that are not UTF-8 are left to the decoder of encoding/xml, which reports their
// line.
//
// A [Scanner] reads a document that is in memory, ten times as fast as that package does.
//
// Functions: [NewScanner], [NewRawScanner] and [NewDecoder] for documents that are read token by
// token, [UTF8] and [AsDecoded] for a text that is needed as a whole, [IsUTF16].
package xmltext
