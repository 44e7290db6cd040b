package replay

import (
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
	"gosmp/timebase/activity"
)

// Source is the producer: it writes the rows of a scenario into the channels of their sensors, as
// events stamped with their publish times.
type Source struct {
	player  *simsensor.Player // must be set before Publish
	row     simsensor.Row
	writers []writer // in the order of [simsensor.Kinds]
}

// NewSource returns a source as a part of module m. The label distinguishes the entries of several
// sources.
func NewSource(m *activity.Module, label string) *Source {
	openChannels(m.Node())
	s := &Source{}
	for _, x := range sensors {
		s.writers = append(s.writers, x.writer(m, label))
	}
	return s
}

// Play makes the source play p.
func (s *Source) Play(p *simsensor.Player) { s.player = p }

// Portion is the maximum number of rows that Publish writes: rows stay in memory until they are
// read, and a step of an hour may hold millions.
const Portion = 4096

// Publish writes the rows that are due at or before until, at most [Portion]. If more is true, it
// must be called again after these have been read. The errors come from [simsensor.Player.Next].
func (s *Source) Publish(until timebase.Time) (more bool, err error) {
	for range Portion {
		at, ok, err := s.player.Next(until, &s.row)
		if err != nil || !ok {
			return false, err
		}
		if err := s.writers[s.row.Kind.Index()](at, &s.row); err != nil {
			return false, err
		}
	}
	return true, nil
}
