package connect

import (
	"slices"
	"strings"

	"gosmp/cosim"
)

// Time sets the timings of connections by their content, so that the order in which parts are added
// does not matter. A step runs in this order: all drivers, from the SensorViews of the last
// communication point; then the world, which applies their TrafficUpdates as the state at the end
// of the step; then sensors, fusion and functions. Worlds are the parts that receive
// TrafficUpdates, and the parts with the given names. Drivers are the parts that send
// TrafficUpdates, or MotionRequests to a world, and the parts on which they depend, up to the
// sensors: parts that send SensorData or SensorViews.
//
// A connection with TrafficUpdates, or MotionRequests to a world, must not lag. Within a cycle,
// connections from other parts to drivers lag, and so do connections to worlds from parts that are
// not drivers.
func Time(parts []Part, worlds []string, made []cosim.Connection) {
	g := newGraph(parts, worlds, made)
	for k := range made {
		from, to := g.from[k], g.to[k]
		switch {
		case from < 0 || to < 0:
		case g.update[k]:
			made[k].Timing = cosim.Prompt
		case g.ends[k] || !g.reach(to, from):
		case g.driver[to] && !g.driver[from], g.world[to] && !g.driver[from]:
			made[k].Timing = cosim.Lagging
		}
	}
}

// graph holds parts and the connections between them, both by index.
type graph struct {
	from, to      []int  // of connections; -1: not one of the parts
	ends          []bool // connections that end with the initialization
	update        []bool // connections with TrafficUpdates
	world, driver []bool
}

func newGraph(parts []Part, worlds []string, made []cosim.Connection) *graph {
	g := &graph{world: make([]bool, len(parts)), driver: make([]bool, len(parts))}
	for k := range parts {
		g.world[k] = slices.Contains(worlds, parts[k].Name)
	}
	for _, c := range made {
		from, _ := locate(parts, c.From)
		to, input := locate(parts, c.To)
		g.from, g.to = append(g.from, from), append(g.to, to)
		v := variableOf(parts, to, input)
		g.ends = append(g.ends, v.Role == cosim.Parameter)
		g.update = append(g.update, v.Role == cosim.Input && MessageOf(v) == "TrafficUpdate")
	}
	for k := range made {
		if g.update[k] && g.from[k] >= 0 {
			g.world[g.to[k]], g.driver[g.from[k]] = true, true
		}
	}
	for k, c := range made { // a planner, unless a vehicle model receives its requests
		if to, input := locate(parts, c.To); g.from[k] >= 0 && to >= 0 && g.world[to] &&
			MessageOf(variableOf(parts, to, input)) == "MotionRequest" {
			g.update[k], g.driver[g.from[k]] = true, true
		}
	}
	g.spread(parts)
	return g
}

// spread also marks the parts on which drivers depend, up to sensors, as drivers.
func (g *graph) spread(parts []Part) {
	for changed := true; changed; {
		changed = false
		for k, from := range g.from {
			to := g.to[k]
			if from >= 0 && to >= 0 && !g.ends[k] && g.driver[to] && !g.driver[from] &&
				!g.world[from] && !senses(&parts[from]) {
				g.driver[from], changed = true, true
			}
		}
	}
}

// senses reports whether a part sends what sensors send.
func senses(p *Part) bool {
	return slices.ContainsFunc(p.Variables, func(v cosim.Variable) bool {
		m := MessageOf(v)
		return v.Role == cosim.Output && (m == "SensorData" || m == "SensorView")
	})
}

// reach reports whether values from one part reach another.
func (g *graph) reach(from, to int) bool {
	seen := map[int]bool{from: true}
	for list := []int{from}; len(list) > 0; {
		part := list[0]
		if list = list[1:]; part == to {
			return true
		}
		for k := range g.from {
			if g.from[k] == part && g.to[k] >= 0 && !g.ends[k] && !seen[g.to[k]] {
				seen[g.to[k]] = true
				list = append(list, g.to[k])
			}
		}
	}
	return false
}

// locate is like find, but returns the index of the part, or -1 if there is no such part.
func locate(parts []Part, name string) (part int, variable string) {
	for k := range parts {
		if variable, is := strings.CutPrefix(name, parts[k].Name+"."); is &&
			parts[k].has(variable) {
			return k, variable
		}
	}
	return -1, ""
}

func variableOf(parts []Part, part int, name string) cosim.Variable {
	if part < 0 {
		return cosim.Variable{}
	}
	list := parts[part].Variables
	return list[slices.IndexFunc(list, func(v cosim.Variable) bool { return v.Name == name })]
}
