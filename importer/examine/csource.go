package examine

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/importer/worker/probe"
	"gosmp/internal/plaintext"
)

// body returns the statements for the calls of a script up to and including one of them.
func (p *play) body(at int) (list []string, apart *pieces) {
	apart = &pieces{}
	list, _ = p.statements(0, min(at, len(p.ops)-1), 0, apart)
	return list, apart
}

// program returns a C program that makes the calls of a refutation. It needs nothing but the
// library of the unpacked FMU.
func (o *outcome) program(r Rule) string {
	p, last := o.play, min(o.at, len(o.play.ops)-1)
	list, apart := p.body(o.at)
	helpers := loggers[p.s.major] + p.helpers(last) + apart.source()
	if o.run != nil {
		list = append(surroundings(o.run.options), list...)
		if stack := o.run.options.Stack; stack > 0 {
			helpers += threads + "static void *calls(void *p)\n{\n" + plain(indented(list)) +
				"\treturn p;\n}\n"
			list = []string{fmt.Sprintf("elsewhere(calls, %d);", stack)}
		}
	}
	if p.s.resources != "" {
		list = append([]string{"locate();"}, list...)
	}
	note := ""
	for _, what := range apart.lacks {
		note += "\n * Unlike the examination, the program " + what + "."
	}
	if o.note != "" && !strings.HasPrefix(o.found, o.note) {
		note += "\n * With the calls below, " + comment(o.note) + "."
	}
	return fmt.Sprintf(programHead, r.ID, comment(o.found), r.Clause, note,
		inShell(p.s.fmu.Library("FOLDER")), helpers, p.s.locationFormat()) + plain(indented(list)) +
		"\treturn 0;\n}\n"
}

// helpers returns the functions that only some operations need, up to and including the last one.
func (p *play) helpers(last int) (text string) {
	for _, h := range []struct {
		code   string
		flag   probe.Flag
		source string
	}{
		{probe.Twins, 0, walkers[p.s.major]}, {probe.Updates, 0, updater},
		{probe.Fetch, 0, fetcher}, {probe.Measure, 0, measurer}, {probe.Dirty, 0, dirtier},
		{"", probe.TracedMemory, tracer},
	} {
		if slices.ContainsFunc(p.ops[:last+1], func(o probe.Op) bool {
			return o.Code == h.code || o.Flags&h.flag != 0
		}) {
			text += h.source
		}
	}
	if p.hasCopy() {
		text += copier
	}
	return text
}

// hasCopy reports whether a script loads the library under another name.
func (p *play) hasCopy() bool {
	return slices.ContainsFunc(p.ops, func(o probe.Op) bool {
		return o.Code == probe.Load && o.Slot > 0
	})
}

// comment returns a text, which may contain names from the FMU, for use in a comment. It is one
// line: a backslash or a trigraph before a line feed would join two lines even within a comment,
// and so could create its end. Bidirectional controls would show other code than the compiler
// reads.
func comment(text string) string {
	return parted(plaintext.Line(text), " ")
}

// parted puts a text between the characters of each beginning and end of a comment. It takes two
// passes: within "/*/", one that replaced "/*" first would leave the last slash to the next star.
func parted(text, between string) string {
	text = strings.ReplaceAll(text, "*/", "*"+between+"/")
	return strings.ReplaceAll(text, "/*", "/"+between+"*")
}

// inShell returns a path as a word of a shell command in a comment. Two quotes next to each other
// add nothing to the word.
func inShell(path string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.ContainsRune("_-./", c)
	}
	if strings.IndexFunc(path, func(c rune) bool { return !plain(c) }) < 0 {
		return path
	}
	path = strings.ReplaceAll(plaintext.Line(path), "'", `'\''`)
	return "'" + parted(path, "''") + "'"
}

// isGet reports whether an operation reads variables.
func isGet(o *probe.Op) bool { return o.References != nil && o.Data == nil && o.Code[:3] == "fmi" }

