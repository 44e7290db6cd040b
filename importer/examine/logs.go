package examine

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// logTrials returns the trials of logged messages.
func logTrials() []trial {
	return []trial{
		{rules: []string{"G1", "G5"}, make: silent},
		{rules: []string{"G4"}, make: failuresSpeak},
		{rules: []string{"G7"}, make: debugLogging, lacks: func(x *exam) string {
			if x.s.slave == nil || len(x.plainMessages()) == 0 {
				return "there are no messages in a basic life cycle"
			}
			return ""
		}},
	}
}

// messagesOf judges the messages of a run: categories and texts.
func (a *attempt) messagesOf(r *run) {
	declared := a.s.categories()
	bad, malformed := -1, -1
	for k, m := range r.Messages {
		unknown := m.HasCategory && !slices.Contains(declared, m.Category) ||
			!m.HasCategory && len(declared) > 0
		if unknown && bad < 0 {
			bad = k
		}
		if malformed < 0 && !m.Cut &&
			(!utf8.ValidString(m.Text) || strings.HasSuffix(m.Text, "\n")) {
			malformed = k
		}
	}
	switch {
	case bad < 0:
		a.proved("G2")
	case len(declared) == 0:
		a.refuted("G2", r, max(0, r.Messages[bad].Op), "no category, or a declared one",
			"the message %q has the category %q; the model description declares none",
			cut(r.Messages[bad].Text), r.Messages[bad].Category).as(finding.Warning)
	default:
		found := "the message %q has the category %q, which is not declared"
		if !r.Messages[bad].HasCategory {
			found = "the message %q has NULL for its category%.0s"
		}
		a.refuted("G2", r, max(0, r.Messages[bad].Op), "one of "+listed(declared), found,
			cut(r.Messages[bad].Text), r.Messages[bad].Category)
	}
	a.sendersOf(r)
	if k := slices.IndexFunc(r.Messages, func(m probe.Message) bool {
		return a.s.major == 2 && hasLoneHash(m.Text)
	}); k >= 0 {
		a.refuted("G4", r, max(0, r.Messages[k].Op), "## for this character, which begins the "+
			"reference to a variable", "the message %q has a single #", cut(r.Messages[k].Text))
	}
	if malformed >= 0 {
		a.refuted("G4", r, max(0, r.Messages[malformed].Op), "UTF-8 without line end",
			"the message is %q", cut(r.Messages[malformed].Text))
	}
	a.warningsOf(r)
}

// warningsOf checks that each call that returns Warning logs a message, in a life with logging. The
// FMU decides which categories it then logs (FMI 2.0.5, 2.1.5), so before it is accused, logging is
// switched on for all of them.
func (a *attempt) warningsOf(r *run) {
	k := r.silentWarning()
	if k >= 0 && len(a.s.categories()) > 0 {
		p := a.s.newPlay()
		p.live(life{flags: probe.LoggingOn, aloud: true, begin: a.s.usual(), n: a.x.n, end: true})
		r = a.play(p)
		k = r.silentWarning()
	}
	if k >= 0 {
		a.refuted("G4", r, k, "a message with the status", "%s%s", r.describe(k), unexplained)
	}
}

// silentWarning returns the first call that has returned Warning without a message, or -1.
func (r *run) silentWarning() int {
	if r.Lost > 0 {
		return -1
	}
	for k, o := range r.play.ops {
		rec := &r.Records[k]
		if rec.Runs > 0 && rec.Status == warning && strings.HasPrefix(o.Code, "fmi") &&
			!r.speaks(k) {
			return k
		}
	}
	return -1
}

// logAll returns a call that switches logging on for all categories.
func (p *play) logAll(slot int) probe.Op {
	return probe.Op{Code: p.s.function("SetDebugLogging"), Slot: slot, Flags: probe.LoggingOn}
}

const unexplained = ", without a message that explains the reason"

// sendersOf judges whether messages have the environment and the name passed by the host.
func (a *attempt) sendersOf(r *run) {
	stray := slices.IndexFunc(r.Messages, func(m probe.Message) bool {
		return m.Stray && !m.AfterFree
	})
	wrong := slices.IndexFunc(r.Messages, func(m probe.Message) bool {
		return m.WrongName && !m.AfterFree
	})
	switch {
	case stray >= 0:
		m := r.Messages[stray]
		a.refuted("G6", r, max(0, m.Op), "the pointer passed to the instantiation",
			"the message %q has a different environment of the instance", cut(m.Text))
	case wrong >= 0:
		m := r.Messages[wrong]
		a.refuted("G6", r, max(0, m.Op), "the name passed to the instantiation",
			"the message %q has a different name of the instance", cut(m.Text)).as(
			finding.Warning)
		a.explained("G3", len(a.outcomes)-1) // it may read the name that it was given
	default:
		a.proved("G6")
	}
}

var hashes = regexp.MustCompile(`##|#[ribsRIBS][0-9]+#`)

// hasLoneHash reports whether a message of FMI 2.0 has a # that is neither doubled nor part of a
// reference to a variable, such as #r12# (FMI 2.0.5, 2.1.5).
func hasLoneHash(text string) bool {
	return strings.Contains(hashes.ReplaceAllString(text, ""), "#")
}

