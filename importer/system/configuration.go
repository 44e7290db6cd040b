package system

import (
	"slices"
	"strings"

	"gosmp/cosim"
)

const (
	viewIn            = "OSMPSensorViewIn"
	viewConfiguration = "SensorViewConfiguration"
)

// Negotiate connects configuration requests of SensorView readers to the producers that accept one,
// unless they are already connected. It has to be called after all connections have been made.
func (s *System) Negotiate() {
	for _, c := range slices.Clone(s.Connections) {
		producer, _, err := s.Find(c.From)
		if err != nil {
			continue
		}
		reader, view, err := s.Find(c.To)
		if err != nil || view.Kind != cosim.Binary || !strings.HasPrefix(view.Name, viewIn) {
			continue
		}
		index := strings.TrimPrefix(view.Name, viewIn)
		request, asks := reader.variable(viewIn + "ConfigRequest" + index)
		config, takes := reader.variable(viewIn + "Config" + index)
		if !asks || !takes {
			continue
		}
		if taker, found := producer.configuration(cosim.Parameter, cosim.Input); found {
			s.connectFree(port{part: reader, variable: request}, port{part: producer, variable: taker})
		}
		if offer, found := producer.configuration(cosim.Calculated, cosim.Output); found {
			s.connectFree(port{part: producer, variable: offer}, port{part: reader, variable: config})
		}
	}
}

// configuration returns the variable with a SensorViewConfiguration that has one of the roles, if
// it is the only one.
func (p *Part) configuration(roles ...cosim.Role) (found cosim.Variable, only bool) {
	for _, v := range p.Variables() {
		belongs := strings.HasPrefix(v.Name, viewIn) // the configuration of the part's own SensorView input
		if slices.Contains(roles, v.Role) && carries(v, viewConfiguration) && !belongs {
			if only {
				return found, false
			}
			found, only = v, true
		}
	}
	return found, only
}

// connectFree connects two ports, unless the second one is connected.
func (s *System) connectFree(from, to port) {
	if !s.connected(to) {
		s.Connections = append(s.Connections, cosim.Connection{From: from.name(), To: to.name()})
	}
}
