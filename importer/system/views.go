package system

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/osmp/connect"
)

// ConnectViews connects each input for SensorViews that has no connection, and is not among the
// given labels, with the only producer of SensorViews outside its own part; for a world, this
// output is the one of its host vehicle. If there are several producers, it connects nothing.
func (s *System) ConnectViews(except ...string) {
	for _, reader := range s.freeInputs(except) {
		if connect.MessageOf(reader.variable) != "SensorView" {
			continue
		}
		if producers := hosts(s.producers(reader)); len(producers) == 1 {
			s.connectFree(producers[0], reader)
		}
	}
}

// WarnOfFree adds a warning for each message input that has no connection and is not among the
// given labels, although another part produces such messages. A world does not require its inputs
// to be connected.
func (s *System) WarnOfFree(except ...string) {
	for _, reader := range s.freeInputs(except) {
		if reader.part.World {
			continue
		}
		if producers := s.producers(reader); len(producers) > 0 {
			s.Warnings = append(s.Warnings,
				fmt.Sprintf(
					"%s is not connected, but could be to %s, for instance with --connect %s=%s",
					reader.name(), either(producers), s.Label(producers[0].part,
						producers[0].variable.Name), s.Label(reader.part, reader.variable.Name)))
		}
	}
}

// freeInputs returns the inputs for OSI messages that have no connection and are not among the
// given labels.
func (s *System) freeInputs(except []string) (list []port) {
	for _, p := range s.Parts {
		for _, v := range p.Variables() {
			to := port{part: p, variable: v}
			if v.Role == cosim.Input && connect.MessageOf(v) != "" && !s.connected(to) &&
				!slices.Contains(except, s.Label(p, v.Name)) {
				list = append(list, to)
			}
		}
	}
	return list
}

// producers returns the outputs of other parts with the messages that an input expects.
func (s *System) producers(to port) (list []port) {
	for _, p := range s.Parts {
		for _, v := range p.Variables() {
			if p != to.part && v.Role == cosim.Output && connect.MessageOf(v) == connect.MessageOf(
				to.variable) {
				list = append(list, port{part: p, variable: v})
			}
		}
	}
	return list
}

// Fed reports whether an input, named PART.VARIABLE, has a connection.
func (s *System) Fed(input string) bool {
	return slices.ContainsFunc(s.Connections,
		func(c cosim.Connection) bool { return c.To == input })
}

// Source returns the output that feeds an input, named PART.VARIABLE; "" if it has no connection.
func (s *System) Source(input string) string {
	for _, c := range s.Connections {
		if c.To == input {
			return c.From
		}
	}
	return ""
}

func (s *System) connected(to port) bool { return s.Fed(to.name()) }

// either lists the names of ports as alternatives.
func either(ports []port) string {
	names := make([]string, len(ports))
	for k, p := range ports {
		names[k] = p.name()
	}
	return strings.Join(names, " or ")
}
