package importer

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/importer/worker"
	"gosmp/internal/fault"
	"gosmp/osmp"
	"gosmp/osmp/check"
)

// variable is a variable that the host can read or set.
type variable struct {
	name       string
	kind       cosim.Kind
	references []uint32
	role       cosim.Role
	model      *archive.Variable // nil for a notional binary variable of FMI 2.0
	mime       string
	declared   string // MIME type if it contradicts the name
	clocks     []int  // its clocks, as indices in the table's clocks
	settable   bool   // by a start value
	// dimensions, for the structural parameters of the model description; nil for a scalar
	shape []int
}

// table holds the variables of an FMU.
type table struct {
	major     int
	list      []variable
	byName    map[string]int
	structure map[uint32]int // structural parameters by reference
	types     map[string][]archive.EnumerationItem
	named     map[string][]cosim.Item // of the same enumerations
	units     map[string]fmi.Unit
	warnings  []string
	misnamed  []string // variables whose MIME types contradict their names

	// derived from the variables when first needed: most runs of large FMUs never need these
	messages     func() map[string]map[uint32]string // names by type letter and reference
	dependencies func() *dependencies
	described    func() []cosim.Variable

	clocks  []clock
	clocked bool // the clocks of the FMU tick
}

var kinds = map[fmi.Type]cosim.Kind{
	fmi.Real: cosim.Float64, fmi.Integer: cosim.Int32, fmi.Boolean: cosim.Boolean,
	fmi.String: cosim.String, fmi.Float64: cosim.Float64, fmi.Float32: cosim.Float32,
	fmi.Int8: cosim.Int8, fmi.UInt8: cosim.UInt8, fmi.Int16: cosim.Int16, fmi.UInt16: cosim.UInt16,
	fmi.Int32: cosim.Int32, fmi.UInt32: cosim.UInt32, fmi.Int64: cosim.Int64,
	fmi.UInt64: cosim.UInt64, fmi.Binary: cosim.Binary, fmi.Clock: cosim.Clock,
}

// newTable creates the table. Any error has the kind ErrInvalid.
func newTable(m *archive.ModelDescription) (*table, error) {
	t := &table{major: int(m.Major()), structure: map[uint32]int{},
		byName: make(map[string]int, len(m.Variables)), list: make([]variable, 0, len(m.Variables)),
		types: map[string][]archive.EnumerationItem{}, named: map[string][]cosim.Item{},
		units: map[string]fmi.Unit{}}
	for _, d := range m.Types {
		t.types[d.Name], t.named[d.Name] = d.Items, numbered(d.Items)
	}
	for _, u := range m.Units {
		t.units[u.Name] = u
	}
	if err := t.findClocks(m); err != nil {
		return nil, err
	}
	notional := map[string]bool{}
	if t.major == 2 {
		t.addNotional(m, notional)
	}
	for k := range m.Variables {
		v := &m.Variables[k]
		if v.Causality == fmi.Independent && v.Unit != "" && v.Unit != "s" {
			t.warnings = append(t.warnings,
				fmt.Sprintf("the independent variable %s has the "+
					"unit %s; it is set in seconds", v.Name,
					v.Unit))
		}
		if !notional[v.Name] && (t.clocked || v.Type != fmi.Clock && len(v.Clocks) == 0) {
			t.addVariable(v)
		}
	}
	if len(t.misnamed) > 0 {
		t.warnings = append(t.warnings, fmt.Sprintf(
			"the MIME types of %s contradict their names; the names are used",
			strings.Join(t.misnamed, ", ")))
	}
	if err := t.connectClocks(); err != nil {
		return nil, err
	}
	t.messages = sync.OnceValue(func() map[string]map[uint32]string { return t.newMessages(m) })
	t.dependencies = sync.OnceValue(func() *dependencies { return t.newDependencies(m) })
	t.described = sync.OnceValue(func() []cosim.Variable { return t.newDescription(nil) })
	return t, t.shapes()
}

// isStructural reports whether a variable may be the size of arrays.
func (v *variable) isStructural() bool {
	return v.model != nil && v.model.Causality == fmi.StructuralParameter && v.kind >= cosim.Int8 &&
		v.kind <= cosim.UInt64
}

// storage identifies the storage that a variable shares with its aliases.
type storage struct {
	kind      cosim.Kind
	reference uint32
}

func (s storage) compare(o storage) int {
	return cmp.Or(cmp.Compare(s.kind, o.kind), cmp.Compare(s.reference, o.reference))
}

func (v *variable) storage() storage { return storage{v.kind, v.references[0]} }

// add drops a variable whose name is already taken, so structure contains only the indices of
// retained variables.
func (t *table) add(v variable) {
	if _, taken := t.byName[v.name]; taken {
		t.warnings = append(t.warnings, "two variables are called "+v.name+", the first one counts")
		return
	}
	if v.isStructural() {
		t.structure[v.references[0]] = len(t.list)
	}
	t.byName[v.name] = len(t.list)
	t.list = append(t.list, v)
}

var roles = map[fmi.Causality]cosim.Role{fmi.Input: cosim.Input, fmi.Output: cosim.Output,
	fmi.Parameter:           cosim.Parameter,
	fmi.StructuralParameter: cosim.Parameter, fmi.CalculatedParameter: cosim.Calculated}

// kindOf returns the kind of a type's values; 0 if it is not an FMI type.
func (t *table) kindOf(d fmi.Type) cosim.Kind {
	switch {
	case d != fmi.Enumeration:
		return kinds[d]
	case t.major == 3:
		return cosim.Int64
	}
	return cosim.Int32
}