// statement returns an operation in C.
func (s *subject) statement(o *probe.Op, k int, a *pieces) string {
	c := fmt.Sprintf("c[%d]", o.Slot)
	if o.Flags&probe.NoInstance != 0 {
		c = "NULL"
	}
	switch {
	case o.Code == probe.Load && o.Slot > 0:
		a.library = 1 // from here on; statements() returns to the other one
		return "libraries[0] = library, library = libraries[1] = loaded();"
	case o.Code == probe.Load && k > 0:
		return "library = dlopen(file, RTLD_NOW);"
	case o.Code == probe.Unload:
		return "dlclose(library);"
	case o.Code == probe.Sleep:
		// the probe waits until other threads have run, which takes longer on a busy machine
		return fmt.Sprintf("usleep(%.0f);", 1e6*max(1, o.X[0]))
	case o.Code == probe.Measure:
		return "measured();"
	case o.Code == probe.Dirty:
		return fmt.Sprintf("dirty(%d, %d);", o.Count, o.State)
	case o.Code == probe.Watch:
		return "// run this program with strace -f to see the calls of the kernel"
	case o.Code == probe.Told:
		return "// here files, programs and addresses were looked at"
	case o.Code == probe.Placement:
		return fmt.Sprintf("tight = %t, front = %t, away = %t;", o.Count == probe.Guarded,
			o.Count == probe.Front, o.Count == probe.TakeBack)
	case o.Code == probe.Twins:
		return s.twinStatement(o)
	case o.Code == probe.Updates:
		return s.updatesStatement(o)
	case strings.HasSuffix(o.Code, "Decimal") || strings.HasSuffix(o.Code, "Fraction"):
		return timingStatement(o, c)
	case o.Code == probe.Settle:
		return fmt.Sprintf("for (int k = 0; k < 1000 && (k == 0 || event[0]); k++) UPDATE(%s);", c)
	case !strings.HasPrefix(o.Code, "fmi"):
		return s.osmpStatement(o, c, a)
	case strings.HasSuffix(o.Code, "Derivative"):
		return s.derivativeStatement(o, c)
	case strings.HasSuffix(o.Code, "Derivatives"):
		return s.slopeStatement(o, c)
	case strings.HasSuffix(o.Code, "VariableDependencies"):
		return dependencyStatement(o, c)
	case o.Code == "fmi3GetClock" || o.Code == "fmi3SetClock":
		return clockStatement(o, c)
	case o.Flags&probe.NoArrays != 0:
		sizes, none := "", ""
		if strings.HasSuffix(o.Code, "Binary") {
			sizes, none = "size_t *, ", "NULL, "
		}
		return fmt.Sprintf("CALL(%s, (void *, uint32_t *, size_t, %svoid *, size_t), %s, NULL, 0, "+
			"%sNULL, 0);", o.Code, sizes, c, none)
	case o.References != nil:
		return s.valueStatement(o, c, a)
	}
	return s.callStatement(o, c, a)
}

// derivativeStatement returns a call for partial derivatives.
func (s *subject) derivativeStatement(o *probe.Op, c string) string {
	e := binary.NativeEndian
	knowns := referencesIn(o.Data)
	var seeds []string
	for k := 0; k+8 <= len(o.Data2); k += 8 {
		seeds = append(seeds, cNumber(math.Float64frombits(e.Uint64(o.Data2[k:]))))
	}
	n := len(o.References)
	if strings.HasSuffix(o.Code, "AdjointDerivative") {
		n = len(knowns)
	}
	if o.X[1] > 0 {
		n = int(o.X[1])
	}
	lengths, types := [2]string{}, [2]string{}
	if s.major == 3 {
		lengths = [2]string{fmt.Sprintf(", %d", len(seeds)), fmt.Sprintf(", %d", n)}
		types = [2]string{", size_t", ", size_t"}
	}
	return fmt.Sprintf("{\n\tunsigned of[] = {%s}, by[] = {%s};\n\tdouble seed[] = {%s}, d[%d];\n",
		cList(o.References), cList(knowns), strings.Join(seeds, ", "), n) +
		fmt.Sprintf("\tCALL(%s, (void *, unsigned *a, size_t, unsigned *b, size_t, double *s%s, "+
			"double *d%s), %s, of, %d, by, %d, seed%s, d%s);\n", o.Code, types[0], types[1], c,
			len(o.References), len(knowns), lengths[0], lengths[1]) +
		fmt.Sprintf("\tfor (int k = 0; k < %d; k++) printf(\"  %%.17g\\n\", d[k]);\n}", n)
}

