package examine

import (
	"math"
	"slices"
	"time"
)

// stampsLate judges the time stamps of a life that begins after eleven days, if the FMU accepts
// this, and of a life from the usual start. The time stamps of sent messages lag behind their
// steps, and if steps of any length are allowed, their sizes are not round numbers. An output thus
// reveals the source of its time stamp. Versions and OSI's rules are judged, too: some faults
// appear only at such times.
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
// less than a whole number of nanoseconds: at such a time, FMUs that truncate it are 1 ns early.
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

// stamps judges the time stamps, versions and fields of all messages of a run.
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
				j.versionOf(out, m, reading.last())
				if j.begin >= j.late { // else the time stamp of an input is negative
					j.rulesOf(out, m, reading.t, reading.last())
				}
			}
		}
	}
}

const laterTime = "a later time"

// stampOf compares a time stamp with the end of its step.
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
		j.refute("OSMP-T1", at, laterTime, "%s has the time stamp %d ns after %d ns", out.Name,
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
