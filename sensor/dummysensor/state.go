package dummysensor

import "gosmp/fmu"

// Snapshot implements model.Snapshotter.
func (s *dummySensor) Snapshot(b []byte) []byte {
	b = s.reports.appendState(b)
	var tracks []byte
	if s.detector != nil {
		tracks = s.detector.AppendState(nil)
	}
	return s.program.appendState(fmu.AppendBytes(b, tracks))
}

// Restore implements model.Snapshotter.
func (s *dummySensor) Restore(b []byte) error {
	d := fmu.Decoder{Data: b}
	s.reports.restoreState(&d)
	tracks := d.Bytes()
	if err := d.Err(); err != nil {
		return err
	}
	if s.detector != nil {
		if err := s.detector.RestoreState(tracks); err != nil {
			return err
		}
	}
	return s.program.restoreState(d.Data)
}
