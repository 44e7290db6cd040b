package systemgraph

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/nested"
)

// random draws a graph with arbitrary edges, including loops and edges from a node to itself.
func random(t *rapid.T) Graph {
	n := rapid.IntRange(1, 50).Draw(t, "nodes")
	var g Graph
	for k := range n {
		name := rapid.SampledFrom([]string{"", "", "inner.", "inner.most.", "other."}).Draw(t, "in")
		g.Nodes = append(g.Nodes, Node{Name: fmt.Sprintf("%scomponent<%d>", name, k),
			Lines: []string{"x.fmu", "10 ms"}})
	}
	for range rapid.IntRange(0, 120).Draw(t, "edges") {
		g.Edges = append(g.Edges, Edge{From: rapid.IntRange(0, n-1).Draw(t, "from"),
			To: rapid.IntRange(0, n-1).Draw(t, "to"), Labels: []string{"a & b"}})
	}
	return g
}

func TestWrite_AnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := random(t)
		var a, b bytes.Buffer
		require.NoError(t, Write(&a, g))
		require.NoError(t, Write(&b, g))
		require.Equal(t, a.String(), b.String())
		wellFormed(t, a.Bytes())
		require.Equal(t, len(g.Edges), bytes.Count(a.Bytes(), []byte("<title>a &amp; b</title>")))
	})
}

func wellFormed(t require.TestingT, text []byte) {
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			require.NoError(t, err)
		}
	}
}

// A component is below its sources, and only the edge that closes a loop is marked.
func TestWrite_ChainAndLoop(t *testing.T) {
	g := Graph{Nodes: []Node{{Name: "c"}, {Name: "a"}, {Name: "b"}}, Edges: []Edge{{From: 1, To: 2},
		{From: 2, To: 0}}}
	p := newPicture(g)
	nested.Place(&p.root.Box, p.arrows)
	require.Less(t, p.nodes[1].Y, p.nodes[2].Y)
	require.Less(t, p.nodes[2].Y, p.nodes[0].Y)

	g.Edges = append(g.Edges, Edge{From: 0, To: 1, Labels: []string{"x -> y"}})
	var out bytes.Buffer
	require.NoError(t, Write(&out, g))
	require.Equal(t, 1, bytes.Count(out.Bytes(), []byte(`class="back"`)))
	require.Contains(t, out.String(), "→ a: x -&gt; y</text>")
}

// Components of a nested system are in its box.
func TestWrite_NestedSystems(t *testing.T) {
	g := Graph{Nodes: []Node{{Name: "s.t.a"}, {Name: "s.b"}, {Name: "c"}},
		Edges: []Edge{{From: 2, To: 0, Labels: []string{"x", "y"}}}}
	p := newPicture(g)
	nested.Place(&p.root.Box, p.arrows)
	require.Equal(t, []string{"s"}, p.root.inner[0].lines)
	s := p.root.inner[0]
	require.Equal(t, "t", s.inner[0].lines[0])
	require.Same(t, p.nodes[0], s.inner[0].inner[0])
	require.Same(t, p.nodes[1], s.inner[1])
	require.Equal(t, []string{"c", "→ s.t.a: 2 connections"}, p.nodes[2].lines)
	require.Greater(t, p.nodes[0].Y, s.Y)
	require.Less(t, p.nodes[0].X+p.nodes[0].Width, s.X+s.Width)
}
