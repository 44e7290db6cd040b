package activity

import (
	"errors"
	"fmt"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

func (a *alarmCore) saveCore(e *encoder) {
	e.time(a.due)
	e.uint(a.fired)
}

func (a *alarmCore) loadCore(d *decoder) {
	a.due = d.time()
	a.fired = d.uint()
}

func (p *PeriodicAlarm) save(e *encoder) {
	p.saveCore(e)
	e.time(p.offset)
	e.time(p.period)
	e.bool(p.next.wanted)
	e.time(p.next.offset)
	e.time(p.next.period)
	e.time(p.end)
	e.bool(p.began)
}

func (p *PeriodicAlarm) load(d *decoder) {
	p.loadCore(d)
	p.offset, p.period = d.time(), d.time()
	p.next.wanted, p.next.offset, p.next.period = d.bool(), d.time(), d.time()
	p.end, p.began = d.time(), d.bool()
	d.check(p.period > 0 && (p.next.period > 0 || !p.next.wanted), "an alarm without a period")
}

func (a *AperiodicAlarm) save(e *encoder) {
	a.saveCore(e)
	e.time(a.newest)
	e.bool(a.began)
	e.int(a.requests.len())
	for i := a.requests.head; i != a.requests.tail; i++ {
		e.time(*a.requests.at(i))
	}
}

func (a *AperiodicAlarm) load(d *decoder) {
	a.loadCore(d)
	a.newest, a.began = d.time(), d.bool()
	a.requests.restart(0)
	for range d.count(8) {
		a.requests.push(d.time())
	}
}

func (s *StepAlarm) save(e *encoder) { s.saveCore(e) }
func (s *StepAlarm) load(d *decoder) {
	s.loadCore(d)
	d.check(s.due == timebase.EndOfTime, "a step alarm that is due by itself")
}

func (a *andTrigger) save(e *encoder) {
	for i := range a.sources {
		src := &a.sources[i]
		e.time(src.end)
		e.bool(src.began)
		e.bool(src.events)
		e.spans(&src.history)
	}
	e.bool(a.warned)
}

func (a *andTrigger) load(d *decoder) {
	waits := len(a.sources) == 0
	for i := range a.sources {
		src := &a.sources[i]
		src.end, src.began, src.events = d.time(), d.bool(), d.bool()
		d.spans(&src.history)
		waits = waits || src.history.len() == 0
	}
	a.warned = d.bool()
	d.check(waits, "an And that holds back what is complete")
}

func (o *orTrigger) save(e *encoder) {
	e.time(o.end)
	e.bool(o.began)
}

func (o *orTrigger) load(d *decoder) { o.end, o.began = d.time(), d.bool() }

func (r *Regulator) save(e *encoder) {
	e.time(r.offset)
	e.time(r.period)
	e.bool(r.began)
	e.bool(r.warned)
	e.span(timebase.Span{Start: r.done, End: r.done})
	e.time(r.covered)
}

func (r *Regulator) load(d *decoder) {
	r.offset, r.period = d.time(), d.time()
	r.began, r.warned = d.bool(), d.bool()
	r.done, r.covered = d.span().Start, d.time()
	d.check(r.period > 0, "a regulator without a period")
}

func (r *readerCore) save(e *encoder) {
	e.time(r.end)
	e.bool(r.began)
	e.bool(r.taken)
	e.uint(r.lostBefore)
	e.int(len(r.pending))
	for _, s := range r.pending {
		e.span(s)
	}
}

func (r *readerCore) load(d *decoder) {
	r.end, r.began, r.taken = d.time(), d.bool(), d.bool()
	r.lostBefore = d.uint()
	r.pending = r.pending[:0]
	for range d.count(16) {
		r.pending = append(r.pending, d.span())
	}
	if len(r.pending) > 0 {
		r.node.joined = append(r.node.joined, r)
	}
}

func (c *channelCore) save(e *encoder) error {
	e.int(c.reserved)
	for _, en := range c.entries {
		if err := en.save(e); err != nil {
			return err
		}
	}
	for _, en := range c.gone {
		if err := en.save(e); err != nil {
			return err
		}
		e.time(en.closedAt)
	}
	for _, w := range c.watchers {
		w.save(e)
	}
	for _, r := range c.readers {
		r.save(e)
		for _, b := range r.binds {
			e.uint(b.next())
			e.uint(b.lost)
		}
	}
	return nil
}

func (c *channelCore) restore(d *decoder) {
	c.reserved = d.count(0)
	for _, en := range c.entries {
		en.load(d)
	}
	for _, en := range c.gone {
		en.load(d)
		en.closedAt = d.time()
	}
	for _, w := range c.watchers {
		w.load(d)
	}
	for _, r := range c.readers {
		r.load(d)
		for _, b := range r.binds {
			b.cursor, b.lost = d.uint(), d.uint()
			d.check(
				b.cursor >= b.entry.head && b.cursor <= b.entry.tail,
				"a reader beside its data",
			)
		}
	}
}

// Codec errors name the entry, because only the channel's owner can fix them.
func (e *entry) codecError(found string, err error) error {
	return fault.New(ErrCodec, fault.At(e.String()), found, "").
		WithHint("give the channel a Codec").WithCause(err)
}

func (e *entry) save(enc *encoder) error {
	if e.kept() > 0 && !e.channel.codec.known() {
		return e.codecError("payload type "+e.channel.typeName, nil)
	}
	enc.bool(e.began)
	enc.bool(e.stopped)
	enc.time(e.end)
	enc.uint(e.tail)
	enc.uint(e.trace)
	enc.uint(e.head)
	enc.int(e.kept())
	for seq := e.head; seq != e.tail; seq++ {
		enc.span(e.span(seq))
		err := enc.bytes(
			func(dst []byte) ([]byte, error) {
				return e.channel.codec.encode(dst, e.values.address(seq, false))
			},
		)
		if err != nil {
			return e.codecError(fmt.Sprintf("the datum of %v", e.span(seq)), err)
		}
	}
	return nil
}

func (e *entry) load(d *decoder) {
	e.began, e.stopped, e.end = d.bool(), d.bool(), d.time()
	tail := d.uint()
	e.trace = d.uint()
	e.clear(d.uint())
	count := d.count(24)
	d.check(e.head+uint64(count) == tail, "a number of data that cannot be")
	d.check(count == 0 || e.channel.codec.known(), "data of a channel that has no codec")
	last := -timebase.EndOfTime - 1
	for range count {
		s, b := d.span(), d.bytes()
		if !d.check(s.Start >= last, "data that are not in the order of time") {
			return
		}
		if err := e.loadDatum(s, b); err != nil {
			d.check(false, fmt.Sprintf("the datum of %v: %v", s, err))
			return
		}
		last = s.End
	}
	if e.reach = -timebase.EndOfTime; e.began {
		e.reach = e.end
	}
}

// clear drops all data and numbers the next one seq.
func (e *entry) clear(seq uint64) {
	e.drop(e.tail)
	e.head, e.tail, e.written = seq, seq, seq
}

// loadDatum adds a datum that triggers nothing.
func (e *entry) loadDatum(s timebase.Span, b []byte) error {
	if e.written-e.head == uint64(len(e.ahead)) {
		e.grow()
		e.settle()
	}
	if err := e.channel.codec.decode(b, e.values.address(e.written, true)); err != nil {
		return err
	}
	e.ahead[e.written&uint64(len(e.ahead)-1)] = s
	e.written++
	e.tail = e.written
	return nil
}

func (e *encoder) windows(list []window) {
	e.int(len(list))
	for i := range list {
		e.span(list[i].span)
		e.bool(list[i].begun)
	}
}

func (d *decoder) windows(list []window) []window {
	for range d.count(17) {
		list = append(list, window{d.span(), d.bool()})
	}
	return list
}

func (a *Activity) save(e *encoder) {
	e.windows(a.windows)
	e.windows(a.working)
	e.span(a.scheduled)
	e.bool(a.everScheduled)
	e.span(a.last)
	e.bool(a.everRan)
	e.uint(a.cycles)
	e.uint(a.trace)
	var failure string
	if a.err != nil {
		failure = a.err.Error()
	}
	e.text(failure)
	if a.guard != nil {
		a.guard.save(e)
	}
}

func (a *Activity) load(d *decoder) {
	a.windows, a.working = d.windows(a.windows[:0]), d.windows(a.working[:0])
	a.scheduled, a.everScheduled = d.span(), d.bool()
	a.last, a.everRan = d.span(), d.bool()
	a.cycles, a.trace = d.uint(), d.uint()
	a.err = nil
	if failure := d.bytes(); len(failure) > 0 {
		a.err = errors.New(string(failure))
	}
	if a.guard != nil {
		a.guard.load(d)
	}
}

func (g *guard) save(e *encoder) {
	e.int(g.missed)
	e.time(g.until)
	e.bool(g.safe)
	e.bool(g.failing)
	e.spans(&g.pending)
}

func (g *guard) load(d *decoder) {
	g.missed, g.until = d.count(0), d.time()
	g.safe, g.failing = d.bool(), d.bool()
	d.spans(&g.pending)
	if g.pending.len() > 0 {
		g.act.node.guards = append(g.act.node.guards, g)
	}
}
