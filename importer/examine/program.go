package examine

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/importer/worker/probe"
)

// calls lists the calls of a script up to and including one of them, for display.
func (p *play) calls(at int) (list []string) {
	for k := range min(at+1, len(p.ops)) {
		if text := p.s.callText(&p.ops[k]); text != "" {
			list = append(list, text)
		}
	}
	return list
}

// callText returns an operation in readable form; empty for internal operations of the examiner.
func (s *subject) callText(o *probe.Op) string {
	c := fmt.Sprintf("c%d", o.Slot+1)
	if o.Flags&probe.NoInstance != 0 {
		c = "NULL"
	}
	name := o.Code
	if o.Flags&(probe.OtherThread|probe.SmallStack) != 0 {
		name = "in another thread: " + name
	}
	switch {
	case o.Code == probe.Load:
		return "dlopen"
	case o.Code == probe.Unload:
		return "dlclose"
	case o.Code == probe.Updates:
		return "intermediate updates for " + c
	case o.Code == probe.Sleep:
		return fmt.Sprintf("wait %s s", short(o.X[0]))
	case o.Code == probe.Loop:
		return fmt.Sprintf("%d times:", o.Count)
	case o.Code == probe.Next:
		return "until here"
	case o.Code == probe.Twins:
		other := ""
		if o.State != o.Slot {
			other = fmt.Sprintf(" and c%d, each in a thread of its own", o.State+1)
		}
		return fmt.Sprintf("%d times %s with %s%s, from %s in steps of %s", o.Values,
			s.function("DoStep"), c, other, short(o.X[0]), short(o.X[1]))
	case o.Code == probe.Settle:
		return "fmi3UpdateDiscreteStates(" + c + "), until no update is needed"
	case o.Code == probe.Send && o.Count >= probe.SendParts:
		return fmt.Sprintf("fmi2SetInteger(%s, %s, address and size of a message), in three calls",
			c, s.triple(o))
	case o.Code == probe.Send:
		return fmt.Sprintf("fmi2SetInteger(%s, %s, %s)", c, s.triple(o), sendings[o.Count])
	case o.Code == probe.Fetch:
		return fmt.Sprintf("fmi2GetInteger(%s, %s)", c, s.triple(o))
	case !strings.HasPrefix(o.Code, "fmi"):
		return ""
	case strings.HasSuffix(o.Code, "DoStep"):
		return fmt.Sprintf("%s(%s, %s, %s)", name, c, short(o.X[0]), short(o.X[1]))
	case o.Code == "fmi2SetupExperiment" || o.Code == "fmi3EnterInitializationMode":
		stop := "no stop time"
		if o.Flags&probe.HasStop != 0 {
			stop = "stop " + short(o.X[1])
		}
		return fmt.Sprintf("%s(%s, start %s, %s)", name, c, short(o.X[0]), stop)
	case strings.HasSuffix(o.Code, "Derivative") && len(o.Data) > 0:
		return fmt.Sprintf("%s(%s, %v, by %v)", name, c, o.References, referencesIn(o.Data))
	case o.References != nil && o.Data != nil:
		return fmt.Sprintf("%s(%s, %v, %s)", name, c, o.References, s.valueText(o))
	case o.References != nil:
		return fmt.Sprintf("%s(%s, %v)", name, c, o.References)
	case strings.Contains(strings.ToLower(o.Code), "fmustate"):
		return fmt.Sprintf("%s(%s, s%d)", name, c, o.State+1)
	case strings.Contains(o.Code, "nstantiate"):
		return fmt.Sprintf("%s = %s(%q, %q)", c, name, text(o.Data), text(o.Data2))
	}
	return fmt.Sprintf("%s(%s)", name, c)
}

// referencesIn decodes value references.
func referencesIn(data []byte) (list []uint32) {
	for k := 0; k+4 <= len(data); k += 4 {
		list = append(list, binary.NativeEndian.Uint32(data[k:]))
	}
	return list
}

// triple returns the value references of an address and a size, and the name of their variable.
func (s *subject) triple(o *probe.Op) string {
	text := fmt.Sprint(o.References)
	for _, t := range s.triples {
		if slices.Equal(t.references, o.References) {
			text += " of " + t.Name
		}
	}
	return text
}

var sendings = map[int]string{probe.SendBuffer: "address and size of a message",
	probe.SendNothing: "0, 0, 0", probe.SendNoBase: "0, 0, size", probe.SendNoSize: "lo, hi, 0",
	probe.SendNegative: "lo, hi, -5", probe.SendNoLow: "0, hi, size"}

func text(b []byte) string { return strings.TrimSuffix(string(b), "\x00") }

// elementWidth returns the size of the values of the getter or setter with this name; 0 for texts
// and binaries.
func elementWidth(code string) (size int, ctype string) {
	if len(code) < 7 {
		return 0, ""
	}
	w := widths[code[:4]+code[7:]]
	return w.size, w.ctype
}

var widths = map[string]struct {
	size  int
	ctype string
}{
	"fmi2Real": {8, "double"}, "fmi2Integer": {4, "int"}, "fmi2Boolean": {4, "int"},
	"fmi3Float64": {8, "double"}, "fmi3Float32": {4, "float"},
	"fmi3Int8": {1, "int8_t"}, "fmi3UInt8": {1, "uint8_t"},
	"fmi3Int16": {2, "int16_t"}, "fmi3UInt16": {2, "uint16_t"},
	"fmi3Int32": {4, "int32_t"}, "fmi3UInt32": {4, "uint32_t"},
	"fmi3Int64": {8, "int64_t"}, "fmi3UInt64": {8, "uint64_t"},
	"fmi3Boolean": {1, "bool"},
}

// valueText returns the values of a setter, as C initializers.
func (s *subject) valueText(o *probe.Op) string {
	switch size, _ := elementWidth(o.Code); {
	case strings.HasSuffix(o.Code, "InputDerivatives"):
		return "orders and values"
	case size == 0:
		return "texts or binaries"
	}
	return plain(s.cValues(o))
}

// cValues returns the numbers of a setter. They may vary in a program if a double can hold them.
func (s *subject) cValues(o *probe.Op) string {
	size, ctype := elementWidth(o.Code)
	var list []string
	for k := 0; k+size <= len(o.Data); k += size {
		text := element(o.Data[k:k+size], ctype)
		if !strings.Contains(ctype, "64") {
			text = varying(text)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func element(b []byte, ctype string) string {
	e := binary.NativeEndian
	switch ctype {
	case "double":
		return cNumber(math.Float64frombits(e.Uint64(b)))
	case "float":
		return cNumber(float64(math.Float32frombits(e.Uint32(b))))
	case "uint64_t":
		return strconv.FormatUint(e.Uint64(b), 10)
	case "int64_t":
		return strconv.FormatInt(int64(e.Uint64(b)), 10)
	}
	n := int64(int8(b[0]))
	switch len(b) {
	case 2:
		n = int64(int16(e.Uint16(b)))
	case 4:
		n = int64(int32(e.Uint32(b)))
	}
	if strings.HasPrefix(ctype, "u") {
		n &= 1<<(8*len(b)) - 1
	}
	return strconv.FormatInt(n, 10)
}

func cNumber(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NAN"
	case math.IsInf(x, 1):
		return "INFINITY"
	case math.IsInf(x, -1):
		return "-INFINITY"
	case x == 0 && math.Signbit(x):
		return "-0.0" // -0 is an integer in C, which has no sign
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
