package run

import (
	"strings"

	"gosmp/scenario/participant"
)

// seen lists the variables of an entity that may be a system's own input connectors.
var seen = []string{"x", "y", "z", "yaw", "speed", "acceleration", "exists", "controlled",
	participant.View, participant.DriversView, participant.Command}

// declared connects the system's own connectors to the entity's variables with the same names, and
// reports whether one of them moves the entity. In that case, no other output of its components
// does.
func (c *crew) declared(m *model, at func(string) string) (moves bool) {
	for _, x := range m.boundary {
		switch {
		case !strings.Contains(x.To, "."): // an output of the system
			if name := matching(x.To, append(participant.Controls(), participant.Update,
				participant.Motion)); name != "" &&
				m.role != "senses" && !c.System.Fed(at(name)) {
				x.To, moves = at(name), true
				c.System.Connections = append(c.System.Connections, x)
			}
		case !strings.Contains(x.From, ".") && !c.System.Fed(x.To):
			if name := matching(x.From, seen); name != "" {
				x.From = at(name)
				c.System.Connections = append(c.System.Connections, x)
			}
		}
	}
	return moves
}

// matching returns the variable of an entity that a connector matches, or "" for none.
func matching(connector string, names []string) string {
	if alias := aliases[connector]; alias != "" {
		connector = alias
	}
	for _, name := range names {
		if bare(name) == bare(connector) {
			return name
		}
	}
	return ""
}
