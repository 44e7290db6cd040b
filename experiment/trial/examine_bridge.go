package trial

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/similar"
)

// carried returns the events that the bridge carries, or nil if they are unknown. A run without a
// bridge carries none.
func (t *Trial) carried() *Carried {
	if t.options.Carried == nil && t.options.Bridge == nil && t.options.Examine {
		return &Carried{}
	}
	return t.options.Carried
}

// down examines an event that goes down over the bridge.
func (e *chartExaminer) down(message string, p *payload, at scxml.Position) {
	if e.carried == nil {
		return
	}
	try, known := e.carried.Down[message]
	if !known {
		e.uncarried("the message "+bridgeEvent+message+" cannot be sent", "down", message,
			slices.Sorted(maps.Keys(e.carried.Down)), at)
		return
	}
	fields := maps.Clone(p.values)
	for _, name := range p.names {
		if _, known := fields[name]; !known {
			fields[name] = nil // it depends on the machine
		}
	}
	if err := try(fields); err != nil {
		_, remedy := fault.Reason(err)
		e.wrong(finding.Error, at, bridgeEvent+message+": "+
			strings.TrimSuffix(err.Error(), "; "+remedy), remedy)
	}
}

// awaited examines the descriptor of an event that comes up over the bridge.
func (e *chartExaminer) awaited(d string, at scxml.Position) {
	message, is := strings.CutPrefix(strings.TrimSuffix(d, ".*")+".", bridgeEvent)
	if !is || e.carried == nil || e.sent == nil {
		return
	}
	message = strings.TrimSuffix(message, ".")
	for name := range e.carried.Up {
		if scxml.MatchEvent(d, bridgeEvent+name) {
			return
		}
	}
	for _, name := range e.sent {
		if scxml.MatchEvent(d, name) {
			return
		}
	}
	what := fmt.Sprintf("the event %q never occurs", d)
	if !e.bridged() {
		e.blind(at, what+noBridge, nameBridge)
		return
	}
	e.uncarried(what, "up", message, slices.Sorted(maps.Keys(e.carried.Up)), at)
}

const noBridge, nameBridge = ": there is no bridge", "name one with --bridge"

// bridged reports whether there is a bridge, whose events are known.
func (e *chartExaminer) bridged() bool { return e.carried.Up != nil || e.carried.Down != nil }

// uncarried reports an event that the bridge does not carry in a direction. Without a bridge, it is
// a warning, because the experiment may have been written for one.
func (e *chartExaminer) uncarried(what, direction, message string, names []string,
	at scxml.Position) {
	if !e.bridged() {
		e.wrong(finding.Warning, at, what+noBridge, nameBridge)
		return
	}
	lacks := fmt.Sprintf("no event %q with direction %s", message, direction)
	if message == "" {
		lacks = "no event with direction " + direction
	}
	e.wrong(finding.Error, at, what+": the bridge has "+lacks,
		orList(similar.Hint(message, names), names))
}
