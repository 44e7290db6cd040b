package scenario

import (
	"bytes"
	"encoding/xml"
	"slices"
)

// Text returns the text of the document with new values for its global parameters. Everything else
// stays as written, byte for byte, except that the encoding is UTF-8. Paths in the text are
// relative to the folder of the original. A value for an undeclared name is an error.
func (d *Document) Text(values Values) ([]byte, error) {
	if err := d.Declares(values); err != nil {
		return nil, err
	}
	var changed []*Attribute
	replaced := map[*Attribute]string{}
	for _, p := range d.Root.Child("ParameterDeclarations").All("ParameterDeclaration") {
		value, is := values[ParameterName(p.Value("name"))]
		if a := p.Attribute("value"); is && a != nil && value != a.Value {
			changed = append(changed, a)
			replaced[a] = value
		}
	}
	slices.SortFunc(changed, func(a, b *Attribute) int { return a.begin - b.begin })
	var out bytes.Buffer
	at := 0
	for _, a := range changed {
		out.Write(d.text[at:a.begin])
		if err := xml.EscapeText(&out, []byte(replaced[a])); err != nil {
			return nil, err
		}
		at = a.end
	}
	out.Write(d.text[at:])
	return out.Bytes(), nil
}
