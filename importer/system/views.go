package system

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/cosim"
)

// carries reports whether a variable is a message of OSI of a kind, by its MIME type.
func carries(v cosim.Variable, kind string) bool {
	mime := strings.Join(strings.Fields(v.MIMEType), "")
	return v.Kind == cosim.Binary && strings.Contains(mime+";", "type="+kind+";")
}

// ConnectViews connects each input for SensorViews that has no connection, and is not among the
// given labels, with the only producer of them beside its own part. Where there are several it
// connects nothing and leaves a warning.
func (s *System) ConnectViews(except ...string) {
	var producers, readers []port
	for _, p := range s.Parts {
		for _, v := range p.Variables() {
			switch {
			case !carries(v, "SensorView"):
			case v.Role == cosim.Output:
				producers = append(producers, port{part: p, variable: v})
			case v.Role == cosim.Input && !slices.Contains(except, s.Label(p, v.Name)):
				readers = append(readers, port{part: p, variable: v})
			}
		}
	}
	for _, reader := range readers {
		others := slices.DeleteFunc(slices.Clone(producers), func(p port) bool { return p.part == reader.part })
		switch connected := s.connected(reader); {
		case connected:
		case len(others) == 1:
			s.connectFree(others[0], reader)
		case len(others) > 1:
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s is not connected: it could be to %s; --connect chooses",
				reader.name(), either(others)))
		}
	}
}

// connected reports whether an input has a connection.
func (s *System) connected(to port) bool {
	return slices.ContainsFunc(s.Connections, func(c cosim.Connection) bool { return c.To == to.name() })
}

// either lists the names of ports.
func either(ports []port) string {
	names := make([]string, len(ports))
	for k, p := range ports {
		names[k] = p.name()
	}
	return strings.Join(names, " or ")
}
