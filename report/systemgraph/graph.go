// Package systemgraph draws systems of components as SVG: boxes with the names, kinds and rates of
// components, and arrows for connections.
//
//	err := systemgraph.Write(w, systemgraph.Graph{Nodes: nodes, Edges: edges})
//
// Guarantees:
//
//   - Values flow from left to right: a component is to the right of all its sources. An edge that
//     closes a loop leads back from right to left and is dashed.
//   - Components are ordered so that few arrows cross. All connections between two components are one
//     arrow; its tooltip lists them.
//   - The same graph produces the same bytes. No text is measured: widths assume a fixed-width
//     font.
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
	Loop  bool     // whether it is part of a loop, and marked
}

// Edge is the set of connections from one component to another.
type Edge struct {
	From, To int      // indices of nodes
	Labels   []string // the connections
	Back     bool     // set by the layout: whether it closes a loop
}
