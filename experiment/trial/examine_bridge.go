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
	message, is := strings.CutPrefix(d, bridgeEvent)
	if !is || e.carried == nil || message == "" || message == "*" || e.sent == nil {
		return
	}
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
	e.uncarried(fmt.Sprintf("the event %q never occurs", d), "up", message,
		slices.Sorted(maps.Keys(e.carried.Up)), at)
}

// uncarried reports an event that the bridge does not carry in a direction. Without a bridge, it is
// a warning, because the experiment may have been written for one.
func (e *chartExaminer) uncarried(what, direction, message string, names []string,
	at scxml.Position) {
	if e.carried.Up == nil && e.carried.Down == nil {
		e.wrong(finding.Warning, at, what+": there is no bridge", "name one with --bridge")
		return
	}
	e.wrong(finding.Error, at, fmt.Sprintf("%s: the bridge has no event %q with direction %s",
		what, message, direction), orList(similar.Hint(message, names), names))
}