// valueStatement returns a call of a getter or setter.
func (s *subject) valueStatement(o *probe.Op, c string, a *pieces) string {
	size, ctype := elementWidth(o.Code)
	references := cList(o.References)
	values := max(o.Values, len(o.References))
	told := values + int(o.X[0])
	texts := strings.HasSuffix(o.Code, "String")
	switch {
	case strings.HasSuffix(o.Code, "GetBinary"):
		return fmt.Sprintf("SIZES(%s, %s, %d, %s);", o.Code, c, values, references)
	case size == 0 && s.major == 3 && o.Data != nil:
		return s.blobStatement(o, c, references, texts, a)
	case size == 0 && o.Data == nil:
		return fmt.Sprintf("GET(%s, const char *, \"%%s\", shown, %s, %d, %d, %s);", o.Code, c,
			values, told, references)
	case size == 0:
		var list []string
		text := strings.TrimSuffix(string(o.Data), "\x00")
		for _, text := range strings.SplitN(text, "\x00", len(o.References)) {
			_, literal := a.text([]byte(text))
			list = append(list, literal)
		}
		return fmt.Sprintf("TEXTS(%s, %s, %d, L(%s), %s);", o.Code, c, told, references,
			strings.Join(list, ", "))
	case o.Data != nil:
		return fmt.Sprintf("SET(%s, %s, %s, %d, L(%s), %s);", o.Code, ctype, c, told, references,
			s.cValues(o))
	case ctype == "double" || ctype == "float":
		return fmt.Sprintf("GET(%s, %s, \"%%.17g\", , %s, %d, %d, %s);", o.Code, ctype, c,
			values, told,
			references)
	}
	return fmt.Sprintf("GET(%s, %s, \"%%lld\", (long long), %s, %d, %d, %s);", o.Code, ctype, c,
		values,
		told, references)
}

// cText returns bytes as a C literal.
func cText(b []byte) string {
	var text strings.Builder
	text.WriteByte('"')
	for _, x := range b {
		if x < ' ' || x > '~' || x == '"' || x == '\\' || x == '?' {
			fmt.Fprintf(&text, "\\%03o", x)
		} else {
			text.WriteByte(x)
		}
	}
	return text.String() + `"`
}

// blobStatement returns a call that sets FMI 3.0 texts or binaries.
func (s *subject) blobStatement(o *probe.Op, c, references string, texts bool,
	a *pieces,
) string {
	var list, sizes []string
	rest := o.Data
	for range o.Values {
		content, ok := payload(rest)
		if !ok {
			break
		}
		rest = rest[min(len(rest), 8+(len(content)+8)/8*8):]
		size, literal := a.text(content)
		list, sizes = append(list, literal), append(sizes, strconv.Itoa(size))
	}
	if texts {
		return fmt.Sprintf("TEXTS(%s, %s, %d, L(%s), %s);", o.Code, c, len(list), references,
			strings.Join(list, ", "))
	}
	return fmt.Sprintf("BINARIES(%s, %s, %d, L(%s), ", o.Code, c, len(list), references) +
		fmt.Sprintf("L(%s), %s);", strings.Join(sizes, ", "), strings.Join(list, ", "))
}

