package importer

import (
	"slices"

	"gosmp/fmi"
	"gosmp/fmi/archive"
)

// Depends lists the inputs on which an output depends during initialization, as stated by the
// InitialUnknowns of the model description. Some tools leave them empty: an output that is missing
// there may depend on all inputs.
func (i *Instance) Depends(output int) (inputs []int, known bool) {
	m, t := i.fmu.Model, i.fmu.table
	parts := t.parts(m, output)
	var causes []int
	for _, part := range parts {
		k := slices.IndexFunc(m.InitialUnknowns, func(u archive.Unknown) bool { return u.Variable == part })
		if k < 0 || !m.InitialUnknowns[k].Stated {
			return nil, false
		}
		causes = append(causes, m.InitialUnknowns[k].Dependencies...)
	}
	for n := range t.list {
		if slices.ContainsFunc(t.parts(m, n), func(part int) bool { return slices.Contains(causes, part) }) {
			inputs = append(inputs, n)
		}
	}
	return inputs, len(parts) > 0
}

// parts returns the variables of the model description that make up a variable: three for a
// notional binary variable, otherwise one.
func (t *table) parts(m *archive.ModelDescription, variable int) (list []int) {
	v := &t.list[variable]
	for k := range m.Variables {
		d := &m.Variables[k]
		if v.model == d || v.model == nil && d.Type == fmi.Integer && slices.Contains(v.references, d.ValueReference) {
			list = append(list, k)
		}
	}
	return list
}
