package examine

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// hostTrials returns the trials of unusual hosts: their callbacks, names, paths and environment,
// many instances, and threads that step simultaneously.
func hostTrials() []trial {
	return []trial{
		{rules: []string{"Q12"}, make: memoryFunctions},
		{rules: []string{"I10"}, make: longTexts},
		{rules: []string{"I11"}, make: bareEnvironment},
		{rules: []string{"G6"}, make: noEnvironment},
		{rules: []string{"R4"}, make: crowd, lacks: manyInstances},
		{rules: []string{"R23"}, make: twins, lacks: func(x *exam) string {
			switch {
			case manyInstances(x) != "":
				return manyInstances(x)
			case x.s.events:
				return "Event Mode is used"
			}
			return ""
		}},
		{rules: []string{"C7"}, make: slopes, lacks: unless(func(s *subject) bool {
			return s.interpolates() || s.extrapolates()
		}, "neither derivatives of inputs nor of outputs are declared")},
	}
}

// memoryFunctions checks whether the memory functions of the host are used as declared: either not
// at all, or for matching allocations and releases. A finished step may be reported once. FMI
// 2.0.5, 2.1.5 requires this if the host provides a function for it, although hardly any FMU does
// so.
func memoryFunctions(a *attempt) {
	s := a.s
	declared := s.slave.Capabilities.Has("canNotUseMemoryManagementFunctions")
	flags := probe.TracedMemory
	if declared {
		flags = probe.NoMemory
	}
	p := s.newPlay()
	before := p.measure()
	steps := min(2, a.x.n)
	p.live(life{flags: flags | probe.LoggingOn, begin: s.usual(), n: steps, end: true})
	after := p.measure()
	r := a.play(p)
	if r.Crashed() {
		o := a.refuted("Q12", r, r.Last, "functions of its own, as declared",
			"%s, when memory functions and stepFinished are NULL", r.end())
		if !declared {
			o.expected = "blocks of allocateMemory, and no others, in freeMemory"
			o.found = r.end() + ", when memory comes from the host"
		}
		return
	}
	if !a.fine("Q12", r) {
		o := &a.outcomes[len(a.outcomes)-1]
		o.severity, o.cause = finding.Warning, "" // the FMU refuses this with a message
		o.found += ", when memory functions and stepFinished are NULL"
		return
	}
	if r.Records[after].Runs == 0 {
		return
	}
	old, now := measures(r, before), measures(r, after)
	more := func(name string) int { return count(now, name) - count(old, name) }
	switch {
	case more("foreign") > 0:
		a.refuted("Q12", r, after-1, "blocks that the host has allocated",
			"%d blocks passed to freeMemory are not from allocateMemory", more("foreign"))
	case more("blocks") > 0:
		a.refuted("Q12", r, after-1, "that all blocks are freed",
			"%d blocks from allocateMemory are not freed", more("blocks")).as(finding.Warning)
	case more("oddly finished") > 0:
		a.refuted("Q12", r, after-1, "the environment of the host and the status of the step",
			"stepFinished is called with other arguments")
	case more("finished") > steps:
		a.refuted("Q12", r, after-1, "at most one call per step",
			"stepFinished is called %d times in %d steps", more("finished"), steps)
	default:
		a.proved("Q12")
	}
}

// formatName is a name that must not be passed as the format to a printf-like function. The output
// of such a function begins like the name, but the missing arguments may have any length.
const formatName = formatBegin + formatRest

const formatBegin, formatRest = "r7: 50 ", "%s%s%s%s%s%s%s%s%s%s #r7# é"

// formatted returns a message in which the name was used as a format; nil if there is none.
func formatted(r *run) *probe.Message {
	for k := range r.Messages {
		if isFormatted(r.Messages[k].Text) {
			return &r.Messages[k]
		}
	}
	return nil
}

// isFormatted reports whether the name was used as a format in a message.
func isFormatted(text string) bool {
	_, rest, is := strings.Cut(text, formatBegin)
	return is && !strings.HasPrefix(rest, formatRest)
}

