package examine

import (
	"encoding/binary"
	"fmt"
	"strings"

	"gosmp/importer/worker/probe"
)

// serialStatement returns a call that serializes or deserializes a state.
func (s *subject) serialStatement(o *probe.Op, c string, a *pieces) string {
	state := fmt.Sprintf("s[%d]", o.State)
	size := s.function(map[int]string{2: "SerializedFMUstateSize",
		3: "SerializedFMUStateSize"}[s.major])
	name := strings.ToLower(o.Code[4:])
	switch {
	case strings.HasPrefix(name, "serialized"):
		return fmt.Sprintf("SIZE(%s, %s, %s);", size, c, state)
	case strings.HasPrefix(name, "serialize"):
		return fmt.Sprintf("SERIALIZE(%s, %s, %s, %s);", size, o.Code, c, state)
	}
	n, numbers := a.content(o.Data)
	return fmt.Sprintf("CALL(%s, (void *, const unsigned char *, size_t, void **), %s, "+
		"room(%d, unpacked(%[3]d, %[4]s)), %[3]d, &%[5]s);", o.Code, c, n, numbers, state)
}

// loggingStatement returns a call that switches logging.
func loggingStatement(o *probe.Op, c string) string {
	list := make([]string, 0, o.Count)
	for category := range strings.SplitSeq(strings.TrimSuffix(string(o.Data), "\x00"), "\x00") {
		list = append(list, cText([]byte(category)))
	}
	categories := "NULL"
	if o.Count > 0 {
		categories = "(const char *[]){" + strings.Join(list, ", ") + "}"
	}
	kind := map[byte]string{'2': "int", '3': "bool"}[o.Code[3]]
	return fmt.Sprintf("CALL(%s, (void *, %s, size_t, const char **), L(%s, %d, %d, %s));", o.Code,
		kind, c, boolInt(o.Flags&probe.LoggingOn != 0), o.Count, categories)
}

// cReferences returns the declaration of the value references of an operation.
func cReferences(o *probe.Op) string {
	if len(o.References) == 0 {
		return "uint32_t r[1] = {0};"
	}
	return fmt.Sprintf("uint32_t r[] = {%s};", cList(o.References))
}

func cList[T any](list []T) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

// clockStatement returns a call that reads or activates clocks.
func clockStatement(o *probe.Op, c string) string {
	n := len(o.References)
	values := make([]int, max(1, n))
	for k := range min(n, len(o.Data)) {
		values[k] = int(o.Data[k])
	}
	return fmt.Sprintf("{\n\t%s bool v[] = {%s};\n\tCALL(%s, (void *, uint32_t *, size_t, "+
		"bool *), %s, r, %d, v);\n\tfor (int k = 0; k < %d; k++) printf(\"  %%d\\n\", v[k]);\n}",
		cReferences(o), cList(values), o.Code, c, n, n)
}

// slopeStatement returns a call for derivatives of inputs or outputs with respect to time.
func (s *subject) slopeStatement(o *probe.Op, c string) string {
	n := len(o.References)
	values, orders := make([]string, 0, n+1), make([]string, 0, n+1)
	at := func(list []byte, size, k int) []byte {
		if (k+1)*size <= len(list) {
			return list[k*size : (k+1)*size]
		}
		return make([]byte, size)
	}
	for k := range max(1, n) {
		values = append(values, element(at(o.Data, 8, k), "double"))
		order := binary.NativeEndian.Uint32(at(o.Data2, 4, k))
		orders = append(orders, fmt.Sprint(int32(order)))
	}
	count, last := "", ""
	if s.major == 3 {
		count, last = ", size_t", fmt.Sprintf(", %d", n)
	}
	return fmt.Sprintf("{\n\t%s int o[] = {%s}; double v[] = {%s};\n\tCALL(%s, (void *, "+
		"uint32_t *, size_t, int *o, double *%s), %s, r, %d, o, v%s);\n\tprintf(\"  %%.17g\\n\", "+
		"*v);\n}", cReferences(o), strings.Join(orders, ", "), strings.Join(values, ", "), o.Code,
		count, c, n, last)
}
