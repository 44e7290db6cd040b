package examine

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
)

// connected judges the messages of a life in which inputs have messages.
func connected(a *attempt) {
	r := a.connectedLife(a.s.start, nothing, nothing)
	if !a.fine("OSMP-D5", r) {
		return
	}
	j := &judge{a: a, r: r, begin: a.s.start, h: a.s.step, unset: map[string]bool{}}
	for _, in := range a.s.messageInputs() { // a model may pass on fields that it has not received
		if m, err := decode(in.Message, example(in.Message, a.s.start, newest, 1)); err == nil {
			for _, f := range rules.Check(m.Interface()) {
				j.unset[f.ID] = strings.HasSuffix(f.ID, " is_set")
			}
		}
	}
	for _, out := range a.s.messageOutputs() {
		j.last, j.any, j.sensor = math.MinInt64, false, nil
		for k := range r.readings {
			if !j.message(out, &r.readings[k]) {
				return
			}
		}
		if !j.any {
			a.untested("OSMP-D5", "%s never has data", out.Name)
		}
	}
	a.stampsLate(j)
	for _, rule := range []string{"OSMP-D5", "OSMP-D6", "OSMP-A2", "OSMP-T1", "OSMP-O1"} {
		refuted := slices.ContainsFunc(a.outcomes, func(o outcome) bool {
			return o.rule == rule && o.outcome == Refuted
		})
		if !refuted && j.seen {
			a.remark(rule, j.remarks[rule])
		}
	}
}

// stampsLate judges the time stamps of a life that begins after eleven days, if the FMU accepts
// that, and of a life from the start. The time stamps of messages are earlier than the steps for
// which they are sent, and step sizes are not round numbers if they may have any length, so that an
// output reveals where its time comes from.
func (a *attempt) stampsLate(j *judge) {
	s := a.s
	h := s.step
	if s.variableStep {
		h /= 3
	}
	lives := []struct {
		start, h float64
		n        int
	}{{s.start, h, a.x.n}, {s.start + 1e6, h, a.x.n}, {s.start, s.step, a.untilTruncated()}}
	for _, l := range lives {
		j.late = l.h / 4
		j.r, j.begin, j.h = a.steppedLife(l.start, l.h, j.late, l.n, nothing, nothing), l.start, l.h
		if j.r.Crashed() || j.r.Stopped >= 0 {
			return // for S1
		}
		j.stamps()
	}
}

// untilTruncated returns after how many steps a time has a binary representation that is a little
// less than a whole number of nanoseconds: there, FMUs that truncate it are 1 ns early.
func (a *attempt) untilTruncated() int {
	const most, limit = 200, time.Second
	n := a.s.steps(most, a.s.step)
	for k := 1; k <= n && time.Duration(k)*a.x.stepTime() < limit; k++ {
		t := a.s.sum(a.s.start, k)
		if ns := t * 1e9; isWhole(t) && math.Trunc(ns) != math.Round(ns) {
			return k
		}
	}
	return a.x.n
}

// stamps judges the time stamps of all messages of a run.
func (j *judge) stamps() {
	s := j.a.s
	for _, out := range s.messageOutputs() {
		j.last = math.MinInt64
		for k := range j.r.readings {
			reading := &j.r.readings[k]
			list, _ := reading.cells(j.r.Result)
			n := slices.IndexFunc(list, func(c cell) bool { return c.name == out.Name })
			if n < 0 {
				continue
			}
			content, _ := payload(list[n].bytes)
			if m, err := decode(out.Message, content); err == nil && len(content) > 0 {
				j.stampOf(out, m, reading.t, reading.last())
			}
		}
	}
}

// judge judges the messages of a run, one after another.
type judge struct {
	a       *attempt
	r       *run
	begin   float64 // of the run, s
	h       float64 // its steps
	late    float64 // how much earlier than the steps the time stamps of inputs are
	last    int64   // time stamp
	sensor  *uint64 // the sensor_id of an earlier message
	any     bool
	seen    bool
	unset   map[string]bool // rules about fields that are broken by inputs
	told    map[string]bool
	remarks map[string]string
}

