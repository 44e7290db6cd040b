package importer

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"gosmp/cosim"
	"gosmp/fmi/archive"
)

// PlainStarts checks start values like a run, and returns them as a file states them: numbers in the
// units of the variables, items of enumerations as numbers, Binary as hexadecimal digits. The error
// is of the kind [ErrValue], or of [ErrInvalid] for a model description that cannot be used.
func PlainStarts(m *archive.ModelDescription, values []StartValue) ([]StartValue, error) {
	t, err := newTable(m)
	if err != nil {
		return nil, err
	}
	checked, err := t.starts(values, false)
	if err != nil {
		return nil, err
	}
	plain := map[int]string{}
	for _, v := range slices.Concat(checked.structural, checked.before, checked.inputs) {
		plain[v.variable] = t.text(v)
	}
	list := slices.Clone(values)
	for k := range list {
		list[k].Value = plain[t.byName[list[k].Name]]
	}
	return list, nil
}

// text is a start value with the elements of an array separated by blanks.
func (t *table) text(v startValue) string {
	kind := kindOf(t.list[v.variable].kind)
	switch kind {
	case cosim.String:
		return string(v.blobs[0])
	case cosim.Binary:
		return hex.EncodeToString(v.blobs[0])
	}
	words := make([]string, len(v.cells))
	for k, cell := range v.cells {
		words[k] = string(cosim.AppendValue(nil, kind, cell))
		if kind == cosim.Boolean {
			words[k] = strconv.FormatBool(cell != 0)
		}
	}
	return strings.Join(words, " ")
}
