//go:build amd64

package worker

import "fmt"

// load loads the library of an instance. Texts contains its path, the libraries that it needs, and
// a library to load first.
func (p *Process) load(a *Arguments) {
	if old := p.slots[a.Slot]; old != nil {
		forget(old)
	}
	texts := append(a.Texts[:len(a.Texts):len(a.Texts)], "", "", "")
	if first := texts[2]; first != "" {
		if _, err := open(first); err != nil {
			p.fail(StatusUnloadable, "LoadLibrary", err.Error())
			return
		}
	}
	i := &instance{process: p, slot: a.Slot, major: a.Major, functions: map[string]uintptr{}}
	var err error
	if i.library, err = open(texts[0]); err != nil {
		p.fail(StatusUnloadable, "LoadLibrary", err.Error())
		return
	}
	if p.slots == nil {
		p.slots = map[int]*instance{}
	}
	p.slots[a.Slot] = i
	for _, name := range needed[a.Major >= 3] {
		if i.function(name) == 0 {
			return
		}
	}
	version := i.either("fmi2GetVersion", "fmi3GetVersion")
	p.begin(version)
	address := invoke(i.function(version))
	p.finish()
	p.reply.Reason = textAt(address)
}

// function returns the address of a function of the library, or 0 if there is none; it then records
// this in the reply.
func (i *instance) function(name string) uintptr {
	f, ok := i.functions[name]
	if !ok {
		f = i.library.symbol(name)
		i.functions[name] = f
	}
	if f == 0 {
		i.process.fail(StatusMissing, name, name)
	}
	return f
}

// call calls a function whose first argument is the instance and which returns a status.
// Double-precision numbers are passed as bits: the first four arguments are in both kinds of
// registers.
func (i *instance) call(name string, arguments ...uintptr) int {
	f := i.function(name)
	if f == 0 {
		return StatusMissing
	}
	i.process.begin(name)
	p := i.process
	p.words = append(append(p.words[:0], i.component), arguments...)
	return p.status(name, int32(invoke(f, p.words...)))
}

func (p *Process) begin(name string) {
	p.before.function = name
	at := p.before
	p.running.Store(&at)
}

func (p *Process) finish() { p.running.Store(nil) }

// status ends a call: it records the worst status in the reply and logs the call.
func (p *Process) status(name string, status int32) int {
	p.finish()
	if status < 0 || status > 5 {
		p.reply.Reason = fmt.Sprintf("the status %d, which FMI does not have", status)
		status = 3
	}
	if int(status) > p.reply.Status {
		p.reply.Status, p.reply.Function = int(status), name
		p.reply.Group, p.reply.Plan = p.before.group, p.before.plan
	}
	if p.options.LogCalls {
		words := [...]string{"OK", "WARNING", "DISCARD", "ERROR", "FATAL", "PENDING"}
		p.record(Record{Slot: p.before.slot, Call: true, Text: name + "(...) -> " + words[status]})
	}
	return int(status)
}

// fail ends a command with a status that does not come from an FMU.
func (p *Process) fail(status int, function, reason string) int {
	p.finish()
	p.reply.Status, p.reply.Function, p.reply.Reason = status, function, reason
	p.reply.Group, p.reply.Plan = p.before.group, p.before.plan
	return status
}

// record delivers a log record, from one thread at a time.
func (p *Process) record(r Record) {
	p.logging.Lock()
	defer p.logging.Unlock()
	if p.options.Log != nil {
		p.options.Log(r)
	}
}
