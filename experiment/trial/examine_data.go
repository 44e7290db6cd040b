package trial

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/similar"
	"gosmp/timebase"
)

// payload holds what is known about the data of a send without running the machine.
type payload struct {
	values map[string]any // of the fields that do not depend on the machine
	names  []string       // of the fields, also of those whose values are computed
	closed bool           // there are no other fields
}

// has reports whether the data have a field other than null.
func (p *payload) has(name string) bool {
	v, known := p.values[name]
	return v != nil || !known && slices.Contains(p.names, name)
}

// seen examines the data of a send.
func seen(s *scxml.Payload) *payload {
	p := &payload{values: map[string]any{}, closed: true}
	for _, x := range s.Params {
		p.field(x.Name, x.Expr)
	}
	if s.Content == nil {
		return p
	}
	v, ok := any(nil), false
	switch {
	case s.Content.Expr != nil:
		v, ok = evaluated(s.Content.Expr)
	case s.Content.Src == "" && s.Content.Chart == nil:
		ok = s.Content.Value.Decode(&v) == nil
	}
	object, is := v.(map[string]any)
	if ok && is {
		maps.Copy(p.values, object)
		p.names = slices.AppendSeq(p.names, maps.Keys(object))
		return p
	}
	p.closed = false
	if x := s.Content.Expr; x != nil && x.Code != nil {
		fields := ecmascript.Language{}.Facts(x.Code).Fields
		for _, f := range fields {
			p.field(f.Name, &scxml.Expression{Text: f.Expr})
		}
		p.closed = len(fields) > 0
	}
	return p
}

func (p *payload) field(name string, x *scxml.Expression) {
	p.names = append(p.names, name)
	if v, ok := evaluated(x); ok {
		p.values[name] = v
	} else {
		delete(p.values, name) // the last one of a name counts
	}
}

// data examines the known data, and refuses those that the experiment cannot use.
func (e *chartExaminer) data(name string, p *payload, at scxml.Position) {
	const remedy = "see the fields in docs/EXPERIMENTS.md"
	fields := maps.Clone(p.values)
	text, err := json.Marshal(fields)
	if err != nil {
		return
	}
	if field := null(text); field != "" {
		e.wrong(finding.Error, at, fmt.Sprintf("%s: %s is NaN, infinite or null", name, field),
			"write a number, or no "+field)
		return
	}
	for _, n := range p.names {
		if _, known := fields[n]; !known {
			fields[n] = nil // null is a value of every field
		}
	}
	if text, err = json.Marshal(fields); err != nil {
		return
	}
	a := action{}
	if p.values["radius"] == nil {
		a.Radius = 1 // complete examines whether it exists
	}
	if p.values["seconds"] == nil {
		a.Seconds = 1
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		e.wrong(finding.Error, at, fmt.Sprintf("the data of %s cannot be used: %v", name, err),
			remedy)
		return
	}
	if err := a.sound(name); err != nil {
		_, hint := fault.Reason(err)
		message := strings.TrimPrefix(strings.TrimSuffix(err.Error(), "; "+hint), "event ")
		if !strings.HasPrefix(message, name) {
			message = name + ": " + message
		}
		e.wrong(finding.Error, at, message, cmp.Or(hint, remedy))
	}
}

// needs holds the fields that an action must have, at least one of each group.
var needs = map[string][]string{
	"create": {"name", "x road", "y road"}, "destroy": {"name"},
	"move": {"name", "x road", "y road"}, "drive": {"name"}, "controls": {"name"},
	"release": {"name"}, "command": {"name"}, "set": {"variable", "value"},
	"watch.zone": {"x", "y", "radius"}, "watch.signal": {"variable", "above below"},
	"extend": {"seconds"},
}

// complete examines whether the data have all the fields that the experiment needs.
func (e *chartExaminer) complete(event string, p *payload, at scxml.Position) {
	if !p.closed {
		return
	}
	for _, group := range needs[event] {
		names := strings.Fields(group)
		if !slices.ContainsFunc(names, p.has) {
			e.wrong(finding.Error, at, fmt.Sprintf("the data of %s have no %s", event,
				strings.Join(names, " and no ")), "see the fields in docs/EXPERIMENTS.md")
			return
		}
	}
}

// fields examines the known values of data.
func (e *chartExaminer) fields(event string, fields map[string]any, at scxml.Position) {
	if v, is := fields["variable"].(string); is && (event == "watch.signal" || event == "set") &&
		!e.has(v) {
		message, remedy := e.lacking(v)
		e.wrong(finding.Error, at, event+": "+message, remedy)
	}
	name, is := fields["name"].(string)
	ofVehicle := []string{"destroy", "move", "drive", "controls", "release"}
	if is && slices.Contains(ofVehicle, event) &&
		e.actors != nil && !e.actors[name] {
		names := slices.Sorted(maps.Keys(e.actors))
		e.wrong(finding.Error, at,
			fmt.Sprintf("%s: no vehicle has the name %q, and no machine creates it",
				event, name), orList(similar.Hint(name, names), names))
	}
}

// noObject reports whether the content is known not to be an object, for example because it has no
// expression.
func noObject(g *scxml.Given) bool {
	if g == nil || g.Src != "" || g.Chart != nil {
		return false
	}
	var v any
	var ok bool
	if g.Expr != nil {
		v, ok = evaluated(g.Expr)
	} else {
		ok = g.Value.IsUndefined() || g.Value.Decode(&v) == nil
	}
	_, is := v.(map[string]any)
	return ok && !is
}

// ofMachine matches the variables that every machine has.
var ofMachine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b_(event|name|sessionid|ioprocessors|x)\b`)
})

// evaluated evaluates an expression that does not depend on a machine.
func evaluated(x *scxml.Expression) (v any, ok bool) {
	if x == nil || ofMachine().MatchString(x.Text) {
		return nil, false
	}
	language := ecmascript.Language{}
	code, err := language.Compile(scxml.Expr, x.Text)
	if err != nil {
		return nil, false
	}
	model := language.New(nowhere{})
	model.Ready()
	value, err := model.Value(code)
	if err != nil || value.IsUndefined() || value.Decode(&v) != nil {
		return nil, false
	}
	return v, true
}

// nowhere is an empty machine.
type nowhere struct{}

func (nowhere) In(string) bool            { return false }
func (nowhere) Now() timebase.Time        { return 0 }
func (nowhere) System(string) scxml.Value { return scxml.Value{} }
func (nowhere) Event() *scxml.Event       { return nil }
func (nowhere) Seed() uint64              { return 0 }
func (nowhere) Ended() error              { return nil }
