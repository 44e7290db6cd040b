// Package xmldoc reads an XML document into a tree of elements that know their places. The size of
// a document is bounded, because it may come from anyone.
//
// Namespaces are resolved here and prefixes are kept, because the formats of this field differ in
// what they demand: some tools that read SSP compare prefixes, and some FMUs use prefixes that
// nobody declares. Encodings are those of package xmltext. No entity is replaced other than the
// five of XML, and nothing outside the text is read.
package xmldoc
