package importer

import (
	"encoding/hex"
	"slices"
	"strconv"

	"gosmp/cosim"
	"gosmp/fmi/archive"
)

// PlainStarts checks start values in the same way as a run and returns their elements in the form
// used in files: numbers in the units of the variables, enumeration items as numbers, Binary values
// as hexadecimal digits. Any error has the kind [ErrValue], or [ErrInvalid] if the model
// description cannot be used.
func PlainStarts(m *archive.ModelDescription, values []StartValue) ([][]string, error) {
	t, err := newTable(m)
	if err != nil {
		return nil, err
	}
	checked, err := t.starts(values, false)
	if err != nil {
		return nil, err
	}
	plain := map[int][]string{}
	for _, v := range slices.Concat(checked.structural, checked.before, checked.inputs) {
		plain[v.variable] = t.texts(v)
	}
	list := make([][]string, len(values))
	for k := range list {
		list[k] = plain[t.byName[values[k].Name]]
	}
	return list, nil
}

// texts returns the elements of a start value.
func (t *table) texts(v startValue) (list []string) {
	kind := kindOf(t.list[v.variable].kind)
	for _, blob := range v.blobs {
		if kind == cosim.String {
			list = append(list, string(blob))
		} else {
			list = append(list, hex.EncodeToString(blob))
		}
	}
	for _, cell := range v.cells {
		if kind == cosim.Boolean {
			list = append(list, strconv.FormatBool(cell != 0))
		} else {
			list = append(list, string(cosim.AppendValue(nil, kind, cell)))
		}
	}
	return list
}
