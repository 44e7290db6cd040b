package ssp

import (
	"bytes"
	"errors"

	"gosmp/internal/xmldoc"
	"gosmp/internal/xmltext"
)

// Limits for every document.
const (
	maxBytes    = 64 << 20
	maxElements = 1 << 20
	maxDepth    = 100
	maxNames    = 1000 // attributes of an element, and namespaces in scope
)

// node is an element with its location in the document. Prefixes are kept because some tools
// compare them.
type node = xmldoc.Node

// parse reads a document. SSP requires UTF-8; other encodings that contain ASCII are read, too.
func parse(text []byte) (*node, *xmldoc.Error) {
	if xmltext.IsUTF16(text) {
		return nil, &xmldoc.Error{Line: 1, Column: 1, Found: "encoded in UTF-16",
			Expected: "UTF-8"}
	}
	root, wrong := xmldoc.Read(bytes.NewReader(text), xmldoc.Options{Strict: true,
		Limits: xmldoc.Limits{Bytes: maxBytes, Elements: maxElements, Depth: maxDepth,
			Names: maxNames}})
	var encoding *xmltext.Error
	if wrong != nil && errors.As(wrong, &encoding) && !encoding.Misdeclared() {
		wrong.Expected = "UTF-8"
	}
	return root, wrong
}
