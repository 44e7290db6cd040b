package importer

import (
	"strconv"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/fmi/archive"
)

// elements returns the number of elements of an array with this shape.
func elements(shape []int) int {
	size := 1
	for _, n := range shape {
		size *= n
	}
	return size
}

// describe lists the variables for an engine; shapes may differ from the table because of
// structural parameters. Callers must not change the list.
func (t *table) describe(shapes [][]int) []cosim.Variable {
	if shapes == nil || len(t.structure) == 0 {
		return t.described()
	}
	return t.newDescription(shapes)
}

func (t *table) newDescription(shapes [][]int) []cosim.Variable {
	list := make([]cosim.Variable, len(t.list))
	for k := range t.list {
		v := &t.list[k]
		list[k] = cosim.Variable{Name: v.name, Kind: kindOf(v.kind), Role: v.role,
			Dimensions: v.shape, MIMEType: v.mime,
			DeclaredMIME: v.declared}
		if shapes != nil {
			list[k].Dimensions = shapes[k]
		}
		list[k].Size = elements(list[k].Dimensions)
		if v.model != nil {
			list[k].Enumeration, list[k].Items = v.model.Type == fmi.Enumeration, t.itemsOf(v)
			list[k].Unit, list[k].Continuous = v.model.Unit, v.model.Variability == fmi.Continuous
			list[k].Held = t.major == 3 && !v.isFollowed()
		}
	}
	return list
}

// numbered returns the items of an enumeration that have a number.
func numbered(items []archive.EnumerationItem) (list []cosim.Item) {
	for _, item := range items {
		if n, err := strconv.ParseInt(item.Value, 10, 64); err == nil {
			list = append(list, cosim.Item{Name: item.Name, Value: n})
		}
	}
	return list
}

// itemsOf returns the items of an enumeration; nil for any other variable.
func (t *table) itemsOf(v *variable) []cosim.Item {
	if v.model.Type != fmi.Enumeration {
		return nil
	}
	return t.named[v.model.DeclaredType]
}

// letters are the letters that represent types in log texts of FMI 1.0 and 2.0.
var letters = map[fmi.Type]string{fmi.Real: "r", fmi.Integer: "i", fmi.Enumeration: "i",
	fmi.Boolean: "b", fmi.String: "s"}

// newMessages returns the meanings of references in log texts: #r12# in FMI 1.0 and 2.0, #12# in
// FMI 3.0.
func (t *table) newMessages(m *archive.ModelDescription) map[string]map[uint32]string {
	messages := map[string]map[uint32]string{}
	for k := range m.Variables {
		t.nameInMessages(messages, &m.Variables[k])
	}
	return messages
}

func (t *table) nameInMessages(messages map[string]map[uint32]string, v *archive.Variable) {
	letter := ""
	if t.major < 3 {
		letter = letters[v.Type]
	}
	names := messages[letter]
	if names == nil {
		names = map[uint32]string{}
		messages[letter] = names
	}
	if names[v.ValueReference] == "" {
		names[v.ValueReference] = v.Name
	}
}
