package opendrive

import (
	"fmt"
	"iter"
	"math"
	"strings"

	"gosmp/internal/finding"
)

// controllers checks that all signals that a controller names exist.
func (c *checker) controllers(m *Map) {
	known := m.signals()
	for _, k := range m.Controllers {
		for _, id := range k.Signals {
			if !known[id] {
				c.add("X-SIGNAL", finding.Warning, k.line, "controller "+clipText(k.ID),
					"controls signal "+clipText(id)+", which is not on the map", "correct signalId")
			}
		}
	}
}

func (c *checker) signals(r *Road) {
	for _, s := range r.Signals {
		object := s.of(r)
		if _, err := r.clip(s.S); err != nil {
			c.add("X-SIGNAL", finding.Warning, s.line, object,
				fmt.Sprintf("s = %g, the road has %g m", s.S, r.Length), "move it onto the road")
			continue
		}
		c.validity(r, s.S, s.Validity, s.line, object)
		c.multiBoard(s, object)
		if s.HasValue && s.Value != -1 && s.Value != 0 && s.Unit == "" {
			c.add("X-SIGNAL", finding.Warning, s.line, object,
				fmt.Sprintf("value %g without a unit", s.Value), "add a unit")
		}
	}
}

// multiBoard checks a signal of several boards, whose display can change.
func (c *checker) multiBoard(s *Signal, object string) {
	if s.Type != "multiBoard" {
		return
	}
	var missing []string
	if !s.static {
		missing = append(missing, "staticBoard")
	}
	if !s.variable {
		missing = append(missing, "vmsBoard")
	}
	if len(missing) > 0 {
		c.add("X-SIGNAL", finding.Warning, s.line, object,
			"a multiBoard without "+strings.Join(missing, " and "),
			"add what is missing, or choose a different type")
	}
	if !s.Dynamic {
		c.add("X-SIGNAL", finding.Warning, s.line, object, "a multiBoard that is not dynamic",
			`set dynamic to "yes"`)
	}
}

// repeatedIDs reports signals and objects with the id of an earlier one: a reference to this id is
// ambiguous.
func (c *checker) repeatedIDs() {
	var signals, objects []owner
	for _, r := range c.m.Roads {
		for _, s := range r.Signals {
			signals = append(signals, owner{s.ID, s.of(r), s.line})
		}
		for _, o := range r.Objects {
			objects = append(objects, owner{o.ID, o.of(r), o.line})
		}
	}
	for o, message := range repeated(signals) {
		c.add("X-SIGNAL", finding.Warning, o.line, o.object, message, "choose a different id")
	}
	for o, message := range repeated(objects) {
		c.add("X-OBJECT", finding.Warning, o.line, o.object, message, "choose a different id")
	}
}

// owner is a part of a map that has an id.
type owner struct {
	id, object string
	line       int
}

// repeated yields the second owner of each id that occurs again, with a message.
func repeated(list []owner) iter.Seq2[owner, string] {
	first, again, count := map[string]owner{}, []owner(nil), map[string]int{}
	for _, o := range list {
		if o.id == "" {
			continue
		}
		if count[o.id]++; count[o.id] == 1 {
			first[o.id] = o
		} else if count[o.id] == 2 {
			again = append(again, o)
		}
	}
	return func(yield func(owner, string) bool) {
		for _, o := range again {
			n := note{message: fmt.Sprintf("has the same id as %s in line %d",
				first[o.id].object, first[o.id].line), again: count[o.id] - 2}
			if !yield(o, n.text()) {
				return
			}
		}
	}
}

func (s *Signal) of(r *Road) string { return fmt.Sprintf("signal %s of road %s", s.ID, r.ID) }

// signals returns the ids of all signals.
func (m *Map) signals() map[string]bool {
	known := map[string]bool{}
	for _, r := range m.Roads {
		for _, s := range r.Signals {
			known[s.ID] = true
		}
	}
	return known
}

// validity checks that the lanes for which a signal is valid exist.
func (c *checker) validity(r *Road, s float64, list []Validity, line int, object string) {
	section := r.SectionAt(s)
	for _, v := range list {
		if section.Lane(v.From) == nil || section.Lane(v.To) == nil {
			c.add("X-SIGNAL", finding.Warning, line, object,
				fmt.Sprintf("valid for lanes %d to %d, which do not exist there",
					v.From, v.To), "correct validity")
		}
	}
}

// references checks that the signals that roads refer to exist.
func (c *checker) references(m *Map) {
	known := m.signals()
	for _, r := range m.Roads {
		for _, ref := range r.SignalReferences {
			object := fmt.Sprintf("signalReference %s of road %s", clipText(ref.ID), r.ID)
			if !known[ref.ID] {
				c.add("X-SIGNAL-REFERENCE", finding.Error, ref.line, object,
					"refers to signal "+clipText(ref.ID)+
						", which is not on the map", "correct id")
			}
			if _, err := r.clip(ref.S); err != nil {
				c.add("X-SIGNAL-REFERENCE", finding.Warning, ref.line, object,
					fmt.Sprintf("s = %g, the road has %g m",
						ref.S, r.Length), "move it onto the road")
				continue
			}
			c.validity(r, ref.S, ref.Validity, ref.line, object)
		}
	}
}

// access checks that a lane's records at one place either all allow or all deny.
func (c *checker) access(l *Lane) {
	for k := 1; k < len(l.Access); k++ {
		a, b := &l.Access[k-1], &l.Access[k]
		if math.Abs(a.S-b.S) < sectionZero && a.Deny != b.Deny {
			c.add("X-ACCESS", finding.Error, b.line, l.at(l.Origin+b.S),
				"access allows some users and denies others at the same position",
				"use either allow or deny")
			return
		}
	}
}
