package examine

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

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
	for _, in := range a.s.messageInputs() { // a model may pass on missing fields
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

// judge judges the messages of a run, one after another.
type judge struct {
	a       *attempt
	r       *run
	begin   float64 // of the run, s
	h       float64 // its steps
	late    float64 // lag of the inputs' time stamps behind the steps, s
	last    int64   // time stamp
	sensor  *uint64 // the sensor_id of an earlier message
	any     bool
	seen    bool
	unset   map[string]bool // field rules that the inputs break
	told    map[string]bool
	remarks map[string]string
}

// refute refutes a rule once.
func (j *judge) refute(rule string, at int, expected, format string, values ...any) {
	if j.told == nil {
		j.told = map[string]bool{}
	}
	if !j.told[rule] {
		j.told[rule] = true
		o := j.a.refuted(rule, j.r, at, expected, format, values...)
		alone := rule != "OSMP-D6" && expected != laterTime // others compare it with something
		if alone && j.r.play.ops[at].Code == probe.Fetch {
			o.evidence = o.sameMessage()
		}
	}
}

// message judges an output in a reading; it returns false if no further check is possible.
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

// rulesOf judges a message by the OSI rules for its fields. Missing required fields result only in
// remarks, because many sound models omit fields that no receiver reads.
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

// withoutData judges an output of a life without inputs: its address and "valid".
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
	if out.v == nil && y[2] > 0 && y[0] == 0 && y[1] == 0 {
		j.refute("OSMP-D5", c.op, "the size 0 where the address is 0",
			"%s has the size %.0f and the address 0", out.Name, y[2])
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

// countOf judges the output "count" if it counts objects. Its value must be the length of one of
// the lists of a message, or of all detected objects together.
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
