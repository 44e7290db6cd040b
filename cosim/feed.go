package cosim

import (
	"fmt"
	"slices"

	"gosmp/timebase"
)

// timeless is a source whose values depend only on the time: At may be called for any times in any
// order, and has no other effect.
type timeless interface{ timeless() }

// jumper is a source that knows where its continuous values jump.
type jumper interface {
	// jumps reports whether a variable jumps after one time and until another.
	jumps(variable int, after, until timebase.Time) bool
}

// feed sets the values of the sources at t.
func (e *Engine) feed(t timebase.Time) error {
	e.fed = t
	for _, m := range e.sources {
		if err := m.source.At(t); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

// refresh gives a participant the values of its sources at its present time, which lies within a
// step that ends at end, or at its end. Other participants may still need the values of the
// beginning of the step, so the sources then go back. A source that cannot go back takes part only
// at the end of the step of a single participant.
func (e *Engine) refresh(m *member, end timebase.Time) error {
	if len(m.feeders) == 0 || m.now == m.fedAt {
		return nil
	}
	e.feeding.Lock()
	defer e.feeding.Unlock()
	last := len(e.order) == 1 && m.every == 1 && m.now == end
	for _, source := range m.feeders {
		_, returns := source.source.(timeless)
		if !returns && !last {
			continue
		}
		if err := e.show(m, source, returns); err != nil {
			return err
		}
	}
	m.provided()
	return nil
}

// show copies the values of a source at the present time of a participant to its inputs.
func (e *Engine) show(m, source *member, back bool) error {
	if err := source.source.At(m.now); err != nil {
		return fmt.Errorf("%s: %w", source.name, err)
	}
	for _, l := range m.links {
		if l.from == source && !l.initial {
			if err := l.copy(); err != nil {
				return err
			}
		}
	}
	if !back {
		return nil
	}
	return source.source.At(e.fed)
}

// provided records that the inputs have the values of the present time, and whether a continuous
// one has jumped since it was last provided.
func (m *member) provided() {
	if m.traits.Events && m.now != m.fedAt {
		m.in.Jumped = slices.ContainsFunc(m.links, func(l *link) bool {
			return l.jumper != nil && l.jumper.jumps(l.output, m.fedAt, m.now)
		})
	}
	m.fedAt = m.now
}
