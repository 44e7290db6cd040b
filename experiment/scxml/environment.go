package scxml

import (
	"strconv"

	"gosmp/timebase"
)

// ProcessorSCXML is the type of the SCXML event I/O processor, through which machines send to each
// other.
const ProcessorSCXML = "http://www.w3.org/TR/scxml/#SCXMLEventProcessor"

// environment is a machine as seen by its data model.
type environment struct{ m *Machine }

func (e environment) In(id string) bool  { return e.m.In(id) }
func (e environment) Now() timebase.Time { return e.m.system.now }

// Seed returns a seed that differs between machines and depends only on the system's seed and the
// machine's name.
func (e environment) Seed() uint64 {
	h := e.m.system.options.Seed ^ 0x9e3779b97f4a7c15
	for _, c := range []byte(e.m.id) {
		h = (h ^ uint64(c)) * 0x100000001b3
	}
	return h
}

func (e environment) Ended() error { return e.m.system.ended() }

func (e environment) Event() *Event {
	if !e.m.eventBound {
		return nil
	}
	return &e.m.event
}

func (e environment) System(variable string) Value {
	switch variable {
	case "_sessionid":
		return String(e.m.id)
	case "_name":
		return String(e.m.name)
	case "_ioprocessors":
		at := object([]string{"location"}, []Value{String(e.m.address())})
		return object([]string{"scxml", ProcessorSCXML}, []Value{at, at})
	case "_x":
		return e.platform()
	}
	return Value{}
}

// platform implements X35: it returns the time in seconds, the seed, the name of the machine, and
// the values added by the owner.
func (e environment) platform() Value {
	names := []string{"time", "seed", "machine"}
	values := []Value{{Seconds(e.m.system.now)}, {strconv.FormatUint(e.m.system.options.Seed, 10)},
		String(e.m.id)}
	extra := e.m.system.options.System
	for _, name := range sortedKeys(extra) {
		names, values = append(names, name), append(values, extra[name])
	}
	return object(names, values)
}

// address returns the target with which other machines send to this one.
func (m *Machine) address() string { return targetSession + m.id }
