package examine

import (
	"encoding/binary"
	"fmt"
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

// dependencyOp returns the call for n dependencies of a variable, or for their number if n is
// negative.
func (s *subject) dependencyOp(v *variable, n int) probe.Op {
	o := probe.Op{Code: "fmi3GetNumberOfVariableDependencies",
		References: []uint32{v.ValueReference}}
	if n >= 0 {
		o.Code, o.Values = "fmi3GetVariableDependencies", n
	}
	return o
}

// dependencyStatement returns that call in C.
func dependencyStatement(o *probe.Op, c string) string {
	if o.Code == "fmi3GetNumberOfVariableDependencies" {
		return fmt.Sprintf("{\n\tsize_t n = 0;\n\tCALL(%s, (void *, uint32_t, size_t *), %s, %d, "+
			"&n);\n\tprintf(\"  %%zu\\n\", n);\n}", o.Code, c, o.References[0])
	}
	return fmt.Sprintf("{\n\tsize_t e[%d], f[%[1]d]; uint32_t r[%[1]d]; int kinds[%[1]d];\n\t"+
		"CALL(%s, (void *, uint32_t, size_t *, uint32_t *, size_t *f, int *, size_t), %s, %d, e, "+
		"r, f, kinds, %d);\n\tfor (int k = 0; k < %[5]d; k++) printf(\"  element %%zu: %%u, "+
		"element %%zu, kind %%d\\n\", e[k], r[k], f[k], kinds[k]);\n}", max(1, o.Values), o.Code,
		c, o.References[0], o.Values)
}

const mostDependencies = 1 << 16 // for which the memory of a probe has room

// elementDependencies asks for the dependencies of each output, and checks that they refer to
// elements of variables.
func elementDependencies(a *attempt) {
	s := a.s
	for k := range s.variables {
		v := &s.variables[k]
		if v.Causality != fmi.Output || v.clocked {
			continue
		}
		p := s.newPlay()
		p.instantiate(0, 0)
		p.enter(0, s.usual())
		at := p.add(s.dependencyOp(v, -1))
		p.call(0, "FreeInstance")
		r := a.play(p)
		if !a.fine("C8", r) {
			return
		}
		n := binary.NativeEndian.Uint64(append(r.Records[at].Out, make([]byte, 8)...))
		if n > mostDependencies {
			a.refuted("C8", r, at, "their number", "%s of %s returns %d", p.ops[at].Code, v.Name, n)
			return
		}
		p.ops = slices.Insert(p.ops, at+1, s.dependencyOp(v, int(n)))
		r = a.play(p)
		if !a.fine("C8", r) {
			return
		}
		if what := s.wrongDependency(v, r.Records[at+1].Out, int(n)); what != "" {
			a.refuted("C8", r, at+1, "elements of variables, and a kind from the standard",
				"%s of %s returns %s", p.ops[at+1].Code, v.Name, what)
			return
		}
	}
	a.proved("C8")
}

// wrongDependency describes the first of n dependencies that has no meaning.
func (s *subject) wrongDependency(v *variable, out []byte, n int) string {
	if len(out) < 24*n {
		return fmt.Sprintf("%d bytes", len(out))
	}
	const kinds = 6 // independent, constant, fixed, tunable, discrete, dependent
	e := binary.NativeEndian
	for k := range n {
		own, reference := e.Uint64(out[8*k:]), e.Uint32(out[8*n+4*k:])
		element, kind := e.Uint64(out[12*n+8*k:]), e.Uint32(out[20*n+4*k:])
		of := slices.IndexFunc(s.variables, func(w variable) bool {
			return w.ValueReference == reference
		})
		switch {
		case own > uint64(v.n):
			return fmt.Sprintf("the element %d of %s, which has %d", own, v.Name, v.n)
		case of < 0:
			return fmt.Sprintf("the value reference %d, which no variable has", reference)
		case element > uint64(s.variables[of].n):
			return fmt.Sprintf("the element %d of %s, which has %d", element, s.variables[of].Name,
				s.variables[of].n)
		case kind >= kinds:
			return fmt.Sprintf("the kind %d", kind)
		}
	}
	return ""
}
