package system

import (
	"gosmp/cosim"
	"gosmp/osmp/connect"
)

// Negotiate connects configuration requests of SensorView readers to the producers that accept one,
// unless they are already connected. It has to be called after all connections have been made.
func (s *System) Negotiate() {
	parts := make([]connect.Part, len(s.Parts))
	for k, p := range s.Parts {
		parts[k] = connect.Part{Name: p.Name, Variables: p.Variables()}
	}
	s.Connections = append(s.Connections, connect.Configurations(parts, s.Connections)...)
}

// connectFree connects two ports, unless the second one is connected.
func (s *System) connectFree(from, to port) {
	if !s.connected(to) {
		s.Connections = append(s.Connections, cosim.Connection{From: from.name(), To: to.name()})
	}
}
