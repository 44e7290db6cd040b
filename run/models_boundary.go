package run

import (
	"strings"

	"gosmp/scenario/participant"
)

// seen are the variables of an entity that a system may have as connectors of its own for inputs.
var seen = []string{"x", "y", "z", "yaw", "speed", "acceleration", "exists", "controlled",
	participant.View, participant.DriversView, participant.Command}

// declared connects the connectors that a system itself declares with the variables of the entity
// of their names, and reports whether one of them moves it. Then no other output of its components
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

// matching is the variable of an entity that a connector means; "": none.
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
