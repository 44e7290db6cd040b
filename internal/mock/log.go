package mock

import "gosmp/fmu"

// Log collects the lines that an instance delivers; its method Deliver is for fmu.Config.
type Log struct{ Lines []fmu.Message }

// Deliver appends a line.
func (l *Log) Deliver(m fmu.Message) { l.Lines = append(l.Lines, m) }

// Drain returns the lines since the last Drain.
func (l *Log) Drain() []fmu.Message {
	lines := l.Lines
	l.Lines = nil
	return lines
}
