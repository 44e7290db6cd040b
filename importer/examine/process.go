package examine

import (
	"debug/elf"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// processTrials returns the trials of the traces that an FMU leaves in a process.
func processTrials() []trial {
	return []trial{
		{rules: []string{"Q1", "Q2", "Q3", "Q4"}, make: manyLives, lacks: manyInstances},
		{rules: []string{"Q1"}, make: failures, lacks: manyInstances},
	}
}

// measures returns the lines of a measurement.
func measures(r *run, at int) map[string]string {
	list := map[string]string{}
	for line := range strings.Lines(string(r.Records[at].Out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		list[name] = value
	}
	return list
}

func count(m map[string]string, name string) int {
	n, err := strconv.Atoi(m[name])
	if err != nil {
		return 0
	}
	return n
}

const emptyRegisters, keepsRegisters = "no register in use after a call", " leaves registers of " +
	"the x87 in use, like code for MMX without emms: long double of the host becomes NaN"

const signalStack = "signal stack of the thread"

// settings compares the process before a life with the process at its last communication point and
// after its end, and judges floating-point settings.
func (a *attempt) settings(r *run, before, during, after int) {
	changed := slices.IndexFunc(r.Records, func(rec probe.Record) bool {
		return rec.Flags&(probe.FloatsChanged|probe.RegistersUsed) != 0
	})
	switch {
	case changed >= 0 && r.Records[changed].Flags&probe.RegistersUsed != 0:
		a.refuted("Q7", r, changed, emptyRegisters, "%s%s", r.play.ops[changed].Code,
			keepsRegisters)
	case changed < 0:
		a.proved("Q7")
	case r.play.ops[changed].Code == probe.Load:
		a.refuted("Q7", r, changed, "rounding and denormal numbers as before",
			"loading the library changes the floating-point settings of the host; it is linked "+
				"with -ffast-math or the like").as(finding.Warning)
	default:
		a.refuted("Q7", r, changed, "rounding and denormal numbers as before",
			"%s changes the floating-point settings of the host", r.play.ops[changed].Code)
	}
	whenOf := map[int]string{during: "in a life", after: "after a life"}
	for _, at := range []int{after, during} { // what stays is worse
		if r.Records[at].Runs > 0 && a.changedBetween(r, before, at, whenOf[at]) {
			return
		}
	}
	for _, at := range []int{after, during} {
		if r.Records[at].Runs > 0 && a.handlersOf(r, before, at, whenOf[at]) {
			return
		}
	}
	if r.Records[after].Runs > 0 {
		a.proved("Q6")
	}
}

// strict lists settings that no library may change.
var strict = []string{"folder", "locale", "umask", "environment"}

// discouraged lists settings whose change is a warning.
var discouraged = []string{"flags of standard descriptor 0", "flags of standard descriptor 1",
	"flags of standard descriptor 2", "signal mask", "alarm timer", "timer of the process",
	"profiling timer", "position in the standard input", "scheduling policy", "priority",
	"I/O priority", "processors", "rank when memory runs out", "process group", "session",
	"name of the thread", "locale of the thread", "signal at the death of the parent",
	"ban of huge pages", "cancelability of the thread",
	"adoption of orphans", "permission to dump", "ban of new privileges", "timer slack",
	"execution domain", "keeping of capabilities", signalStack}

// changedBetween reports whether there is an outcome for Q6 because two measurements differ, apart
// from signal handlers.
func (a *attempt) changedBetween(r *run, before, after int, when string) bool {
	old, now := measures(r, before), measures(r, after)
	differ := func(name string) bool { return old[name] != now[name] }
	names := slices.Sorted(maps.Keys(now))
	with := func(prefix string) int {
		return slices.IndexFunc(names, func(name string) bool {
			return strings.HasPrefix(name, prefix) && differ(name)
		})
	}
	if k := slices.IndexFunc(strict, differ); k >= 0 {
		a.refuted("Q6", r, after-1, strict[k]+" "+old[strict[k]],
			"the %s of the process is %s %s", strict[k], now[strict[k]], when)
		return true
	}
	if k := with("limit"); k >= 0 {
		a.refuted("Q6", r, after-1, names[k]+" "+old[names[k]], "the %s of the process is %s %s",
			names[k], now[names[k]], when).as(finding.Warning)
		return true
	}
	for _, prefix := range []string{"standard descriptor", "descriptor of a file"} {
		if k := with(prefix); k >= 0 {
			a.refuted("Q6", r, after-1, "the file of the host",
				"the %s is closed, or another file, %s", names[k], when)
			return true
		}
	}
	k := slices.IndexFunc(discouraged, func(name string) bool {
		// language runtimes keep a signal stack of their own for each thread that calls them
		return differ(name) && (name != signalStack || !a.s.hasRuntime())
	})
	if k >= 0 {
		name := discouraged[k]
		a.refuted("Q6", r, after-1, name+" "+old[name], "the %s of the process is %s %s", name,
			now[name], when).as(finding.Warning)
		return true
	}
	return false
}

// handlersOf judges signal handlers. Language runtimes install their own and forward other signals.
func (a *attempt) handlersOf(r *run, before, after int, when string) bool {
	old, now := measures(r, before), measures(r, after)
	var list []string
	for k := range 65 { // with those for applications
		name := "signal " + strconv.Itoa(k)
		if old[name] != now[name] {
			list = append(list, strconv.Itoa(k))
		}
	}
	if len(list) == 0 {
		return false
	}
	if a.s.hasRuntime() {
		a.remark("Q6", "the runtime of its language has installed signal handlers: "+listed(list))
		return true
	}
	a.refuted("Q6", r, after-1, "the handlers of the host",
		"the handlers of signals %s are others %s", listed(list), when).as(finding.Warning)
	return true
}

// hasRuntime reports whether a library of the FMU brings a runtime with its own signal handlers:
// Go's runtime, or a virtual machine for Java or .NET.
func (s *subject) hasRuntime() bool {
	entries, err := os.ReadDir(filepath.Dir(s.library))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		f, err := elf.Open(filepath.Join(filepath.Dir(s.library), e.Name()))
		if err != nil {
			return false
		}
		defer func() { _ = f.Close() }() // opened for reading only
		needs, _ := f.ImportedLibraries()
		return f.Section(".note.go.buildid") != nil || f.Section(".gopclntab") != nil ||
			slices.ContainsFunc(needs, func(name string) bool {
				return strings.HasPrefix(name, "libjvm") || strings.HasPrefix(name, "libcoreclr")
			})
	})
}
