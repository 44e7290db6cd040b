package system

import (
	"gosmp/cosim"
	"gosmp/osmp/connect"
)

// Negotiate connects configuration requests of SensorView readers to the producers that accept one,
// unless they are already connected, and determines which connections of a closed loop lag: see
// [connect.Time]. It must be called after all connections have been added.
func (s *System) Negotiate() {
	parts := make([]connect.Part, len(s.Parts))
	var worlds []string
	for k, p := range s.Parts {
		parts[k] = connect.Part{Name: p.Name, Variables: p.Variables()}
		if p.World {
			worlds = append(worlds, p.Name)
		}
	}
	s.Connections = append(s.Connections, connect.Configurations(parts, s.Connections)...)
	connect.Time(parts, worlds, s.Connections)
}

// connectFree connects two ports unless the second one is already connected.
func (s *System) connectFree(from, to port) {
	if !s.connected(to) {
		s.Connections = append(s.Connections, cosim.Connection{From: from.name(), To: to.name()})
	}
}
