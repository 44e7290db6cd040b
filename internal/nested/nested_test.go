package nested

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// graph is a random graph of boxes in boxes, with arrows between any two of them.
func graph(t *rapid.T) (root *Box, all []*Box, arrows []*Arrow) {
	root = &Box{TextWidth: 100, TextHeight: 27}
	all = []*Box{root}
	for range rapid.IntRange(1, 25).Draw(t, "boxes") {
		lines := rapid.IntRange(0, 3).Draw(t, "lines")
		b := &Box{TextWidth: rapid.IntRange(40, 300).Draw(t, "width"),
			TextHeight: 27 + 17*lines, First: rapid.Bool().Draw(t, "first")}
		in := all[rapid.IntRange(0, len(all)-1).Draw(t, "in")]
		in.Boxes, all = append(in.Boxes, b), append(all, b)
	}
	for range rapid.IntRange(0, 40).Draw(t, "arrows") {
		from := all[rapid.IntRange(0, len(all)-1).Draw(t, "from")]
		to := all[rapid.IntRange(0, len(all)-1).Draw(t, "to")]
		if from == root || to == root {
			continue
		}
		line := rapid.IntRange(0, (from.TextHeight-10)/17-1).Draw(t, "line")
		arrows = append(arrows, &Arrow{From: from, To: to, Line: 13 + 17*line})
	}
	return root, all, arrows
}

func contains(outer, inner *Box) bool {
	for ; inner != nil; inner = inner.parent {
		if inner == outer {
			return true
		}
	}
	return false
}

// crosses reports whether the line from a to b has a point strictly within a rectangle.
func crosses(a, b Point, x, y, width, height int) bool {
	return max(a.X, b.X) > x && min(a.X, b.X) < x+width &&
		max(a.Y, b.Y) > y && min(a.Y, b.Y) < y+height
}

func TestPlace_AnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root, all, arrows := graph(t)
		Place(root, arrows)
		for _, b := range all[1:] {
			in := b.parent
			require.True(t, b.X > in.X && b.X+b.Width < in.X+in.Width &&
				b.Y+b.Height < in.Y+in.Height &&
				b.Y-b.dot() >= in.Y+in.TextHeight, "a box is inside its parent, below the text")
			require.GreaterOrEqual(t, b.Width, b.Indent+b.TextWidth)
			for _, other := range in.Boxes {
				if other != b {
					require.True(t, b.X+b.Width < other.X || other.X+other.Width < b.X ||
						b.Y+b.Height <= other.Y-other.dot() || other.Y+other.Height <= b.Y-b.dot(),
						"boxes overlap")
				}
			}
		}
		for _, a := range arrows {
			requireCourse(t, a, all)
		}
	})
}

// requireCourse examines the course of an arrow: where it begins and ends, and what it crosses.
func requireCourse(t *rapid.T, a *Arrow, all []*Box) {
	first, last := a.Points[0], a.Points[len(a.Points)-1]
	require.Equal(t, a.From.Y+a.Line, first.Y, "an arrow begins at its line")
	require.True(t, last.X > a.To.X && last.X <= a.To.X+a.To.Width)
	switch {
	case a.From == a.To:
		require.Equal(t, a.To.X+a.To.Width, last.X)
	case a.Back || contains(a.To, a.From):
		require.Equal(t, a.To.Y+a.To.Height, last.Y)
	default:
		require.Equal(t, a.To.Y, last.Y)
	}
	for k, p := range a.Points[1:] {
		before := a.Points[k]
		require.True(t, (p.X == before.X) != (p.Y == before.Y), "horizontal or vertical: %v",
			a.Points)
		for _, b := range all {
			require.False(t, crosses(before, p, b.X+b.Indent+pitch, b.Y, b.TextWidth-2*pitch,
				b.TextHeight), "an arrow crosses the text of a box")
			if !contains(b, a.From) && !contains(b, a.To) {
				require.False(t, crosses(before, p, b.X, b.Y, b.Width, b.Height),
					"an arrow crosses a box")
			}
			if b.First {
				require.False(t, a.To == b && k == len(a.Points)-2 &&
					crosses(before, p, b.X+b.DotX()-6, b.Y-dotSpace, 12, dotSpace), "over a dot")
			}
		}
	}
}

func text(arrows []*Arrow, all []*Box) (s string) {
	for _, b := range all {
		s += fmt.Sprintln(b.X, b.Y, b.Width, b.Height, b.Indent)
	}
	for _, a := range arrows {
		s += fmt.Sprintln(a.Points, a.Path())
	}
	return s
}

func TestPlace_IsRepeatable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root, all, arrows := graph(t)
		Place(root, arrows)
		first := text(arrows, all)
		Place(root, arrows)
		require.Equal(t, first, text(arrows, all))
	})
}

// chain returns n boxes in a root.
func chain(n int) (root *Box, boxes []*Box) {
	root = &Box{TextWidth: 50, TextHeight: 20}
	for range n {
		root.Boxes = append(root.Boxes, &Box{TextWidth: 80, TextHeight: 44})
	}
	return root, root.Boxes
}

func TestPlace_ChainGoesDownAndLoopBackUp(t *testing.T) {
	root, b := chain(3)
	arrows := []*Arrow{{From: b[0], To: b[1], Line: 30}, {From: b[1], To: b[2], Line: 30},
		{From: b[2], To: b[0], Line: 30}}
	Place(root, arrows)
	require.Less(t, b[0].Y+b[0].Height, b[1].Y)
	require.Less(t, b[1].Y+b[1].Height, b[2].Y)
	require.Equal(t, []bool{false, false, true},
		[]bool{arrows[0].Back, arrows[1].Back, arrows[2].Back})
	require.Equal(t, Point{b[0].X + b[0].Width, b[0].Y + 30}, arrows[0].Points[0])
	require.Equal(t, Point{b[2].X, b[2].Y + 30}, arrows[2].Points[0])
}

// TestPlace_AvoidsCrossings: pairs that are declared crosswise are placed side by side.
func TestPlace_AvoidsCrossings(t *testing.T) {
	const n = 6
	root, b := chain(2 * n)
	var arrows []*Arrow
	for k := range n {
		arrows = append(arrows, &Arrow{From: b[k], To: b[2*n-1-k], Line: 30})
	}
	Place(root, arrows)
	require.Zero(t, root.level.crossings())
}

// TestPlace_WideLayersAreFolded: forty boxes without arrows are not all in one row.
func TestPlace_WideLayersAreFolded(t *testing.T) {
	root, _ := chain(40)
	Place(root, nil)
	require.Less(t, root.Width, 3*root.Height)
	require.Less(t, root.Height, 3*root.Width)
}

// TestPlace_FanDoesNotCross: the arrow of the upper line leads to the box on the right, because
// this arrow runs farther from its own box.
func TestPlace_FanDoesNotCross(t *testing.T) {
	root, b := chain(4)
	b[0].TextHeight = 80
	var arrows []*Arrow
	for k := range 3 {
		arrows = append(arrows, &Arrow{From: b[0], To: b[k+1], Line: 30 + 17*k})
	}
	Place(root, arrows)
	require.Greater(t, b[1].X, b[2].X)
	require.Greater(t, b[2].X, b[3].X)
}
