package examine

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/importer/worker/probe"
)

// run is a script and its outcome.
type run struct {
	*probe.Result
	play     *play
	readings []reading
	files    []string // files that appeared in the working directory
	options  probe.Options
}

// fine reports whether a script was completed. Otherwise it refutes the rule, unless the FMU has
// ended the simulation or refuses a step beyond an event that it has announced.
func (a *attempt) fine(rule string, r *run) bool {
	if r.Crashed() {
		a.crash(rule, r)
		return false
	}
	if r.Stopped < 0 || r.ended() {
		return true
	}
	if event, passes := r.passesEvent(); passes {
		a.untested(rule, "the FMU refuses a step beyond the event that it has announced for %s s",
			short(event))
		return false
	}
	o := a.refuted(rule, r, r.Stopped, "OK", "%s", r.describe(r.Stopped))
	if r.Records[r.Stopped].Status == probe.StatusNull {
		o.cause = callName(r.play.ops[r.Stopped].Code) + " answers NULL" // one cause, one finding
	}
	switch code := r.play.ops[r.Stopped].Code; {
	case isOfStates(&r.play.ops[r.Stopped]):
		o.cause = o.found
	case bare(code) == "Reset":
		o.cause = code + " is refused"
	}
	return false
}

// failsAt returns the operation in which the process ended or that was refused, or -1.
func (r *run) failsAt() int {
	if r.Crashed() {
		return r.Last
	}
	return r.Stopped
}

// reaches reports whether a run has come to an operation or fails. If the FMU has ended the
// simulation before, the rule is not tested.
func (a *attempt) reaches(rule string, r *run, op int) bool {
	if !r.ended() || op < r.Stopped {
		return true
	}
	a.untested(rule, "the FMU has ended the simulation before, see %s", full(a.s.major, "R2"))
	return false
}

// speaks reports whether an operation has logged a message.
func (r *run) speaks(at int) bool {
	return slices.ContainsFunc(r.Messages, func(m probe.Message) bool { return m.Op == at })
}

// crash refutes a rule because the process ended.
func (a *attempt) crash(rule string, r *run) *outcome {
	if r.Done && a.x.plain == nil {
		rule = "R15" // caused by what an ordinary life leaves behind
	}
	o := a.refuted(rule, r, r.Last, "that the process continues", "%s", r.end())
	o.cause = r.end()
	return o
}

// ended reports whether the FMU has ended the simulation itself: by fmi2Terminated after a Discard,
// or by terminateSimulation in an earlier step or event of the instance.
func (r *run) ended() bool {
	if r.Stopped < 0 || r.Crashed() {
		return false
	}
	stopped := r.play.ops[r.Stopped]
	rec := r.Records[r.Stopped]
	if stopped.Code == "fmi2DoStep" {
		return rec.Status == discard && rec.Y[0] <= 1 && rec.Y[1] != 0
	}
	for k, o := range r.play.ops[:r.Stopped] {
		asks := o.Code == "fmi3DoStep" || o.Code == probe.Settle
		if asks && o.Slot == stopped.Slot && r.Records[k].Y[1] == 1 {
			return true
		}
	}
	return false
}

// Statuses of FMI.
const (
	warning = 1
	discard = 2
	failure = 3
	fatal   = 4
)

const noAnswer = "no answer"

// end describes how the process ended, such as "SIGSEGV in fmi2DoStep, just behind an array".
func (r *run) end() string {
	in := ""
	if r.Last >= 0 {
		in = " in " + callName(r.play.ops[r.Last].Code)
		if r.Done {
			in = " at the end of the process"
		}
	}
	where := map[probe.FaultPlace]string{
		probe.BehindArray:   ", just after an array passed to it",
		probe.BeforeArray:   ", just before an array passed to it",
		probe.ConstantArray: ", in a constant array",
		probe.TakenAway:     ", at memory passed to it in an earlier call",
		probe.InBuffer:      ", at a message that was read-only or no longer valid",
		probe.BehindBuffer:  ", at the first byte after a message",
	}[r.Fault]
	switch {
	case r.TimedOut:
		return noAnswer + in
	case r.Signal != "":
		return r.Signal + in + where
	}
	return fmt.Sprintf("exit(%d)%s", r.ExitCode, in)
}

func callName(code string) string {
	if name, is := map[string]string{probe.Unload: "dlclose", probe.Load: "dlopen",
		probe.Sleep: "no function, after the last call", probe.Fetch: "fmi2GetInteger",
		probe.Twins: "DoStep",
		probe.Send:  "fmi2SetInteger", probe.Settle: "fmi3UpdateDiscreteStates",
		probe.Peek: "no function, reading a message"}[code]; is {
		return name
	}
	return code
}

var statusNames = map[int]string{0: "OK", 1: "Warning", 2: "Discard", 3: "Error", 4: "Fatal",
	5: "Pending", probe.StatusNull: "NULL", probe.StatusUnloadable: "not loadable",
	probe.StatusMissing: "no such function", probe.StatusMisuse: "invalid",
	probe.StatusUnsettled: "no end",
	probe.StatusNotRun:    "nothing"}

func statusName(s int) string {
	if name, ok := statusNames[s]; ok {
		return name
	}
	return fmt.Sprintf("status %d", s)
}

// describe describes the result of an operation, including the FMU's last message during it.
func (r *run) describe(at int) string {
	o, rec := r.play.ops[at], r.Records[at]
	text := fmt.Sprintf("%s answers %s", callName(o.Code), statusName(rec.Status))
	if rec.Status == probe.StatusUnloadable {
		if why, ok := payload(rec.Out); ok {
			return text + ": " + string(why)
		}
	}
	if strings.HasSuffix(o.Code, "DoStep") {
		text = fmt.Sprintf("%s(t = %s, h = %s) returns %s", o.Code, short(o.X[0]), short(o.X[1]),
			statusName(rec.Status))
	}
	for _, m := range slices.Backward(r.Messages) {
		if m.Op == at {
			return text + fmt.Sprintf(", %q", m.Text)
		}
	}
	return text
}
