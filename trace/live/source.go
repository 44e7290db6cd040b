package live

import (
	"gosmp/cosim"
	"gosmp/timebase"
	"gosmp/trace"
)

// Source plays a trace into an engine: at a time its only variable has the message that is valid
// there, see [trace.Player].
type Source struct {
	variable cosim.Variable
	player   *trace.Player
	frame    *cosim.Frame
}

// NewSource plays into a variable of the kind Binary.
func NewSource(v cosim.Variable, p *trace.Player) *Source { return &Source{variable: v, player: p} }

// Variables is the one.
func (s *Source) Variables() []cosim.Variable { return []cosim.Variable{s.variable} }

// Bind makes the frame.
func (s *Source) Bind(outputs []int) (*cosim.Frame, error) {
	s.frame = cosim.NewFrame(s.Variables(), outputs)
	return s.frame, nil
}

// At shows the message that is valid at t.
func (s *Source) At(t timebase.Time) error {
	message, err := s.player.At(t)
	if err == nil && len(s.frame.Ports) > 0 {
		s.frame.SetBlob(0, 0, message)
	}
	return err
}
