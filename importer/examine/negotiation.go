package examine

import (
	"bytes"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

// negotiation reads the configuration request, answers it, and reads the request again.
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
		if last := len(p.ops) - 1; s.major == 2 { // the FMU may only read the answer
			p.ops = slices.Insert(p.ops, last, probe.Op{Code: probe.Protect, Count: readOnly})
		}
		second = p.ask(request)
	}
	p.leave(0)
	if len(config) > 0 && s.major == 2 {
		p.add(probe.Op{Code: probe.Protect, Count: noAccess}) // the answer is no longer valid
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
		defer a.explained("OSMP-C6", len(a.outcomes))
	} else if a.requestStays(request) {
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
	if a.asksAgain(request, config[0], answer, asked) {
		a.proved("OSMP-C7")
	}
}

// requestStays reports whether the request stays as it is at the end of the initialization if no
// configuration is set.
func (a *attempt) requestStays(request port) bool {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	p.enter(0, s.usual())
	first := p.ask(request)
	p.leave(0)
	var looks []int
	if s.major == 2 {
		p.add(probe.Op{Code: probe.Dirty, Count: 16 << 10, State: 256})
		looks = append(looks, p.add(probe.Op{Code: probe.Peek, State: 14}))
	}
	looks = append(looks, p.ask(request))
	p.call(0, "FreeInstance")
	r := a.play(p)
	if r.Crashed() || r.Stopped >= 0 {
		return true // for R3
	}
	for _, at := range looks {
		if !bytes.Equal(r.Records[first].Out, r.Records[at].Out) {
			a.refuted("OSMP-C6", r, at, "the same bytes, because no configuration was set",
				"the bytes of %s change at the end of the initialization", request.Name)
			return false
		}
	}
	return true
}

// asksAgain reports whether the request after a reset is the one of a fresh instance. It refutes
// OSMP-C6 otherwise.
func (a *attempt) asksAgain(request, config port, answer, asked []byte) bool {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	p.enter(0, s.usual())
	p.ask(request)
	p.send(config, answer, 0)
	p.leave(0)
	p.step(0, s.start, s.step)
	p.call(0, "Reset")
	p.enter(0, s.usual())
	again := p.ask(request)
	p.call(0, "FreeInstance")
	r := a.play(p)
	if r.Crashed() || r.Stopped >= 0 {
		return true // covered by R6
	}
	if found, _ := payload(r.Records[again].Out); !bytes.Equal(found, asked) {
		a.refuted("OSMP-C6", r, again, "the request of a new instance", "%s has %d bytes after "+
			"Reset that differ from the %d bytes of a new instance", request.Name, len(found),
			len(asked))
		return false
	}
	return true
}
