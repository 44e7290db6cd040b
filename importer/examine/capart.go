package examine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/importer/worker/probe"
)

// pieces collects what a program contains in front of its calls: the ones that are made in other
// threads, as functions, and long contents of messages, texts and states, as tables.
type pieces struct {
	templates []string // of the statements, without the numbers that may vary
	functions []string
	tables    []string // the numbers
	lacks     []string // differences to the calls of the examination
	library   int      // whose functions are called: 1 for the copy
}

// elsewhere returns a statement that makes another one in a new thread.
func (a *pieces) elsewhere(statement string) string {
	template := marked.ReplaceAllString(statement, "\x00")
	n := slices.Index(a.templates, template)
	if n < 0 {
		n = len(a.templates)
		a.templates = append(a.templates, template)
		k := -1
		body := marked.ReplaceAllStringFunc(statement, func(string) string {
			k++
			return fmt.Sprintf("number[%d]", k)
		})
		a.functions = append(a.functions, fmt.Sprintf("static void *apart%d(void *p)\n{\n%s\t"+
			"return p;\n}\n", n+1, indented([]string{body})))
	}
	call := ""
	for k, number := range marked.FindAllString(statement, -1) {
		call += fmt.Sprintf("number[%d] = %s, ", k, number)
	}
	return call + fmt.Sprintf("elsewhere(apart%d, 0);", n+1)
}

// source returns the tables, and the functions with the declarations on which they depend.
func (a *pieces) source() (text string) {
	for k, table := range a.tables {
		text += fmt.Sprintf("\nstatic const int data%d[] = {\n%s};", k+1, table)
	}
	if len(a.functions) == 0 {
		return text
	}
	return text + threads + "static double number[8] MAYBE;\n" + strings.Join(a.functions, "")
}

// threads makes calls in a thread of their own.
const threads = `
static void elsewhere(void *calls(void *), size_t stack)
{
	pthread_t thread;
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	if (stack > 0) pthread_attr_setstacksize(&attributes, stack);
	pthread_create(&thread, &attributes, calls, NULL);
	pthread_join(thread, NULL);
}
`

// surroundings returns statements that change the environment variables as the options of a run do.
func surroundings(o probe.Options) (list []string) {
	for _, name := range o.Unset {
		list = append(list, fmt.Sprintf("unsetenv(%s);", cText([]byte(name))))
	}
	return list
}

// locationFormat returns how the location of the resources is written in C.
func (s *subject) locationFormat() string {
	if s.major == 3 {
		return "%s/resources/"
	}
	return "file://%s/resources"
}

// birthSettings returns statements before an instantiation that give the FMU less than usual, or
// take back what it was given.
func (s *subject) birthSettings(o *probe.Op) (text string) {
	for _, c := range []struct {
		flag probe.Flag
		text map[int]string
	}{
		{probe.TracedMemory, map[int]string{
			2: "callbacks.allocate = allocate, callbacks.release = release;\n"}},
		{probe.NoMemory, map[int]string{
			2: "callbacks.allocate = callbacks.release = callbacks.finished = NULL;\n"}},
		{probe.NoEnvironment, map[int]string{2: "callbacks.environment = NULL;\n",
			3: "environment = NULL;\n"}},
		{probe.NoLogger, map[int]string{2: "callbacks.log = NULL;\n", 3: "logger = NULL;\n"}},
		{probe.Forget, map[int]string{2: "forget = true;\n", 3: "forget = true;\n"}},
	} {
		if o.Flags&c.flag != 0 {
			text += c.text[s.major]
		}
	}
	switch {
	case s.resources == "":
	case o.Data3 == nil:
		text += "resources = NULL;\n"
	default:
		text += s.locationStatement(o.Data3)
	}
	return text
}

// otherBirth returns an instantiation for another interface than co-simulation.
func (s *subject) otherBirth(o *probe.Op, c string) string {
	return s.birthSettings(o) + fmt.Sprintf("%s(%s, %s, %s, %d, %d);",
		map[bool]string{true: "MODEL_EXCHANGE", false: "SCHEDULED"}[strings.HasSuffix(o.Code,
			"ModelExchange")], c, cText([]byte(text(o.Data))), cText([]byte(text(o.Data2))),
		boolInt(o.Flags&probe.Visible != 0), boolInt(o.Flags&probe.LoggingOn != 0))
}

// locationStatement returns the statement before an instantiation with resources in a folder with
// another name; empty for the usual one.
func (s *subject) locationStatement(location []byte) string {
	at := func(base, name string) string {
		if s.major == 2 {
			return s.fmu.Resources(filepath.Join(base, name))
		}
		return filepath.Join(base, name, "resources") + string(filepath.Separator)
	}
	if s.major == 2 && text(location) == briefLocation(s.resources) {
		return "snprintf(brief, sizeof brief, \"file:%s\", usual + 7), resources = brief;\n"
	}
	const base = "/BASE"
	for _, name := range []string{oddName, longName} {
		if text(location) == at(filepath.Dir(s.folder), name) {
			format := strings.ReplaceAll(at(base, name), "%", "%%")
			return fmt.Sprintf("resources = linked(%s, %s);\n", cText([]byte(name)),
				cText([]byte(strings.Replace(format, base, "%s", 1))))
		}
	}
	return ""
}
