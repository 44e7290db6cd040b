// Package systemgraph draws systems of components as SVG: boxes with the names, kinds and rates of
// components, and arrows for connections.
//
//	err := systemgraph.Write(w, systemgraph.Graph{Nodes: nodes, Edges: edges})
//
// Guarantees:
//
//   - Values flow from top to bottom: a component is below all its sources. An edge that closes a
//     loop leads back up and is dashed.
//   - All connections from one component to another are one arrow. It begins at a line of text that
//     states its content; its tooltip lists all connections.
//   - Components of a nested system, whose names start with that system's name and a dot, are drawn
//     within a box.
//   - The same graph produces the same bytes. No text is measured: widths assume a fixed-width
//     font.
//
// Package internal/nested computes the positions.
//
// Types: [Graph], [Node], [Edge]; function [Write].
package systemgraph

// Graph is the graph to draw.
type Graph struct {
	Title string
	Nodes []Node
	Edges []Edge
}

// Node is a component.
type Node struct {
	Name  string
	Lines []string // below the name: the FMU, its rate
	Loop  bool     // whether it is part of a loop, and marked
}

// Edge is the set of connections from one component to another.
type Edge struct {
	From, To int      // indices of nodes
	Labels   []string // the connections
}
