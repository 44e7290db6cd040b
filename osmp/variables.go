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
// the same in both, and a gosmp FMU obeys both; importers that check the label differ in which one
// they expect.
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
	Description string   // of the whole; the roles are appended
	DependsOn   []string // variables on which a calculatedParameter depends
}

// Triple holds the indices of the three integers in an instance.
type Triple struct{ BaseLo, BaseHi, Size fmu.Index }

// Prefix returns the prefix of the n-th (from 1) of count variables of one kind: the bare base name
// if there is only one, otherwise indexed without gaps.
func Prefix(base string, n, count int) string {
	if count == 1 {
		return base
	}
	return base + "[" + strconv.Itoa(n) + "]"
}

// BaseName is a prefix without its index.
func BaseName(prefix string) string {
	name, _, _ := strings.Cut(prefix, "[")
	return name
}

// SplitPrefix splits a prefix into its base name and its index: 0 without one, -1 if what follows
// the name is not an index from 1.
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
		return &Error{Place: fault.At(b.Prefix), Kind: ErrDeclaration, Found: "MIME type " +
			strconv.Quote(b.MIMEType),
			Expected: "type/subtype; name=value"}
	}
	if name, index := SplitPrefix(b.Prefix); index < 0 {
		return &Error{Place: fault.At(b.Prefix), Kind: ErrDeclaration,
			Found:    "an index that is not a number",
			Expected: "a number from 1 in brackets, such as " + name + "[1]"}
	}
	if t.Named(b.Prefix) != nil {
		return &Error{Place: fault.At(b.Prefix), Kind: ErrDeclaration,
			Found:    "a variable of that name",
			Expected: "none", Hint: "OSMP reserves the name for the three variables together"}
	}
	return nil
}

// Declare adds the three integers of b to the table. The error is an [*Error] of kind
// [ErrDeclaration].
func Declare(t *fmu.Variables, b Binary) (Triple, error) {
	if err := b.check(t); err != nil {
		return Triple{}, err
	}
	return Triple{
		BaseLo: t.Add(b.variable(BaseLo, "low 32 bits of the address")),
		BaseHi: t.Add(b.variable(BaseHi, "high 32 bits of the address")),
		Size:   t.Add(b.variable(Size, "number of bytes")),
	}, nil
}

// variable returns one of the three. FMI determines the start values: calculatedParameters have
// none, all others start as "no data".
func (b Binary) variable(role Role, meaning string) fmu.Variable {
	v := fmu.Variable{
		Name: b.Prefix + "." + string(role), Type: fmi.Integer, Causality: b.Causality, Variability: b.Variability,
		Description: b.Description + ": " + meaning, DependsOn: b.DependsOn,
		Annotations: []fmi.Annotation{annotation(PartElement,
			[2]string{"name", b.Prefix}, [2]string{"role", string(role)}, [2]string{"mime-type",
				b.MIMEType})},
	}
	switch b.Causality {
	case fmi.CalculatedParameter:
		v.Initial = fmi.Calculated
	case fmi.Input:
		v.Start = int32(0)
	default:
		v.Initial, v.Start = fmi.Exact, int32(0)
	}
	return v
}

// read returns the address and size that the three integers hold.
func (t Triple) read(v *fmu.Values) (address uint64, size int32) {
	return JoinAddress(v.Integers[t.BaseLo], v.Integers[t.BaseHi]), v.Integers[t.Size]
}

// write publishes an address and a size; 0 and 0 mean "no data".
func (t Triple) write(v *fmu.Values, address uint64, size int32) {
	v.Integers[t.BaseLo], v.Integers[t.BaseHi] = SplitAddress(address)
	v.Integers[t.Size] = size
}

// watch registers a watcher of the three.
func (t Triple) watch(v *fmu.Values, w fmu.Watcher) {
	v.Watch(w, fmi.Integer, t.BaseLo, t.BaseHi, t.Size)
}
