package dummysensor

import (
	"fmt"

	"gosmp/fmu"
	"gosmp/timebase"
)

// AppendState implements fmu.Model.
func (m *model) AppendState(b []byte) []byte {
	b = m.view.AppendState(b)
	b = m.data.AppendState(b)
	b = m.config.AppendState(b)
	b = fmu.AppendUint64(b, uint64(m.settings.start))
	b = m.reports.appendState(b)
	var tracks []byte
	if m.detector != nil {
		tracks = m.detector.AppendState(nil)
	}
	b = fmu.AppendBytes(b, tracks)
	running := m.program != nil && m.upToDate()
	b = append(b, fmu.Flag(running))
	if running {
		b = m.program.appendState(b)
	}
	return b
}

// upToDate says whether the scenario is the one that the parameters name. It is not when, in initialization mode, one of them was
// set after the outputs had been read: then it is opened anew before anybody asks for its contents.
func (m *model) upToDate() bool {
	wanted, err := m.readSettings(m.settings.start)
	return err == nil && m.settings.same(wanted)
}

// RestoreState implements fmu.Model. The parameters have been restored before.
func (m *model) RestoreState(b []byte) error {
	d := fmu.Decoder{Data: b}
	m.view.RestoreState(&d)
	if err := m.data.RestoreState(&d); err != nil {
		return fmt.Errorf("OSMPSensorDataOut: %w", err)
	}
	if err := m.config.RestoreState(&d); err != nil {
		return fmt.Errorf("OSMPSensorViewInConfig: %w", err)
	}
	start := timebase.Time(d.Uint64())
	m.reports.restoreState(&d)
	tracks := d.Bytes()
	running := d.Byte() == 1
	if err := d.Err(); err != nil {
		return err
	}
	// A configuration that is none was set but has not been agreed on yet; initializing will refuse it.
	_ = m.identity.adopt(m.parameters(), m.config.Agreed())
	if err := m.restoreTracks(tracks); err != nil {
		return err
	}
	return m.restoreProgram(running, start, d.Data)
}

// restoreTracks makes the detector of the restored parameters and gives it back what it knew. A state from before the
// instance was initialized has none.
func (m *model) restoreTracks(state []byte) (err error) {
	m.detector = nil
	if len(state) == 0 {
		return nil
	}
	if m.detector, err = m.newDetector(); err != nil || m.detector == nil {
		return err
	}
	return m.detector.RestoreState(state)
}

// restoreProgram goes back to a place in the run. The file is opened again only when another one is open, so that stepping back
// and forth is cheap.
func (m *model) restoreProgram(running bool, start timebase.Time, state []byte) error {
	if !running {
		m.close()
		return nil
	}
	wanted, err := m.readSettings(start)
	if err != nil {
		return err
	}
	if m.program == nil || !m.settings.same(wanted) {
		if err := m.openSilently(start); err != nil {
			return err
		}
	}
	m.estimator = wanted.estimator
	return m.program.restoreState(state)
}

// openSilently opens the scenario of a state that is being restored: what is odd about it was told when it was opened first.
func (m *model) openSilently(start timebase.Time) error {
	told := m.reports
	m.reports.muted = true
	err := m.open(start)
	m.reports = told
	return err
}

// same says whether a replay opened with s can go on where one opened with o was saved.
func (s *settings) same(o settings) bool {
	a, b := s.replay, o.replay
	return s.enabled == o.enabled && s.start == o.start && s.scenario == o.scenario && a.Unit == b.Unit && a.StartDelay == b.StartDelay &&
		a.Loop == b.Loop && a.Strict == b.Strict
}