func (t *table) addVariable(v *archive.Variable) {
	kind := t.kindOf(v.Type)
	if kind == 0 {
		return
	}
	settable := v.Type != fmi.Clock && v.Variability != fmi.Constant &&
		(v.Causality == fmi.Input || v.Initial == fmi.Exact || v.Initial == fmi.Approx)
	entry := variable{name: v.Name, kind: kind, references: []uint32{v.ValueReference},
		role: roles[v.Causality], model: v,
		mime: v.MIMEType, settable: settable}
	if t.major == 1 {
		entry.asOfFMI1()
	}
	t.nameDecides(&entry)
	t.add(entry)
	for _, a := range v.Aliases {
		entry.name = a.Name
		t.add(entry)
	}
}

// negated holds the kinds of negated aliases by the kinds of their values.
var negated = map[cosim.Kind]cosim.Kind{cosim.Float64: worker.NegatedFloat64,
	cosim.Int32: worker.NegatedInt32, cosim.Boolean: worker.NegatedBoolean}

// asOfFMI1 adapts a variable to FMI 1.0, where an input may be a parameter, which is fixed once the
// slave has been initialized, and a variable may be the negated alias of another one.
func (v *variable) asOfFMI1() {
	if v.role == cosim.Input && v.model.Variability == fmi.Fixed {
		v.role = cosim.Parameter
	}
	if kind, can := negated[v.kind]; can && v.model.Negated {
		v.kind, v.settable = kind, false
		if v.role != cosim.Output {
			v.role = roles[fmi.Local]
		}
	}
}

// addNotional combines each OSMP triple into one variable.
func (t *table) addNotional(m *archive.ModelDescription, taken map[string]bool) {
	integers := map[uint32][]string{}
	for k := range m.Variables {
		if v := &m.Variables[k]; v.Type == fmi.Integer {
			integers[v.ValueReference] = append(integers[v.ValueReference], v.Name)
		}
	}
	for _, b := range check.Examine(m).Variables {
		r := b.ValueReferences
		if r.BaseLo == nil || r.BaseHi == nil || r.Size == nil {
			continue // remains three plain Integers
		}
		references := []uint32{*r.BaseLo, *r.BaseHi, *r.Size}
		for _, reference := range references {
			for _, name := range integers[reference] {
				taken[name] = true
			}
			integers[reference] = nil // each name once, even if variables share the reference
		}
		settable := b.Causality == fmi.Input || b.Causality == fmi.Parameter
		entry := variable{name: b.Name, kind: worker.OSMP, references: references,
			role: roles[b.Causality], mime: b.MIMEType, settable: settable}
		t.nameDecides(&entry)
		t.add(entry)
	}
}

// nameDecides derives the MIME type of a variable from its name if OSMP defines the name.
func (t *table) nameDecides(v *variable) {
	if v.kind != cosim.Binary && v.kind != worker.OSMP {
		return
	}
	mime, contradicts := osmp.MIMETypeOf(v.name, v.mime)
	if contradicts {
		v.declared = v.mime
		t.misnamed = append(t.misnamed, v.name)
	}
	v.mime = mime
}

// shapes sets the dimensions of arrays.
func (t *table) shapes() (err error) {
	for k := range t.list {
		if t.list[k].shape, err = t.shapeOf(&t.list[k], nil); err != nil {
			return err
		}
	}
	return nil
}

const (
	maxElements   = 1 << 24
	maxDimensions = 64
)

// shapeOf returns the dimensions of a variable for structural parameters that differ from the model
// description.
func (t *table) shapeOf(v *variable, structure map[uint32]uint64) (shape []int, err error) {
	if v.model == nil {
		return nil, nil
	}
	if n := len(v.model.Dimensions); n > maxDimensions {
		return nil, fault.New(ErrInvalid, fault.Place{},
			fmt.Sprintf("%s has %d dimensions", v.name, n),
			fmt.Sprintf("at most %d", maxDimensions))
	}
	size := uint64(1)
	for _, d := range v.model.Dimensions {
		n, err := t.dimension(v, d, structure)
		if err != nil {
			return nil, err
		}
		if n > maxElements || size*n > maxElements {
			return nil, fault.New(ErrInvalid, fault.Place{},
				fmt.Sprintf("%s has more than %d elements", v.name, maxElements), "fewer")
		}
		size *= n
		shape = append(shape, int(n))
	}
	return shape, nil
}

// dimension returns the size of one dimension of a variable.
func (t *table) dimension(v *variable, d archive.Dimension, structure map[uint32]uint64) (uint64,
	error) {
	switch {
	case d.Start != nil:
		return *d.Start, nil
	case d.ValueReference == nil:
		return 0, nil
	}
	if value, given := structure[*d.ValueReference]; given {
		return value, nil
	}
	k, found := t.structure[*d.ValueReference]
	if !found || len(t.list[k].model.Start) != 1 {
		return 0, fault.New(ErrInvalid, fault.Place{},
			fmt.Sprintf("the size of %s is given by the variable with reference %d", v.name,
				*d.ValueReference), "a structural parameter with a start value")
	}
	value, _, err := cosim.ParseValue(cosim.UInt64, t.list[k].model.Start[0])
	if err != nil {
		return 0, fault.New(ErrInvalid, fault.Place{}, fmt.Sprintf("%s starts at %q",
			t.list[k].name, t.list[k].model.Start[0]), "a whole number")
	}
	return value, nil
}

// kindOf returns the variable kind that participants see for a group kind.
func kindOf(k cosim.Kind) cosim.Kind {
	switch k {
	case worker.OSMP:
		return cosim.Binary
	case worker.NegatedFloat64:
		return cosim.Float64
	case worker.NegatedInt32:
		return cosim.Int32
	case worker.NegatedBoolean:
		return cosim.Boolean
	}
	return k
}