// refute refutes a rule, once.
func (j *judge) refute(rule string, at int, expected, format string, values ...any) {
	if j.told == nil {
		j.told = map[string]bool{}
	}
	if !j.told[rule] {
		j.told[rule] = true
		j.a.refuted(rule, j.r, at, expected, format, values...)
	}
}

// message judges an output in a reading; it returns false if nothing more can be said.
func (j *judge) message(out port, reading *reading) bool {
	list, ok := reading.cells(j.r.Result)
	if !ok {
		return true // the FMU has ended
	}
	k := slices.IndexFunc(list, func(c cell) bool { return c.name == out.Name })
	if k < 0 {
		return true
	}
	at := reading.last()
	content, ok := payload(list[k].bytes)
	if !ok && out.v == nil && len(list[k].bytes) >= 8 {
		j.refute("OSMP-D5", at, "an address that can be read", "%s is %s", out.Name,
			j.a.s.text(list[k]))
		return false
	}
	j.flags(out, list, len(content) > 0, at)
	if len(content) == 0 {
		j.addressOf(out, list[k])
		return true
	}
	m, err := decode(out.Message, content)
	if err != nil {
		j.refute("OSMP-D5", at, "a "+out.Message, "%s, %d bytes at %s s, does not decode: %s…",
			out.Name, len(content), short(reading.t), hex.EncodeToString(content[:min(16,
				len(content))]))
		return false
	}
	j.any, j.seen = true, true
	j.countOf(out, list, m, at)
	j.versionOf(out, m, at)
	j.stampOf(out, m, reading.t, at)
	j.rulesOf(out, m, reading.t, at)
	j.sensorOf(out, m, reading.t, at)
	return true
}

// sensorOf requires that all messages of an output come from the same sensor.
func (j *judge) sensorOf(out port, m message, t float64, at int) {
	f := m.Descriptor().Fields().ByName("sensor_id")
	if f == nil || !m.Has(f) {
		return
	}
	is, ok := m.Get(f).Message().Interface().(*osi3.Identifier)
	if !ok {
		return
	}
	now := is.GetValue()
	if j.sensor != nil && *j.sensor != now {
		j.refute("OSMP-O1", at, fmt.Sprintf("%d, as before: the id of a sensor does not change",
			*j.sensor), "%s has the sensor_id %d at %s s", out.Name, now, short(t))
	}
	j.sensor = &now
}

// rulesOf judges a message by the rules that OSI states about its fields. Missing fields that must
// be set give only remarks: many sound models omit fields that none of their receivers reads.
func (j *judge) rulesOf(out port, m message, t float64, at int) {
	for _, f := range rules.Check(m.Interface()) {
		switch {
		case f.Severity <= finding.Note || j.unset[f.ID]:
		case strings.HasSuffix(f.ID, " is_set"):
			j.note("OSMP-O1", "it leaves fields unset that OSI requires, such as "+
				strings.TrimSuffix(strings.TrimPrefix(f.ID, "OSI "), " is_set")+" of "+out.Name)
		default:
			j.refute("OSMP-O1", at, "that OSI's rules hold", "%s at %s s: %s [%s]", out.Name,
				short(t), f.Message, f.ID)
		}
	}
}

// note records the first remark on a rule that is not refuted.
func (j *judge) note(rule, text string) {
	if j.remarks == nil {
		j.remarks = map[string]string{}
	}
	if j.remarks[rule] == "" {
		j.remarks[rule] = text
	}
}