// longTexts passes long names and paths, names with characters that are special in formats and
// URIs, and long texts for parameters. The FMU may refuse them, but they must do no harm.
func longTexts(a *attempt) {
	s := a.s
	const long = 3000
	path, err := s.longFolder(a.x)
	if err != nil {
		a.untested("I10", "a long path cannot be made: %v", err)
		return
	}
	for _, c := range []struct {
		what   string
		change func(o *probe.Op)
	}{
		{"a name of 3 000 characters", func(o *probe.Op) {
			o.Data = zero(strings.Repeat("x", long))
		}},
		{"a name with format specifiers", func(o *probe.Op) {
			o.Data = zero(formatName)
		}},
		{"a path of " + short(float64(len(path))) + " characters", func(o *probe.Op) {
			if s.resources != "" {
				o.Data3 = zero(s.fmu.Resources(path))
			}
		}},
	} {
		p := s.newPlay()
		o := s.birth(0)
		o.Flags |= probe.LoggingOn
		c.change(&o)
		p.add(o)
		p.may()
		p.initialize(0, s.usual())
		p.step(0, s.start, s.step)
		p.end(0)
		p.instantiate(1, 0) // to check the heap
		p.initialize(1, s.usual())
		p.call(1, "FreeInstance")
		r := a.play(p)
		if r.Crashed() && r.Records[1].Status != probe.StatusNull && !a.alsoUsually(p, r) {
			o := a.crash("I10", r)
			o.found += ", with " + c.what
			o.cause = ""
			return
		}
		if m := formatted(r); m != nil {
			a.refuted("I10", r, max(0, m.Op), "the name "+formatName+" as it is",
				"a name with format specifiers is used as a format: the message is %q", cut(m.Text))
			return
		}
	}
	if a.longValues(long) && a.oddValues() {
		a.proved("I10")
	}
}

// alsoUsually reports whether a script also ends in this way with the usual name and paths.
func (a *attempt) alsoUsually(p *play, r *run) bool {
	q := *p
	q.ops = slices.Clone(p.ops)
	usual := a.s.birth(0)
	q.ops[1].Data, q.ops[1].Data3 = usual.Data, usual.Data3
	again := a.play(&q)
	return again.Crashed() && again.end() == r.end()
}

// longValues sets text parameters to long texts.
func (a *attempt) longValues(long int) bool {
	s := a.s
	for _, v := range s.texts() {
		value, what := s.long(v, long)
		if value == nil {
			continue
		}
		p := s.newPlay()
		p.instantiate(0, 0)
		p.set(0, []*variable{v}, func(*variable) []byte { return value })
		p.may()
		p.initialize(0, s.usual())
		p.step(0, s.start, s.step)
		p.end(0)
		if r := a.play(p); r.Crashed() {
			o := a.crash("I10", r)
			o.found += ", with " + what + " in " + v.Name
			o.cause = ""
			return false
		}
	}
	return true
}

// long returns a long value for a text or a binary with its description; nil if there is none.
func (s *subject) long(v *variable, long int) (value []byte, what string) {
	switch {
	case v.n != 1:
	case v.Type == fmi.String:
		return s.encode(v, strings.Repeat("y", long)), "a text of 3 000 characters"
	case v.Type == fmi.Binary && v.MaxSize == "" && isBytes(v.MIMEType):
		return blob(make([]byte, 1<<20)), "a binary of 1 MiB"
	}
	return nil, ""
}

// longFolder returns a folder with a long path that contains the files of the FMU.
func (s *subject) longFolder(x *exam) (string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return linked(s.folder, filepath.Join(x.scratch, longName))
}

// bareEnvironment makes a life without the environment variables of a user session.
func bareEnvironment(a *attempt) {
	p := a.s.newPlay()
	const without = ", without HOME, USER, LANG and PATH"
	l := a.x.reference()
	l.n, l.end = min(2, a.x.n), true
	readings := p.live(l)
	r := a.playWith(p, probe.Options{Unset: []string{"HOME", "USER", "LOGNAME", "SHELL", "LANG",
		"LC_ALL", "PATH", "TMPDIR", "DISPLAY", "TERM", "PWD", "OLDPWD", "HOSTNAME"}})
	if r.Crashed() {
		o := a.crash("I11", r)
		o.found, o.cause = o.found+without, ""
		return
	}
	if !a.fine("I11", r) {
		return
	}
	if compared(a.x) == "" && !a.same("I11", r, readings) {
		o := &a.outcomes[len(a.outcomes)-1]
		o.found, o.expected = o.found+without, strings.TrimPrefix(o.expected, "the values of a "+
			"life alone, ")+" as usual"
		return
	}
	a.proved("I11")
}

