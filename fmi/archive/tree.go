package archive

import (
	"io"

	"gosmp/internal/fault"
	"gosmp/internal/xmldoc"
)

// documentLimits limits the cost of reading a document.
var documentLimits = xmldoc.Limits{Bytes: 128 << 20, Elements: 2 << 20, Depth: 100, Names: 1000}

// ReadTree reads an XML document within the size limits of a model description. If it is not
// well-formed or too large, the error is an [Error].
func ReadTree(r io.Reader) (*xmldoc.Node, error) {
	root, err := readTree(r, xmldoc.Options{Limits: documentLimits})
	if err != nil {
		return nil, err
	}
	return root, nil
}

func readTree(r io.Reader, o xmldoc.Options) (*xmldoc.Node, *Error) {
	root, wrong := xmldoc.Read(r, o)
	if wrong == nil {
		return root, nil
	}
	at := fault.Place{Line: wrong.Line, Column: wrong.Column}
	switch {
	case wrong.Line == 0:
		return nil, fault.Wrap(ErrNoModelDescription, fault.Place{}, wrong.Cause)
	case wrong.TooLarge:
		return nil, fault.New(ErrTooLarge, at, wrong.Found, wrong.Expected)
	case wrong.Found == "":
		return nil, fault.Wrap(ErrXML, at, wrong.Cause)
	}
	return nil, fault.New(ErrXML, at, wrong.Found, wrong.Expected)
}
