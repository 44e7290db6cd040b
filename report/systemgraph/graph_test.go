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
)

// random draws a graph with arbitrary edges, including loops and edges from a node to itself.
func random(t *rapid.T) Graph {
	n := rapid.IntRange(1, 50).Draw(t, "nodes")
	var g Graph
	for k := range n {
		g.Nodes = append(g.Nodes, Node{Name: fmt.Sprintf("component<%d>", k),
			Lines: []string{"x.fmu", "10 ms"}})
	}
	for range rapid.IntRange(0, 120).Draw(t, "edges") {
		g.Edges = append(g.Edges, Edge{From: rapid.IntRange(0, n-1).Draw(t, "from"),
			To: rapid.IntRange(0, n-1).Draw(t, "to"), Labels: []string{"a & b"}})
	}
	return g
}

// Boxes never overlap, arrows go to the right unless they close a loop, and the same graph produces
// the same well-formed bytes.
func TestWrite_AnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := random(t)
		l := place(g)
		for _, layer := range l.layers {
			for k := 1; k < len(layer); k++ {
				require.GreaterOrEqual(t, layer[k].y+1e-6, layer[k-1].y+layer[k-1].height,
					"boxes overlap")
			}
		}
		for k, e := range l.edges {
			left, right := e.ends()
			if left != right {
				require.Less(t, l.boxes[left].layer, l.boxes[right].layer,
					"edge %d does not lead to the right", k)
			}
		}
		var a, b bytes.Buffer
		require.NoError(t, Write(&a, g))
		require.NoError(t, Write(&b, g))
		require.Equal(t, a.String(), b.String())
		wellFormed(t, a.Bytes())
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

// A chain is drawn in its order, without crossing arrows, and only the edge that closes a loop is
// marked.
func TestPlace_ChainAndLoop(t *testing.T) {
	g := Graph{Nodes: []Node{{Name: "c"}, {Name: "a"}, {Name: "b"}}, Edges: []Edge{{From: 1, To: 2},
		{From: 2, To: 0}}}
	l := place(g)
	require.Equal(t, []int{2, 0, 1}, []int{l.boxes[0].layer, l.boxes[1].layer, l.boxes[2].layer})
	require.Zero(t, l.crossings())

	g.Edges = append(g.Edges, Edge{From: 0, To: 1})
	back := 0
	for _, e := range place(g).edges {
		if e.Back {
			back++
		}
	}
	require.Equal(t, 1, back)
}

// Pairs that are declared crosswise are placed without crossings.
func TestPlace_AvoidsCrossings(t *testing.T) {
	var g Graph
	const n = 8
	for range 2 * n {
		g.Nodes = append(g.Nodes, Node{Name: "x"})
	}
	for k := range n {
		g.Edges = append(g.Edges, Edge{From: k, To: 2*n - 1 - k})
	}
	require.Zero(t, place(g).crossings())
}
