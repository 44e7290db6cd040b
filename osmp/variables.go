package osmp

import (
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/fault"
	"gosmp/proto/osi"
)

// Version is the release of OSMP that an FMU declares. The rules that concern a sensor model are
// the same in both releases, and a gosmp FMU obeys both; importers that check the label differ in
// the release that they expect. Only the newer one has rules for FMI 3.0.
type Version string

// The releases that can be declared.
const (
	Version030 Version = "0.3.0"
	Version160 Version = "1.6.0"
)

// Known reports whether v is one of the releases that can be declared.
func (v Version) Known() bool { return v == Version030 || v == Version160 }

// Mark returns the vendor annotation that marks an FMU as an OSMP one.
func Mark(v Version) fmi.Annotation {
	return annotation(MarkElement, [2]string{"version", string(v)}, [2]string{"osi-version",
		osi.Version})
}

// Binary describes a notional binary variable.
type Binary struct {
	Prefix      string // a structured name, see [Prefix]
	MIMEType    string
	Causality   fmi.Causality
	Variability fmi.Variability
	Description string   // of the notional variable; the roles are appended
	DependsOn   []string // variables on which a calculatedParameter depends
	Clocks      []string // of FMI 3.0: the clocks to which the variable belongs
}

// Place is where an instance keeps a notional binary variable: it holds the indices of three
// integers or, if declared for FMI 3.0, the index of one Binary.
type Place struct {
	BaseLo, BaseHi, Size fmu.Index
	Full                 fmu.Index
	IsBinary             bool // Full is in use, the others are not
}

// Prefix returns the prefix of the n-th (from 1) of count variables of one kind: the bare base name
// if there is only one, otherwise indexed without gaps.
func Prefix(base string, n, count int) string {
	if count == 1 {
		return base
	}
	return base + "[" + strconv.Itoa(n) + "]"
}

// BaseName returns a prefix without its index.
func BaseName(prefix string) string {
	name, _, _ := strings.Cut(prefix, "[")
	return name
}

// SplitPrefix splits a prefix into its base name and its index: 0 without an index, -1 if the rest
// of the prefix is not an index from 1.
func SplitPrefix(prefix string) (name string, index int) {
	name, rest, indexed := strings.Cut(prefix, "[")
	if !indexed {
		return name, 0
	}
	digits, closed := strings.CutSuffix(rest, "]")
	n, err := strconv.Atoi(digits)
	if !closed || err != nil || n < 1 || strconv.Itoa(n) != digits {
		return name, -1
	}
	return name, n
}

// check refuses an invalid MIME type and a name that is already in use.
func (b Binary) check(t *fmu.Variables) error {
	if _, _, ok := ParseMIMEType(b.MIMEType); !ok {
		return fault.New(ErrDeclaration, fault.At(b.Prefix), "MIME type "+
			strconv.Quote(b.MIMEType), "type/subtype; name=value")
	}
	if name, index := SplitPrefix(b.Prefix); index < 0 {
		return fault.New(ErrDeclaration, fault.At(b.Prefix), "an index that is not a number",
			"a number from 1 in brackets, such as "+name+"[1]")
	}
	if t.Named(b.Prefix) != nil {
		return fault.New(ErrDeclaration, fault.At(b.Prefix), "a variable of that name", "none").
			WithHint("OSMP reserves the name for the three variables together")
	}
	return nil
}

// Declare adds b to the table: as three integers or, to a table for FMI 3.0, as one Binary. The
// error is an [*Error] of kind [ErrDeclaration].
func Declare(t *fmu.Variables, b Binary) (Place, error) {
	if err := b.check(t); err != nil {
		return Place{}, err
	}
	if t.Version >= fmi.FMI3 {
		return Place{Full: t.Add(b.full()), IsBinary: true}, nil
	}
	return Place{
		BaseLo: t.Add(b.part(BaseLo, "low 32 bits of the address")),
		BaseHi: t.Add(b.part(BaseHi, "high 32 bits of the address")),
		Size:   t.Add(b.part(Size, "number of bytes")),
	}, nil
}

// Actual lists the names of the variables that [Declare] adds to a table.
func (b Binary) Actual(t *fmu.Variables) []string {
	if t.Version >= fmi.FMI3 {
		return []string{b.Prefix}
	}
	return []string{b.actual(BaseLo), b.actual(BaseHi), b.actual(Size)}
}

func (b Binary) actual(r Role) string { return b.Prefix + "." + string(r) }

// part returns one of the three integers.
func (b Binary) part(role Role, meaning string) fmu.Variable {
	return b.variable(fmu.Variable{
		Name: b.actual(role), Type: fmi.Integer, Description: b.Description + ": " + meaning,
		Start: int32(0),
	}, role)
}

// full returns the single Binary.
func (b Binary) full() fmu.Variable {
	return b.variable(fmu.Variable{
		Name: b.Prefix, Type: fmi.Binary, Description: b.Description, MIMEType: b.MIMEType,
		Start: []byte{}, Clocks: b.Clocks,
	}, Full)
}

// variable completes an actual variable. FMI determines the start values: calculatedParameters have
// none, all others start as "no data".
func (b Binary) variable(v fmu.Variable, role Role) fmu.Variable {
	v.Causality, v.Variability, v.DependsOn = b.Causality, b.Variability, b.DependsOn
	v.Annotations = []fmi.Annotation{annotation(PartElement,
		[2]string{"name", b.Prefix}, [2]string{"role", string(role)},
		[2]string{"mime-type", b.MIMEType})}
	switch b.Causality {
	case fmi.CalculatedParameter:
		v.Initial, v.Start = fmi.Calculated, nil
	case fmi.Input:
	default:
		v.Initial = fmi.Exact
	}
	return v
}

// read returns the address and size that the three integers hold, or the address and size of a
// published Binary.
func (p Place) read(v *fmu.Values) (address uint64, size int32) {
	if p.IsBinary {
		return v.Published(p.Full), int32(len(v.Binaries[p.Full]))
	}
	return JoinAddress(v.Integers[p.BaseLo], v.Integers[p.BaseHi]), v.Integers[p.Size]
}

// publish makes data at an address the value; address 0 and empty data mean "no data".
func (p Place) publish(v *fmu.Values, data []byte, address uint64) {
	if p.IsBinary {
		v.Publish(p.Full, data, address)
		return
	}
	p.write(v, address, int32(len(data)))
}

// data returns the content of a Binary, or nil for three integers.
func (p Place) data(v *fmu.Values) []byte {
	if p.IsBinary {
		return v.Binaries[p.Full]
	}
	return nil
}

// restore brings back a value that the host had set: data of a Binary, or an address and a size.
func (p Place) restore(v *fmu.Values, data []byte, address uint64, size int32) {
	if p.IsBinary {
		v.Publish(p.Full, data, 0)
		return
	}
	p.write(v, address, size)
}

// write stores an address and a size in the three integers.
func (p Place) write(v *fmu.Values, address uint64, size int32) {
	v.Integers[p.BaseLo], v.Integers[p.BaseHi] = SplitAddress(address)
	v.Integers[p.Size] = size
}

// watch registers a watcher of the variables.
func (p Place) watch(v *fmu.Values, w fmu.Watcher) {
	if p.IsBinary {
		v.Watch(w, fmi.Binary, p.Full)
		return
	}
	v.Watch(w, fmi.Integer, p.BaseLo, p.BaseHi, p.Size)
}
