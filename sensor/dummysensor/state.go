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
	b = append(b, fmu.Flag(m.replay != nil))
	if m.replay != nil {
		b = m.replay.AppendState(b)
	}
	return b
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
	replaying := d.Byte() == 1
	if err := d.Err(); err != nil {
		return err
	}
	if err := m.identity.adopt(m.parameters(), m.config.Agreed()); err != nil {
		return err
	}
	return m.restoreReplay(replaying, start, d.Data)
}

// restoreReplay goes back to a place in the scenario. The file is opened again only when another one is open, so that stepping
// back and forth is cheap.
func (m *model) restoreReplay(replaying bool, start timebase.Time, state []byte) error {
	if !replaying {
		m.close()
		return nil
	}
	wanted, err := m.readSettings(start)
	if err != nil {
		return err
	}
	if m.replay == nil || !m.settings.same(wanted) {
		silent := m.reports
		if err := m.open(start); err != nil {
			return err
		}
		m.reports = silent // what is odd about the file has been told when it was opened first
	}
	m.estimator = wanted.estimator
	return m.replay.RestoreState(state)
}

// same says whether a replay opened with s can go on where one opened with o was saved.
func (s *settings) same(o settings) bool {
	a, b := s.replay, o.replay
	return s.start == o.start && s.scenario == o.scenario && a.Unit == b.Unit && a.StartDelay == b.StartDelay &&
		a.Loop == b.Loop && a.Strict == b.Strict
}
