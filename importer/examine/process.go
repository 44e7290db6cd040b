package examine

import (
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// processTrials returns the trials of what an FMU leaves behind.
func processTrials() []trial {
	return []trial{
		{rules: []string{"Q1", "Q2", "Q3", "Q4"}, make: manyLives, lacks: manyInstances},
		{rules: []string{"Q1"}, make: failures, lacks: manyInstances},
	}
}

// leak is how many bytes of memory a life may keep: less than the smallest block of malloc.
const leak = 24

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

// settings compares the process before and after a life, and judges floating-point settings.
func (a *attempt) settings(r *run, before, after int) {
	changed := slices.IndexFunc(r.Records, func(rec probe.Record) bool {
		return rec.Flags&probe.FloatsChanged != 0
	})
	switch {
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
	if r.Records[after].Runs == 0 {
		return
	}
	old, now := measures(r, before), measures(r, after)
	for _, name := range []string{"folder", "locale", "umask", "environment"} {
		if old[name] != now[name] {
			a.refuted("Q6", r, after-1, name+" "+old[name],
				"the %s of the process is %s after a life",
				name, now[name])
			return
		}
	}
	for name := range now {
		if strings.HasPrefix(name, "limit") && old[name] != now[name] {
			a.refuted("Q6", r, after-1, old[name], "resource %s of the process is %s after a life",
				name, now[name]).as(finding.Warning)
			return
		}
	}
	for name := range now {
		if strings.HasPrefix(name, "standard descriptor") && old[name] != now[name] {
			a.refuted("Q6", r, after-1, "the file of the host", "%s is closed, or another file, "+
				"after a life", name)
			return
		}
	}
	for _, name := range []string{"flags of standard descriptor 0",
		"flags of standard descriptor 1", "flags of standard descriptor 2", "signal mask",
		"alarm timer", "priority", "processors", "process group", "session"} {
		if old[name] != now[name] {
			a.refuted("Q6", r, after-1, name+" "+old[name], "the %s of the process is %s after a "+
				"life", name, now[name]).as(finding.Warning)
			return
		}
	}
	if a.handlersOf(r, after, old, now) {
		return
	}
	a.proved("Q6")
}

// handlersOf judges signal handlers. Language runtimes install their own and pass on signals that
// are not for them.
func (a *attempt) handlersOf(r *run, after int, old, now map[string]string) bool {
	var list []string
	for k := range 32 {
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
		"the handlers of signals %s are others after a life", listed(list)).as(finding.Warning)
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

// leftFiles judges the files that have appeared in the working directory.
func (a *attempt) leftFiles(r *run) {
	if len(r.files) > 0 {
		a.refuted("Q5", r, r.Last, "an empty folder", "the working directory has new files: %s",
			listed(r.files))
		return
	}
	if name := a.s.altered(); name != "" {
		a.refuted("Q5", r, r.Last, "the files of the archive",
			"a file of the FMU differs from the packed one: %s", name)
		return
	}
	if name := a.s.strange(); name != "" {
		a.refuted("Q5", r, r.Last, "the files of the archive",
			"the folder of the FMU has a new file: %s",
			name)
		return
	}
	if text := strings.TrimSpace(r.Printed); text != "" && !r.Crashed() {
		a.refuted("Q5", r, r.Last, "messages by the logger only",
			"the FMU prints to standard output or error: %s", cut(text)).as(finding.Note)
		return
	}
	a.proved("Q5")
}

// altered returns a file of the archive whose size or time has changed since it was unpacked.
func (s *subject) altered() string {
	for _, name := range s.fmu.Files() {
		at := filepath.Join(s.folder, filepath.FromSlash(name))
		info, err := os.Stat(at)
		was, known := s.unpacked[name]
		if known && (err != nil || info.Size() != was.Size() ||
			!info.ModTime().Equal(was.ModTime())) {
			return name
		}
	}
	return ""
}

// strange returns a file in the folder of the FMU that was not in its archive.
func (s *subject) strange() (name string) {
	known := map[string]bool{}
	for _, f := range s.fmu.Files() {
		known[filepath.FromSlash(f)] = true
	}
	_ = filepath.WalkDir(s.folder, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil //nolint:nilerr // unreadable files are not judged
		}
		if local, err := filepath.Rel(s.folder, path); err == nil && !known[local] {
			name = local
		}
		return nil
	})
	return name
}

// manyLives repeats lives and checks whether the resources of the process grow with each of them.
func manyLives(a *attempt) {
	if !a.livesLeave(true) {
		a.livesLeave(false)
	}
}

// lives repeats a life n times, or as often as possible within a time in seconds. It returns the
// operation that ends the loop. state is a serialized state of the FMU, if there is one.
func (p *play) lives(n int, seconds float64, reset bool, state []byte) (next int) {
	s := p.s
	p.add(probe.Op{Code: probe.Loop, Count: n, X: [4]float64{seconds}})
	p.instantiate(0, 0)
	p.initialize(0, s.usual())
	p.step(0, s.start, s.step)
	if s.canSave() {
		for range 8 {
			p.stateCall("Get", 0) // into the same handle
		}
		p.stateCall("Set", 0)
		if s.canSerialize() {
			k := len(p.ops)
			p.stateCall("Size", 0)
			p.stateCall("Serialize", 0)
			if len(state) > 0 {
				p.ops[p.stateCall("Deserialize", 1)].Data = state
				p.stateCall("Free", 1)
			}
			p.mayFrom(k) // which is for R10
		}
		p.stateCall("Free", 0)
	}
	p.add(probe.Op{Code: s.function("SetDebugLogging")})
	p.may()
	p.drive(0, 2)
	if reset {
		p.call(0, "Reset")
		b := s.usual()
		b.afterEnter = func() { p.setTexts() }
		p.initialize(0, b)
		p.step(0, s.start, s.step)
	}
	p.end(0)
	return p.add(probe.Op{Code: probe.Next})
}

// serializedState returns the bytes of a state; nil if the FMU does not serialize states.
func (a *attempt) serializedState() []byte {
	if !a.s.canSerialize() {
		return nil
	}
	p := a.s.newPlay()
	p.live(life{begin: a.s.usual(), n: 1})
	p.stateCall("Get", 0)
	out := p.stateCall("Serialize", 0)
	p.end(0)
	r := a.play(p)
	if r.Crashed() || r.Stopped >= 0 {
		return nil // for R10
	}
	return r.Records[out].Out
}

// livesLeave does so with lives that are reset in between, or not; it returns false if the FMU
// cannot be reset.
func (a *attempt) livesLeave(reset bool) bool {
	s, p := a.s, a.s.newPlay()
	const warm, usual, parts = 20, 180, 3
	rounds, seconds := max(1, a.x.o.Lives/parts), 0.0
	if a.x.o.Lives == 0 || a.x.o.Lives == usual {
		rounds, seconds = usual/parts, 1 // as many as possible
	}
	var at, loops []int
	state := a.serializedState()
	p.lives(warm, 2, reset, state)
	at = append(at, p.measure())
	for range parts {
		loops = append(loops, p.lives(rounds, seconds, reset, state))
		p.add(probe.Op{Code: probe.Sleep, X: [4]float64{0.02}})
		at = append(at, p.measure())
	}
	r := a.play(p)
	switch {
	case reset && (r.Crashed() || r.Stopped >= 0):
		return false
	case r.Crashed() && r.Last >= 0 &&
		strings.Contains(strings.ToLower(p.ops[r.Last].Code), "fmustate"):
		a.untested("Q1", "%s, which is for R8", r.end())
		return true
	case !a.fine("Q1", r):
		return true
	}
	var list []map[string]string
	var n []int
	for k := range at {
		list = append(list, measures(r, at[k]))
		if k > 0 {
			n = append(n, max(1, r.Records[loops[k-1]].Runs))
		}
	}
	if a.growth("Q1", r, at, list, n, "heap", leak, "bytes of memory") && !s.hasRuntime() {
		// memory not from malloc; counted in whole pages, which fragments occupy, too
		a.growth("Q1", r, at, list, n, "resident", 16<<10, "bytes of memory")
	}
	a.growth("Q2", r, at, list, n, "descriptors", 0.2, "descriptors")
	a.growth("Q3", r, at, list, n, "threads", 0.2, "threads")
	a.growth("Q4", r, at, list, n, "children", 0.2, "child processes")
	if r.Children > 0 {
		a.refuted("Q4", r, r.Last, "none", "processes that the FMU has started live on after "+
			"its end")
	}
	return true
}

// failures repeats instantiations that are refused and calls that return Error, and checks whether
// memory is leaked.
func failures(a *attempt) {
	s, p := a.s, a.s.newPlay()
	const warm, rounds, parts = 20, 60, 3
	lives := func(n int) (next int) {
		p.add(probe.Op{Code: probe.Loop, Count: n, X: [4]float64{1}})
		o := s.birth(1)
		o.Data2 = zero(differing(s.model.InstantiationToken))
		p.wrongly(o)
		p.instantiate(0, 0)
		p.initialize(0, s.usual())
		p.wrongly(s.unknownGet())
		p.states[0] = fmi.Erroneous
		p.call(0, "FreeInstance")
		return p.add(probe.Op{Code: probe.Next})
	}
	lives(warm)
	at := []int{p.measure()}
	var n []int
	var loops []int
	for range parts {
		loops = append(loops, lives(rounds))
		at = append(at, p.measure())
	}
	r := a.play(p)
	refused := r.Records[slices.IndexFunc(p.ops, func(o probe.Op) bool { return o.Slot == 1 })]
	if r.Crashed() || r.Stopped >= 0 || refused.Status != probe.StatusNull {
		return // which is for I4, I5 and I7
	}
	var list []map[string]string
	for k := range at {
		list = append(list, measures(r, at[k]))
		if k > 0 {
			n = append(n, max(1, r.Records[loops[k-1]].Runs))
		}
	}
	if !a.growth("Q1", r, at, list, n, "heap", leak, "bytes of memory") {
		o := &a.outcomes[len(a.outcomes)-1]
		o.found += " in which an instantiation is refused and a call answers Error"
	}
}

// growth refutes a rule if a measured value grows by more than slack per life in each of the three
// parts.
func (a *attempt) growth(rule string, r *run, at []int, list []map[string]string, n []int,
	name string, slack float64, what string,
) bool {
	least := 0.0
	for k := range n {
		each := float64(count(list[k+1], name)-count(list[k], name)) / float64(n[k])
		if k == 0 || each < least {
			least = each
		}
	}
	if least > slack {
		amount := fmt.Sprintf("%.4g", least)
		if least >= 1e4 {
			amount = fmt.Sprintf("%.0f", least)
		}
		a.refuted(rule, r, at[len(at)-1], "none", "each life keeps %s %s, in %d lives", amount,
			what, n[0]+n[1]+n[2])
		return false
	}
	a.proved(rule)
	return true
}

// copyLibrary copies the library into a folder of its own next to the FMU's other libraries, under
// another name.
func (s *subject) copyLibrary(x *exam) (string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	folder := filepath.Join(x.scratch, "other")
	name := filepath.Join(folder, "other"+filepath.Base(s.library))
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(filepath.Dir(s.library))
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		to := filepath.Join(folder, e.Name())
		if e.Name() == filepath.Base(s.library) {
			to = name
		}
		if e.Type().IsRegular() {
			if err := copyFile(to, filepath.Join(filepath.Dir(s.library), e.Name())); err != nil {
				return "", err
			}
		}
	}
	return name, nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // opened for reading only
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err != nil {
		_ = out.Close() // the copy has failed
		return err
	}
	return out.Close()
}

// oddFolder returns a folder whose name has blanks, an umlaut and characters that must be escaped
// in a URI, in which the resources of the FMU appear.
func (s *subject) oddFolder(x *exam) (string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return linked(s.folder, filepath.Join(x.scratch, "ödd folder %20 #1"))
}

// linked makes a folder appear under another name, and returns that name.
func linked(folder, name string) (string, error) {
	if _, err := os.Lstat(name); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	return name, os.Symlink(folder, name)
}
