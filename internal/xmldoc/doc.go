// Package xmldoc reads an XML document into a tree of elements with their positions. The size of a
// document is bounded, because it may come from an untrusted source.
//
// Namespaces are resolved and prefixes are kept, because the formats differ in what they require:
// some tools that read SSP compare prefixes, and some FMUs use undeclared prefixes. The encodings
// are the ones that package xmltext supports. Predefined entities, and entities that the document
// declares with their texts, are replaced; nothing outside the text is read.
package xmldoc
