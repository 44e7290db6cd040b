package examine

import (
	"context"
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

// Handover is a connection in a system that carries OSMP messages from one FMU to another.
type Handover struct {
	From, To string // files of the FMUs
	Out, In  string // the notional binary variables
}

// Connection examines a connection with the messages that its producer actually sends: they are
// recorded in one process and passed to the consumer in another, at different addresses, each
// accessible only during the step in which it may be read (OSMP-V5, OSMP-V7). The examination of
// the producer itself tests whether it leaves its messages unchanged for long enough (OSMP-D7). The
// errors are those of [Examine].
func Connection(ctx context.Context, h Handover, o Options) (*Report, error) {
	from, remove, err := open(ctx, h.From, o)
	if err != nil {
		return nil, err
	}
	defer remove()
	to, remove, err := open(ctx, h.To, o)
	if err != nil {
		return nil, err
	}
	defer remove()
	t := trial{rules: []string{"OSMP-V5", "OSMP-V7"}, alone: true, make: func(a *attempt) {
		a.takesOver(from, h)
	}}
	if !to.wanted(&t) {
		return to.report(nil), nil
	}
	outcomes := to.attempt(&t).outcomes
	for _, x := range []*exam{from, to} {
		if x.err != nil {
			return nil, x.err
		}
	}
	to.processes += from.processes
	return to.report(outcomes), nil
}

// takesOver runs the FMU under examination with the messages of another FMU.
func (a *attempt) takesOver(from *exam, h Handover) {
	both := []string{"OSMP-V5", "OSMP-V7"}
	untested := func(format string, values ...any) {
		for _, rule := range both {
			a.untested(rule, format, values...)
		}
	}
	named := func(list []port, name string) (port, bool) {
		k := slices.IndexFunc(list, func(p port) bool { return p.Name == name })
		if k < 0 {
			return port{}, false
		}
		return list[k], true
	}
	out, made := named(from.s.ports(fmi.Output, ""), h.Out)
	in, taken := named(a.s.ports(fmi.Input, ""), h.In)
	if !made || !taken {
		untested("the connection is not from an output for messages to an input for messages")
		return
	}
	producer := (&attempt{x: from, s: from.s}).connectedLife(from.s.start, nothing, nothing)
	if producer.Crashed() || producer.Stopped >= 0 && !producer.ended() {
		untested("the producer of %s does not run", h.Out)
		return
	}
	messages := producer.messagesOf(out)
	if len(messages) == 0 {
		untested("%s has no data in the first steps", h.Out)
		return
	}
	r := a.fedLife(in, messages)
	rule := "OSMP-V5"
	if r.Crashed() && r.Fault == probe.InBuffer {
		rule = "OSMP-V7"
	}
	if !a.fine(rule, r) {
		a.outcomes[len(a.outcomes)-1].found += ", with the messages of " + h.Out
		return
	}
	a.proved("OSMP-V5")
	if a.s.major == 3 {
		a.untested("OSMP-V7", "messages are passed by value in FMI 3.0")
		return
	}
	a.proved("OSMP-V7")
}

// messagesOf returns the messages of an output in a run; the list is empty if the output never had
// data.
func (r *run) messagesOf(out port) (list [][]byte) {
	some := false
	for k := range r.readings {
		cells, _ := r.readings[k].cells(r.Result)
		for _, c := range cells {
			if c.name == out.Name || out.v != nil && c.v == out.v {
				content, _ := payload(c.bytes)
				list = append(list, content)
				some = some || len(content) > 0
			}
		}
	}
	if !some {
		return nil
	}
	return list
}

// fedLife makes a life in which an input receives these messages, one per step. Each message
// becomes inaccessible as soon as the step has returned.
func (a *attempt) fedLife(in port, messages [][]byte) *run {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	p.initialize(0, s.usual())
	var readings []reading
	for k, message := range messages[:min(len(messages), s.steps(len(messages), s.step))] {
		t, buffer := s.sum(s.start, k), k%2
		p.send(in, message, buffer)
		p.step(0, t, s.step)
		if s.major == 2 {
			protect(noAccess)(p, buffer)
		}
		readings = append(readings, p.read(0, t+s.step))
	}
	p.end(0)
	return a.play(p, readings...)
}