func cut(text string) string {
	const most = 80
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// silent makes a life without logging and checks that there are no messages, even after the end.
func silent(a *attempt) {
	s, p := a.s, a.s.newPlay()
	// threads that are left may sleep before they log
	rest := probe.Op{Code: probe.Sleep, X: [4]float64{0.02, 0.1}}
	p.live(life{begin: s.usual(), n: a.x.n, end: true})
	p.add(rest)
	quiet := a.play(p)
	q := s.newPlay()
	q.live(life{flags: probe.LoggingOn, begin: s.usual(), n: a.x.n, end: true})
	q.add(rest)
	loud := a.play(q)
	if !a.fine("G1", quiet) || !a.fine("G1", loud) {
		return
	}
	k := slices.IndexFunc(quiet.Messages, func(m probe.Message) bool {
		return m.Status == 0 && !m.AfterFree
	})
	switch {
	case k >= 0:
		m := quiet.Messages[k]
		a.refuted("G1", quiet, max(0, m.Op), "no message with loggingOn = false",
			"the message %q has the status OK", cut(m.Text))
	case len(quiet.Messages) > 0:
		a.remark("G1", "warnings come nevertheless: "+cut(quiet.Messages[0].Text))
	default:
		a.proved("G1")
	}
	for _, r := range []*run{quiet, loud} {
		if k := slices.IndexFunc(r.Messages, func(m probe.Message) bool {
			return m.AfterFree
		}); k >= 0 {
			a.refuted("G5", r, r.Last, "no message after FreeInstance", "the message is %q",
				cut(r.Messages[k].Text))
			return
		}
	}
	a.proved("G5")
}

// failuresSpeak provokes an error with an unknown value reference and expects a message.
func failuresSpeak(a *attempt) {
	for _, aloud := range []bool{false, true} { // see warningsOf
		s, p := a.s, a.s.newPlay()
		p.instantiate(0, probe.LoggingOn)
		if aloud {
			p.add(p.logAll(0))
		}
		p.initialize(0, s.usual())
		k := p.wrongly(s.unknownGet())
		r := a.play(p)
		switch {
		case r.Crashed() || r.Stopped >= 0 || r.Records[k].Status < discard:
			return // covered by other rules
		case r.speaks(k):
			a.proved("G4")
			return
		case aloud || len(s.categories()) == 0:
			a.refuted("G4", r, k, "a message with the status", "%s%s", r.describe(k), unexplained)
			return
		}
	}
}

// plainMessages returns the messages with status OK of the ordinary life after its instantiation.
func (x *exam) plainMessages() (list []probe.Message) {
	if x.plain == nil {
		return nil
	}
	born := firstIndex(x.plain.play, "ExitInitializationMode")
	for _, m := range x.plain.Messages {
		if m.Status == 0 && m.Op > born {
			list = append(list, m)
		}
	}
	return list
}

const mostCategories = 8 // that are tried

// choice is one way to call SetDebugLogging.
type choice struct {
	on       bool
	category string
	late     bool // logging is initially off
}

// debugLogging switches logging off and on again and, if several categories are declared, on for
// each category to which the usual messages do not belong. If these messages appear with every such
// category, the FMU ignores categories. If they appear with only some, one category may include
// another.
func debugLogging(a *attempt) {
	s := a.s
	if !a.choosable() {
		return
	}
	used := map[string]bool{}
	for _, m := range a.x.plainMessages() {
		used[m.Category] = true
	}
	choices := []choice{{on: false}, {on: true}, {on: true, late: true}}
	for _, c := range s.model.LogCategories {
		if !used[c.Name] && c.Name != "logAll" && len(choices) < mostCategories {
			choices = append(choices, choice{true, c.Name, true}) // active categories may stay on
		}
	}
	silent, category, speaks := 0, "", false
	for _, c := range choices {
		r, set := a.chosen(c)
		if !a.fine("G7", r) {
			return
		}
		k := slices.IndexFunc(r.Messages, func(m probe.Message) bool {
			return m.Op > set && m.Status == 0
		})
		switch {
		case c.on && c.category == "" && !c.late:
			speaks = k >= 0
		case c.on && c.category == "" && k < 0 && speaks:
			a.refuted("G7", r, set, "the messages of an FMU that is instantiated with logging on",
				"%s(true) of an FMU that is instantiated with logging off has no effect",
				s.function("SetDebugLogging"))
			return
		case c.on && c.category == "":
		case k < 0:
			silent++
		case c.on:
			category = r.Messages[k].Category
		default:
			m := r.Messages[k]
			a.refuted("G7", r, m.Op, "no message", "the message %q is logged "+
				"after logging was switched off", cut(m.Text))
			return
		}
	}
	remark := ""
	if category != "" && silent <= 1 { // hosts filter messages; many FMUs rely on that
		remark = "with logging on for other categories only, messages of " + category +
			" come as well"
	}
	a.remark("G7", remark)
}

// choosable switches logging on in each state of a life.
func (a *attempt) choosable() bool {
	s, p := a.s, a.s.newPlay()
	on := func() { p.add(p.logAll(0)) }
	p.instantiate(0, 0)
	on()
	p.enter(0, s.usual())
	on()
	p.leave(0)
	on()
	p.step(0, s.start, s.step)
	p.call(0, "Terminate")
	on()
	p.call(0, "FreeInstance")
	return a.fine("G7", a.play(p))
}

// chosen makes a life with the given logging and returns the index of the call that selects it.
func (a *attempt) chosen(c choice) (r *run, set int) {
	s, p := a.s, a.s.newPlay()
	flags := probe.LoggingOn
	if c.late {
		flags = 0
	}
	p.instantiate(0, flags)
	p.initialize(0, s.usual())
	o := probe.Op{Code: s.function("SetDebugLogging")}
	if c.on {
		o.Flags |= probe.LoggingOn
	}
	if c.category != "" {
		o.Count, o.Data = 1, zero(c.category)
	}
	set = p.add(o)
	for k := range min(2, a.x.n) {
		p.step(0, s.sum(s.start, k), s.step)
	}
	p.end(0)
	return a.play(p), set
}