// noEnvironment makes a life in which the environment of the callbacks is NULL, as with many
// importers. The FMU only passes it on.
func noEnvironment(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.live(life{flags: probe.NoEnvironment | probe.LoggingOn, begin: s.usual(), n: min(2, a.x.n),
		end: true})
	r := a.play(p)
	if !a.fine("G6", r) {
		a.outcomes[len(a.outcomes)-1].found += ", when the environment of the callbacks is NULL"
		return
	}
	a.sendersOf(r)
}

// crowd runs many instances simultaneously.
func crowd(a *attempt) {
	const many = 40
	s, p := a.s, a.s.newPlay()
	p.add(probe.Op{Code: probe.Loop, Count: many, X: [4]float64{2}})
	born := p.instantiate(7, 0) // the last instance is at hand
	p.add(probe.Op{Code: probe.Next})
	p.initialize(7, s.usual())
	p.step(7, s.start, s.step)
	p.end(7)
	r := a.play(p)
	switch {
	case r.Crashed():
		a.crash("R4", r)
	case r.Stopped == born:
		a.refuted("R4", r, born, "another instance", "after %d simultaneous instances, no "+
			"further instance can be created", max(0, r.Records[born].Runs-1)).as(finding.Warning)
	case a.fine("R4", r):
		a.proved("R4")
	}
}

// twins steps two instances simultaneously in two threads, and compares the result of one instance
// with its result for the same steps alone.
func twins(a *attempt) {
	s := a.s
	const seconds, parts = 1, 8 // after an error, many models recover over time
	n := min(5000, int(seconds/max(1e-9, a.x.stepTime().Seconds())))
	walk := func(parallel bool) *run {
		p := s.newPlay()
		for slot := range 2 {
			p.instantiate(slot, 0)
			b := s.usual()
			b.inputs = 1 + 8*slot
			b.noStop = b.noStop || s.steps(n, s.step) < n
			p.initialize(slot, b)
		}
		var readings []reading
		t := s.start
		for range parts {
			o := probe.Op{Code: probe.Twins, Values: n / parts, X: [4]float64{t, s.step}}
			if parallel {
				o.State = 1
			}
			p.add(o)
			for range n / parts {
				t += s.step
			}
			readings = append(readings, p.read(0, t))
		}
		p.call(0, "FreeInstance")
		p.call(1, "FreeInstance")
		return a.play(p, readings...)
	}
	alone := walk(false)
	if short := s.steps(n, s.step); alone.Crashed() || alone.Stopped >= 0 && short < n {
		n = short // the trial does not continue for long
		alone = walk(false)
	}
	if n < 2*parts || alone.Crashed() || alone.Stopped >= 0 {
		a.untested("R23", "the FMU does not complete many steps")
		return
	}
	both := walk(true)
	defer a.explained("R5", len(a.outcomes))
	if both.TimedOut {
		a.untested("R23", "steps become slower, or the machine is busy")
		return
	}
	if !a.fine("R23", both) {
		return
	}
	if d := s.compare(alone.Result, alone.readings, both.Result, both.readings, 0); d != nil {
		a.refuted("R23", both, d.op, d.left+", as alone", "%s is %s at %s s while another "+
			"instance steps in another thread", d.name, d.right, short(d.t))
		return
	}
	a.proved("R23")
}

// stepTime returns how long a step of the ordinary life takes: the median, because other load on
// the machine delays individual steps.
func (x *exam) stepTime() time.Duration {
	var took []time.Duration
	for k, o := range x.plain.play.ops {
		if strings.HasSuffix(o.Code, "DoStep") {
			took = append(took, x.plain.Records[k].Most)
		}
	}
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[len(took)/2]
}
