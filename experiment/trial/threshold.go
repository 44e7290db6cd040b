package trial

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/quantity"
)

// threshold is a variable compared with bounds.
type threshold struct {
	name         string
	variable     string
	reading      *reading
	above, below *float64
	beyond       bool
	absent       bool      // its last value was not a number
	watchers     []watcher // the machines that watch it
	handled      bool      // a machine followed a transition for signal.undefined
}

// watcher is a machine with a watch.
type watcher struct {
	Machine string
	Places  []string // of its watches: FILE:LINE
	Gaps    gaps     // while it runs
	Ended   bool
}

// gaps counts the steps in which a variable had no usable value.
type gaps struct {
	Steps int64
	Of    int64
	Since float64 // time of the first one, in s
}

func (g *gaps) count(missing bool, at float64) {
	g.Of++
	if !missing {
		return
	}
	if g.Steps == 0 {
		g.Since = at
	}
	g.Steps++
}

// Undefined describes a variable that was not a number in some of the steps in which machines
// observed it, so that they may have missed something.
type Undefined struct {
	Variable string   `json:"variable"`
	Machine  string   `json:"machine,omitempty"` // that watches it
	Watch    string   `json:"watch,omitempty"`   // name of the watch
	Places   []string `json:"places,omitempty"`  // of the watches: FILE:LINE
	Steps    int64    `json:"steps"`             // in which it was not a number
	Of       int64    `json:"of"`                // steps in which it was observed
	Since    float64  `json:"since"`             // time of the first one, in s
	// a machine followed a transition for the event signal.undefined
	Handled bool `json:"handled,omitempty"`
}

// String returns a warning.
func (u Undefined) String() string {
	text, effect := u.Variable, "machines received no value"
	if len(u.Places) > 0 {
		text = fmt.Sprintf("%s: the watch %q of %s", strings.Join(u.Places, ", "), u.Watch,
			u.Variable)
		effect = "no limit was crossed"
	}
	count := fmt.Sprintf("in %d of %s", u.Steps, quantity.Of(int(u.Of), "step"))
	if u.Steps == u.Of {
		count = "in any of " + quantity.Of(int(u.Of), "step")
		if u.Of == 1 {
			count = "in the only step"
		}
	}
	return fmt.Sprintf("%s had no number %s, first at %v s, where %s", text, count, u.Since, effect)
}

// blind reports whether a watch never had a number although no machine handled that.
func (u Undefined) blind() bool { return len(u.Places) > 0 && u.Steps == u.Of && !u.Handled }

// blindness returns why watches could not see anything.
func blindness(all []Undefined) (lines []string) {
	for _, u := range all {
		if u.blind() {
			lines = append(lines, u.String())
		}
	}
	return lines
}

const (
	crossedEvent   = "signal.crossed"
	undefinedEvent = "signal.undefined"
	definedEvent   = "signal.defined"
)

func (t *Trial) watchSignal(a *action) error {
	s := t.signals[a.Variable]
	if s == nil || s.signal.Variable.Kind.IsBlob() || a.Above == nil && a.Below == nil {
		return impossible("watch.signal", "variable "+a.Variable,
			"above or below, and a literal number in the chart")
	}
	for _, w := range t.thresholds {
		if w.name == a.Name && w.reading == s && same(w.above, a.Above) && same(w.below, a.Below) {
			w.beyond, w.absent = false, false
			w.watchedBy(a.sender, a.place)
			return nil
		}
	}
	w := &threshold{name: a.Name, variable: a.Variable, reading: s, above: a.Above, below: a.Below}
	w.watchedBy(a.sender, a.place)
	t.thresholds = append(t.thresholds, w)
	return nil
}

func same(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }

// watchedBy adds a watch of a machine.
func (w *threshold) watchedBy(machine, place string) {
	k := slices.IndexFunc(w.watchers, func(x watcher) bool { return x.Machine == machine })
	if k < 0 {
		k = len(w.watchers)
		w.watchers = append(w.watchers, watcher{Machine: machine})
	}
	if x := &w.watchers[k]; !slices.Contains(x.Places, place) {
		x.Places = append(x.Places, place)
	}
}

