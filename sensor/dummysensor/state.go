package dummysensor

import "gosmp/internal/state"

// Snapshot implements model.Snapshotter.
func (s *dummySensor) Snapshot(b []byte) ([]byte, error) {
	b = s.identity.appendState(s.reports.appendState(append(b, state.Flag(s.muted),
		state.Flag(s.deaf))))
	return s.program.appendState(state.AppendBytes(b, s.detector.AppendState(nil)))
}

// Restore implements model.Snapshotter.
func (s *dummySensor) Restore(b []byte) error {
	d := state.Decoder{Data: b}
	s.muted, s.deaf = d.Bool(), d.Bool()
	s.reports.restoreState(&d)
	s.identity.restoreState(&d)
	tracks := d.Bytes()
	if err := d.Err(); err != nil {
		return err
	}
	if err := s.detector.RestoreState(tracks); err != nil {
		return err
	}
	return s.program.restoreState(d.Data, s.muted)
}