// withoutData judges an output of a life without inputs: its address, and "valid".
func (j *judge) withoutData(out port, reading *reading) {
	list, ok := reading.cells(j.r.Result)
	k := slices.IndexFunc(list, func(c cell) bool { return c.name == out.Name })
	if !ok || k < 0 {
		return
	}
	content, ok := payload(list[k].bytes)
	if !ok && out.v == nil && isUnreadable(list[k].bytes) {
		j.refute("OSMP-D5", reading.last(), "an address that can be read", "%s is %s", out.Name,
			j.a.s.text(list[k]))
		return
	}
	j.flags(out, list, ok && len(content) > 0, reading.last())
	j.addressOf(out, list[k])
}

// addressOf judges the address of an output that has no data.
func (j *judge) addressOf(out port, c cell) {
	y := j.r.Records[c.op].Y
	if out.v == nil && y[2] < 0 {
		j.refute("OSMP-D5", c.op, "0, or the number of bytes", "%s has the size %.0f", out.Name,
			y[2])
		return
	}
	if out.v == nil && y[2] == 0 && (y[0] != 0 || y[1] != 0) {
		j.refute("OSMP-D5", c.op, "the address 0 where the size is 0",
			"%s has the size 0 and the address parts %.0f and %.0f", out.Name, y[0], y[1])
	}
}

// flags judges the output "valid".
func (j *judge) flags(out port, list []cell, data bool, at int) {
	k := slices.IndexFunc(list, func(c cell) bool {
		return c.name == "valid" && c.v != nil && c.v.Type == fmi.Boolean
	})
	if k < 0 || len(j.a.s.messageOutputs()) != 1 {
		return
	}
	if valid := j.a.s.number(list[k].v, list[k].bytes) != 0; valid != data {
		j.refute("OSMP-D6", at, "that both agree", "valid is %t, but %s has %s", valid, out.Name,
			map[bool]string{true: "a message", false: "none"}[data])
	}
}

// countOf judges the output "count", if it counts objects: it is the length of one of the lists of
// a message, or of all detected objects together.
func (j *judge) countOf(out port, list []cell, m message, at int) {
	k := slices.IndexFunc(list, func(c cell) bool {
		return c.name == "count" && c.v != nil && c.v.Type.IsInteger() && c.v.n == 1
	})
	if k < 0 || out.Message != "SensorData" || len(j.a.s.messageOutputs()) != 1 {
		return
	}
	count, all, fits := int(j.a.s.number(list[k].v, list[k].bytes)), 0, false
	var lengths []string
	for f, v := range m.Range {
		if !f.IsList() || f.Message() == nil {
			continue
		}
		n := v.List().Len()
		lengths = append(lengths, fmt.Sprintf("%d %s", n, f.Name()))
		fits = fits || n == count
		if strings.HasSuffix(string(f.Name()), "_object") {
			all += n
		}
	}
	if fits || count == all {
		return
	}
	slices.Sort(lengths)
	j.refute("OSMP-D6", at, "that both agree", "count is %d, but %s has %s", count, out.Name,
		cmp.Or(strings.Join(lengths, ", "), "no object"))
}

// versionOf compares the version of a message with the declared version.
func (j *judge) versionOf(out port, m message, at int) {
	found, ok := versionOf(m)
	declared := out.MessageVersion
	if declared == "" {
		declared = j.a.s.osmp.OSIVersion
	}
	if !ok && declared != "" && m.Descriptor().Fields().ByName("version") != nil {
		j.refute("OSMP-A2", at, "version "+declared+", as declared",
			"messages of %s have no version", out.Name)
	}
	if ok && declared != "" && found != declared {
		j.refute("OSMP-A2", at, "version "+declared+", as declared",
			"messages of %s have version %s", out.Name, found)
	}
}