// placeOf returns the machine that sends an event, and the place in its chart.
func (t *Trial) placeOf(m scxml.Message) (machine, place string) {
	if m.From == nil { // a service
		return "", t.description.File
	}
	machine = m.From.ID()
	return machine, fmt.Sprintf("%s:%d", cmp.Or(t.fileOf(machine), machine), max(1, m.Line))
}

// compared returns the events of the watched variables. A value that is not a number crosses no
// limit; this is an event of its own.
func (t *Trial) compared() (list []scxml.Event) {
	add := func(name string, w *threshold, more map[string]any) {
		more["name"], more["variable"] = w.name, w.variable
		list = append(list, event(name, more))
	}
	for _, w := range t.thresholds {
		v := w.reading.number()
		absent := math.IsNaN(v)
		for k := range w.watchers {
			if x := &w.watchers[k]; !x.Ended {
				x.Gaps.count(absent, t.seconds())
			}
		}
		if absent != w.absent {
			if w.absent = absent; absent {
				add(undefinedEvent, w, map[string]any{})
			} else {
				add(definedEvent, w, defined(map[string]any{"value": number(v)}))
			}
		}
		if absent {
			continue
		}
		if b := w.above != nil && v > *w.above || w.below != nil && v < *w.below; b != w.beyond {
			w.beyond = b
			add(crossedEvent, w, defined(map[string]any{"value": number(v), "beyond": b}))
		}
	}
	return list
}

// countUndefined counts the steps in which machines receive no value of a variable.
func (t *Trial) countUndefined() {
	for _, r := range t.readings {
		if r.signal.Variable.Kind.IsFloat() {
			v := r.number()
			r.gaps.count(math.IsNaN(v) || math.IsInf(v, 0), t.seconds())
		}
	}
}

// undefined lists the watches, and the variables without a watch, that were not numbers.
func (t *Trial) undefined() (list []Undefined) {
	watched := map[string]bool{}
	for _, w := range t.thresholds {
		watched[w.variable] = true
		for _, x := range w.watchers {
			if g := x.Gaps; g.Steps > 0 {
				list = append(list, Undefined{Variable: w.variable, Machine: x.Machine,
					Watch: w.name, Places: x.Places, Steps: g.Steps, Of: g.Of, Since: g.Since,
					Handled: w.handled})
			}
		}
	}
	for _, name := range sorted(t.signals) {
		if g := t.signals[name].gaps; g.Steps > 0 && !watched[name] {
			list = append(list, Undefined{Variable: name, Steps: g.Steps, Of: g.Of, Since: g.Since})
		}
	}
	return list
}

// observeUndefined notes the watches whose lack of a number a machine handles, and the watches that
// end with their machines.
func (t *Trial) observeUndefined(r scxml.Record) {
	switch {
	case r.Kind == scxml.Took && r.Event == undefinedEvent:
		if t.lacking == nil {
			t.lacking = map[string]string{}
		}
		t.lacking[r.Machine] = r.Text
	case r.Kind == scxml.Took:
		delete(t.lacking, r.Machine)
	case r.Kind == scxml.Followed && t.lacking[r.Machine] != "":
		var data struct{ Name, Variable string }
		_ = json.Unmarshal([]byte(t.lacking[r.Machine]), &data) // sent by a machine if it differs
		for _, w := range t.thresholds {
			if w.name == data.Name && w.variable == data.Variable {
				w.handled = true
			}
		}
	case r.Kind == scxml.Ended || r.Kind == scxml.Broken:
		for _, w := range t.thresholds {
			for k := range w.watchers {
				x := &w.watchers[k]
				x.Ended = x.Ended || x.Machine == r.Machine
			}
		}
	}
}

// nothing takes the place of a number that is not finite, which JSON cannot represent.
type nothing struct{}

// number returns a number as a value that JSON can represent, or nothing.
func number(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nothing{}
	}
	return v
}

// defined removes members without a value. Machines therefore see undefined, which compares like
// NaN; null would compare like 0.
func defined(data map[string]any) map[string]any {
	for name, v := range data {
		if v == (nothing{}) {
			delete(data, name)
		}
	}
	return data
}