// twinStatement returns steps in two threads or in one thread.
func (s *subject) twinStatement(o *probe.Op) string {
	text := fmt.Sprintf("from = %s, length = %s, steps = %d;\n", cNumber(o.X[0]), cNumber(o.X[1]),
		o.Values)
	if o.State == o.Slot {
		return text + fmt.Sprintf("walk(c[%d]);", o.Slot)
	}
	return text + fmt.Sprintf("{\n\tpthread_t other;\n\tpthread_create(&other, NULL, walk, "+
		"c[%d]);\n\twalk(c[%d]);\n\tpthread_join(other, NULL);\n}", o.State, o.Slot)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// callStatement returns a call without value references.
func (s *subject) callStatement(o *probe.Op, c string, a *pieces) string {
	flag := func(f probe.Flag) int { return boolInt(o.Flags&f != 0) }
	state := fmt.Sprintf("s[%d]", o.State)
	switch name := o.Code[4:]; name {
	case "GetVersion", "GetTypesPlatform":
		return fmt.Sprintf("printf(\"%s %%s\\n\", FUNCTION(%s, const char *, void)());", o.Code,
			o.Code)
	case "Instantiate":
		return s.birthSettings(o) + fmt.Sprintf("INSTANTIATE(%s, %s, %d, %s, %d, %d);", c,
			cText([]byte(text(o.Data))), o.Values, cText([]byte(text(o.Data2))),
			flag(probe.Visible), flag(probe.LoggingOn))
	case "InstantiateCoSimulation":
		return s.birthSettings(o) + fmt.Sprintf("INSTANTIATE(%s, %s, %s, %d, %d, %d, %d);", c,
			cText([]byte(text(o.Data))), cText([]byte(text(o.Data2))), flag(probe.Visible),
			flag(probe.LoggingOn), flag(probe.EventMode), flag(probe.EarlyReturn))
	case "InstantiateModelExchange", "InstantiateScheduledExecution":
		return s.otherBirth(o, c)
	case "FreeInstance":
		return fmt.Sprintf("FUNCTION(%s, void, void *)(%s), SAY(\"%s\\n\");", o.Code, c, o.Code)
	case "SetupExperiment":
		return fmt.Sprintf("CALL(fmi2SetupExperiment, (void *, int, double e, double t, int, "+
			"double stop), %s, %d, "+
			"%s, %s, %d, %s);", c, flag(probe.HasTolerance), cNumber(o.X[2]), cNumber(o.X[0]),
			flag(probe.HasStop), cNumber(o.X[1]))
	case "DoStep":
		return s.stepStatement(o, c)
	case "GetFMUstate", "FreeFMUstate", "GetFMUState", "FreeFMUState":
		return fmt.Sprintf("CALL(%s, (void *, void **), %s, &%s);", o.Code, c, state)
	case "SetFMUstate", "SetFMUState":
		return fmt.Sprintf("CALL(%s, (void *, void *), %s, %s);", o.Code, c, state)
	case "SerializedFMUstateSize", "SerializedFMUStateSize", "SerializeFMUstate",
		"SerializeFMUState", "DeSerializeFMUstate", "DeserializeFMUState":
		return s.serialStatement(o, c, a)
	case "SetDebugLogging":
		return loggingStatement(o, c)
	case "GetStatus", "GetRealStatus", "GetIntegerStatus", "GetBooleanStatus", "GetStringStatus":
		return fmt.Sprintf("{\n\tdouble value; // or what it is\n\tCALL(%s, (void *, int, "+
			"void *), %s, %d, &value);\n}", o.Code, c, o.Count)
	case "UpdateDiscreteStates":
		return fmt.Sprintf("UPDATE(%s);", c)
	}
	if o.Code == "fmi3EnterInitializationMode" {
		return fmt.Sprintf("CALL(%s, (void *, bool, double e, double t, bool, double stop), "+
			"%s, %d, %s, %s, %d, %s);",
			o.Code, c, flag(probe.HasTolerance), cNumber(o.X[2]), cNumber(o.X[0]),
			flag(probe.HasStop), cNumber(o.X[1]))
	}
	return fmt.Sprintf("CALL(%s, (void *), %s);", o.Code, c)
}

func (s *subject) stepStatement(o *probe.Op, c string) string {
	t, h := varying(cNumber(o.X[0])), varying(cNumber(o.X[1]))
	if o.Flags&probe.Clocked != 0 {
		t = fmt.Sprintf("%s + %s * %s", cNumber(o.X[0]), round, cNumber(o.X[1]))
	}
	forgets := boolInt(o.Flags&probe.KeepState == 0)
	if s.major == 2 {
		return fmt.Sprintf("CALL(fmi2DoStep, (void *, double t, double h, int), %s, %s, %s, %d);",
			c, t, h, forgets)
	}
	return fmt.Sprintf("STEP(%s, %s, %s, %d);", c, t, h, forgets)
}