// stampOf compares a time stamp with the end of the step.
func (j *judge) stampOf(out port, m message, t float64, at int) {
	found, ok := stampOf(m)
	if !ok {
		if m.Descriptor().Fields().ByName("timestamp") != nil {
			j.refute("OSMP-T1", at, "the end of the step", "messages of %s have no time stamp",
				out.Name)
		}
		return
	}
	want := int64(math.Round(t * 1e9))
	remark := func(text string) { j.note("OSMP-T1", text) }
	switch off := found - want; {
	case found < j.last:
		j.refute("OSMP-T1", at, "a later time", "%s has the time stamp %d ns after %d ns", out.Name,
			found, j.last)
	case off == 0:
	case j.isInput(found):
		remark("messages keep the time stamp of an input")
	case (off == 1 || off == -1) && !isWhole(t):
		remark("time stamps are up to 1 ns off")
	default:
		j.refute("OSMP-T1", at, "the end of the step", "%s has the time stamp %d ns at %s s",
			out.Name,
			found, short(t))
	}
	j.last = found
}

// isWhole reports whether a time is a whole number of nanoseconds, apart from the rounding error of
// its binary representation: 0.3 s is, although 0.3 * 1e9 is a little less than 300000000.
func isWhole(t float64) bool {
	ns := float64(t * 1e9)
	return math.Abs(ns-math.Round(ns)) < 1e-3 && math.Abs(ns) < 1e13
}

// negotiation reads the configuration request, answers it, and reads it again.
func negotiation(a *attempt) {
	s, p := a.s, a.s.newPlay()
	request := s.ports(fmi.CalculatedParameter, configuration3)[0]
	p.instantiate(0, 0)
	p.enter(0, s.usual())
	first := p.ask(request)
	config := slices.DeleteFunc(s.ports(fmi.Parameter, configuration3), func(o port) bool {
		return o.Name != strings.Replace(request.Name, "ConfigRequest", "Config", 1)
	})
	answer := example(configuration3, s.start, newest, 0)
	second := -1
	if len(config) > 0 {
		p.send(config[0], answer, 0)
		if last := len(p.ops) - 1; s.major == 2 { // the FMU may read the answer only
			p.ops = slices.Insert(p.ops, last, probe.Op{Code: probe.Protect, Count: readOnly})
		}
		second = p.ask(request)
	}
	p.leave(0)
	if len(config) > 0 && s.major == 2 {
		p.add(probe.Op{Code: probe.Protect, Count: noAccess}) // its lifetime has ended
	}
	third := p.ask(request)
	p.step(0, s.start, s.step)
	p.end(0)
	r := a.play(p)
	if !a.fine("OSMP-C6", r) {
		return
	}
	asked, _ := payload(r.Records[first].Out)
	if _, err := decode(configuration3, asked); err != nil || len(asked) == 0 {
		a.refuted("OSMP-C6", r, first, "a SensorViewConfiguration", "%s has %d bytes "+
			"that are not such a message",
			request.Name, len(asked))
	} else {
		a.proved("OSMP-C6")
	}
	if second < 0 {
		a.untested("OSMP-C7", "there is no configuration for %s", request.Name)
		return
	}
	for _, at := range []int{second, third} {
		if found, _ := payload(r.Records[at].Out); !bytes.Equal(found, answer) {
			a.refuted("OSMP-C7", r, at, "the bytes that were set",
				"%s has %d bytes after a configuration of %d bytes was set, and they differ",
				request.Name, len(found), len(answer))
			return
		}
	}
	a.proved("OSMP-C7")
}

// ask appends a call that reads a notional binary variable.
func (p *play) ask(from port) int { return p.askOf(0, from) }

// askOf is like ask, for any instance.
func (p *play) askOf(slot int, from port) int {
	if p.s.major == 3 {
		g := p.s.single(from.v)
		return p.add(p.s.getOp(slot, &g))
	}
	return p.add(probe.Op{Code: probe.Fetch, Slot: slot, Count: oneCall, State: 14,
		References: from.references})
}

// isInput reports whether a time stamp belongs to a message that the run has sent to the FMU.
func (j *judge) isInput(ns int64) bool {
	for k := range j.r.readings {
		sent := int64(math.Round((j.begin + float64(float64(k)*j.h) - j.late) * 1e9))
		if len(j.a.s.messageInputs()) > 0 && max(ns, sent)-min(ns, sent) <= 1 {
			return true
		}
	}
	return false
}
