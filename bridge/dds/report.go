package dds

import (
	"fmt"
	"time"

	"gosmp/bridge/dds/wire"
)

// reports collects information about peers that users must know, each item once. A report waits
// briefly for node names to arrive.
type reports struct {
	seen    map[report]bool
	waiting []waitingReport
	warned  map[string]bool
}

// report explains why an endpoint of a peer does not match one of this participant.
type report struct {
	guid        wire.GUID
	topic       string
	theirs      bool   // the writer is theirs
	policy      string // the incompatible policy; empty if the types differ
	ours, other string // the types
	version     bool   // same type in another version; messages are exchanged
}

type waitingReport struct {
	report
	since time.Time
}

// Times of reports.
const (
	reportsAfter = 4 * time.Second // time to wait for the name of a node
	strangeAfter = 10 * time.Second
	mostReports  = 1000
)

func (r *reports) init() { r.seen, r.warned = map[report]bool{}, map[string]bool{} }

func (r *reports) add(one report) {
	if r.seen[one] || len(r.seen) >= mostReports {
		return
	}
	r.seen[one] = true
	r.waiting = append(r.waiting, waitingReport{one, time.Now()})
}

// once reports whether a text is new.
func (r *reports) once(text string) bool {
	if r.warned[text] || len(r.warned) >= mostReports {
		return false
	}
	r.warned[text] = true
	return true
}

// forget allows the endpoints of a peer to be reported again if the peer returns.
func (r *reports) forget(gone wire.Prefix) {
	for one := range r.seen {
		if one.guid.Prefix == gone {
			delete(r.seen, one)
		}
	}
}

// report emits reports that are due.
func (p *Participant) report(now time.Time, e *effects) {
	rest := p.reports.waiting[:0]
	for _, one := range p.reports.waiting {
		name, known := p.nodeName(one.guid)
		if !known && now.Sub(one.since) < reportsAfter {
			rest = append(rest, one)
			continue
		}
		if text := one.text(name); p.reports.once(text) {
			e.texts = append(e.texts, text)
		}
	}
	p.reports.waiting = rest
	for _, q := range p.peers {
		if q.data.Secured && now.Sub(q.since) > strangeAfter && len(q.endpoints) == 0 {
			text := fmt.Sprintf("participant %q (%s) uses DDS security, which is not supported: "+
				"its topics are unavailable", q.data.Name, q.meta)
			if p.reports.once(text) {
				e.texts = append(e.texts, text)
			}
		}
	}
}

// text returns the text of a report, which names both sides.
func (r *report) text(node string) string {
	topic := shownTopic(r.topic)
	if r.version {
		return fmt.Sprintf("%s: node %s has a different version of %s (type hash): "+
			"messages may be misinterpreted", topic, node, shownType(r.ours))
	}
	if r.policy == "" {
		does, expects := "publish", "expects"
		if r.theirs {
			does, expects = "expect", "publishes"
		}
		return fmt.Sprintf("%s: we %s %s, node %s %s %s: no messages are exchanged", topic, does,
			shownType(r.ours), node, expects, shownType(r.other))
	}
	ours, theirs := "we are the writer", "node "+node+" is the reader"
	if r.theirs {
		ours, theirs = "we are the reader", "node "+node+" is the writer"
	}
	return fmt.Sprintf("%s: %s (%s, %s): no messages are exchanged", topic, r.policy, ours, theirs)
}

// rivals warns of a second clock publisher, because the time of nodes would jump between the two.
func (p *Participant) rivals(o *remote) {
	const clock = "rt/clock"
	if o.Topic != clock {
		return
	}
	for _, w := range p.writers[builtinWriters:] {
		if w.topic.Name == clock {
			p.reports.add(report{guid: o.GUID, topic: clock, theirs: true,
				policy: "two publishers of the time, between which nodes will jump"})
		}
	}
}
