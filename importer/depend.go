package importer

import (
	"slices"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/fmi/archive"
)

// dependencies holds the InitialUnknowns of a model description, by the key that variables share
// with their aliases.
type dependencies struct {
	stored    []storage                    // for each variable of the model description
	unknowns  map[storage]*archive.Unknown // the first variable with each key
	variables map[storage][]int            // for each variable of the table, in order
}

// newDependencies takes time linear in the size of the model description.
func (t *table) newDependencies(m *archive.ModelDescription) *dependencies {
	d := &dependencies{stored: make([]storage, len(m.Variables)),
		unknowns:  make(map[storage]*archive.Unknown, len(m.InitialUnknowns)),
		variables: make(map[storage][]int, len(t.list))}
	for k := range m.Variables {
		d.stored[k] = storage{t.kindOf(m.Variables[k].Type), m.Variables[k].ValueReference}
	}
	for k := range m.InitialUnknowns {
		u := &m.InitialUnknowns[k]
		if at := d.stored[u.Variable]; d.unknowns[at] == nil {
			d.unknowns[at] = u
		}
	}
	for n := range t.list {
		for _, part := range t.list[n].parts() {
			d.variables[part] = append(d.variables[part], n)
		}
	}
	return d
}

// parts returns the storage of a variable: the three Integers of a notional binary variable, or a
// single place for other variables.
func (v *variable) parts() (list []storage) {
	kind := v.kind
	if v.model == nil {
		kind = kinds[fmi.Integer]
	}
	for _, reference := range v.references {
		list = append(list, storage{kind, reference})
	}
	return list
}

// of lists the variables on which a variable depends, each once, in the order of the table.
func (d *dependencies) of(v *variable) (list []int, known bool) {
	var causes []storage
	for _, part := range v.parts() {
		u := d.unknowns[part]
		if u == nil || !u.Stated {
			return nil, false
		}
		for _, k := range u.Dependencies {
			causes = append(causes, d.stored[k])
		}
	}
	slices.SortFunc(causes, storage.compare)
	for _, cause := range slices.Compact(causes) {
		list = append(list, d.variables[cause]...)
	}
	slices.Sort(list)
	return slices.Compact(list), true
}

// Depends lists the inputs on which an output depends during initialization, as stated by the
// InitialUnknowns of the model description. Some tools leave this list empty: an output that is
// missing from it may depend on all inputs.
func (i *Instance) Depends(output int) (inputs []int, known bool) {
	return i.fmu.table.dependencies().of(&i.fmu.table.list[output])
}

var _ cosim.Depender = (*Instance)(nil)
