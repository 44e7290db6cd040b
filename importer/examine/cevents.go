package examine

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"gosmp/importer/worker/probe"
)

// updatesStatement returns the registration of intermediate updates in C.
func (s *subject) updatesStatement(o *probe.Op) string {
	values := make([]string, 0, len(o.Data)/8+1)
	for k := 0; k+8 <= len(o.Data); k += 8 {
		x := math.Float64frombits(binary.NativeEndian.Uint64(o.Data[k:]))
		values = append(values, cNumber(x))
	}
	return fmt.Sprintf("UPDATES(%d, %s, %d, %d, L(%s), %s);", boolInt(o.X[0] != 0),
		cNumber(o.X[1]), o.Values, len(o.References), cList(append(o.References, 0)),
		strings.Join(append(values, "0"), ", "))
}

// updater receives intermediate updates.
const updater = `
static uint32_t reads[128];
static double gives[128], ahead;
static size_t outputs;
static bool asks;
static void updated(void *e, double t, bool set, bool get, bool done, bool can, bool *early,
                    double *when)
{
	(void)e;
	double v[128];
	int outer = arrays; // of the call in progress, which are checked after it
	arrays = 0;
	printf("  update at %.17g: set %d, get %d, finished %d, can return %d\n", t, set, get, done,
	       can);
	if (get && outputs > 0)
		CALL(fmi3GetFloat64, (void *, uint32_t *, size_t, double *, size_t), c[0], reads, outputs,
		     v, outputs);
	if (set && needs > outputs)
		CALL(fmi3SetFloat64, (void *, uint32_t *, size_t, double *, size_t), c[0],
		     reads + outputs, needs - outputs, gives, needs - outputs);
	static double until = NAN;
	until = isnan(until) ? t + ahead : until;
	*early = asks && can, *when = until > t ? until : t, arrays = outer;
}
#define UPDATES(early, later, out, all, references, ...) do { \
	uint32_t r[] = {references}; double x[] = {__VA_ARGS__}; \
	asks = early, ahead = later, outputs = out, needs = all; \
	memcpy(reads, r, sizeof r), memcpy(gives, x, sizeof x); \
	update = (void *)updated, required = all > 0 ? reads : NULL; } while (0)`

// timingStatement returns a call that reads or sets intervals or shifts of clocks.
func timingStatement(o *probe.Op, c string) string {
	n := len(o.References)
	head := fmt.Sprintf("{\n\t%s double v[%d] = {0}; ", cReferences(o), n)
	call := fmt.Sprintf("\n\tCALL(%s, (void *, uint32_t *, size_t, double *", o.Code)
	rest := fmt.Sprintf(", %s, r, %d, v", c, n)
	show := "v[k]"
	format := "%.17g"
	if strings.HasSuffix(o.Code, "Fraction") {
		head = fmt.Sprintf("{\n\t%s uint64_t v[%d] = {0}, d[%d] = {0}; ", cReferences(o), n, n)
		call = fmt.Sprintf("\n\tCALL(%s, (void *, uint32_t *, size_t, uint64_t *, uint64_t *",
			o.Code)
		rest, show = rest+", d", "(unsigned long long)v[k], (unsigned long long)d[k]"
		format = "%llu / %llu"
	}
	if strings.HasPrefix(o.Code, "fmi3GetInterval") {
		head += fmt.Sprintf("int q[%d] = {0};", n)
		call, rest, show = call+", int *", rest+", q", show+", q[k]"
		format += ", qualifier %d"
	}
	return head + call + ")" + rest + fmt.Sprintf(");\n\tfor (int k = 0; k < %d; k++) "+
		"printf(\"  %s\\n\", %s);\n}", n, format, show)
}
