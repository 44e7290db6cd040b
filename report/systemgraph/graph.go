// Package systemgraph draws systems of components as SVG: boxes with the names, kinds and rates of
// components, and arrows for connections.
//
//	err := systemgraph.Write(w, systemgraph.Graph{Nodes: nodes, Edges: edges})
//
// The rules:
//
//   - Values flow from left to right: a component stands to the right of all its sources. An edge
//     that closes a loop goes back from right to left and is drawn dashed.
//   - Components are ordered so that few arrows cross. All connections between two components are one
//     arrow; its tooltip lists them.
//   - The same graph gives the same bytes. No text is measured: widths assume a fixed-width font.
//
// The layout follows Sugiyama, Tagawa and Toda (1981): first layers, then an order by barycenters,
// then positions.
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
	Loop  bool     // it is part of a loop, and is marked
}

// Edge is the set of connections from one component to another.
type Edge struct {
	From, To int      // numbers of nodes
	Labels   []string // the connections
	Back     bool     // set by the layout: it closes a loop
}
