package systemgraph

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"
)

// Dimensions of the drawing, in pixels.
const (
	letter   = 7.3 // width of a letter of the font
	line     = 16  // height of a line of text
	padding  = 10
	rowGap   = 26
	layerGap = 110
)

// box is a node of the layout: a component, or a point where a long arrow passes through a layer.
type box struct {
	node          int // -1 for a point
	layer         int
	x, y          float64
	width, height float64
	before, after []*box
	rank          int     // in the layer
	weight        float64 // for the order
}

// layout holds the positions of all boxes.
type layout struct {
	boxes  []*box
	layers [][]*box
	edges  []Edge
	// of each edge, from its source to its destination in the direction of the layers
	routes [][]*box
}

// place returns the layout of a graph.
func place(g Graph) *layout {
	l := &layout{edges: slices.Clone(g.Edges)}
	for k, n := range g.Nodes {
		b := &box{node: k, height: float64(line*(1+len(n.Lines)) + 2*padding)}
		longest := utf8.RuneCountInString(n.Name)
		for _, text := range n.Lines {
			longest = max(longest, utf8.RuneCountInString(text))
		}
		b.width = float64(float64(longest)*letter) + 2*padding
		l.boxes = append(l.boxes, b)
	}
	l.breakLoops(len(g.Nodes))
	l.assignLayers(len(g.Nodes))
	l.addPoints()
	l.order()
	l.setPlaces()
	return l
}

// breakLoops reverses edges that lead back. It finds them by a depth-first search from the nodes in
// order.
func (l *layout) breakLoops(count int) {
	out := make([][]int, count)
	for k, e := range l.edges {
		out[e.From] = append(out[e.From], k)
	}
	state := make([]int, count) // 1: on the path, 2: done
	type frame struct{ node, edge int }
	for root := range count {
		if state[root] != 0 {
			continue
		}
		state[root] = 1
		for path := []frame{{root, 0}}; len(path) > 0; {
			f := &path[len(path)-1]
			if f.edge == len(out[f.node]) {
				state[f.node] = 2
				path = path[:len(path)-1]
				continue
			}
			e := &l.edges[out[f.node][f.edge]]
			f.edge++
			switch state[e.To] {
			case 0:
				state[e.To] = 1
				path = append(path, frame{e.To, 0})
			case 1:
				e.Back = true
			}
		}
	}
}

// ends returns the source and the destination in the direction of the layers.
func (e Edge) ends() (left, right int) {
	if e.Back {
		return e.To, e.From
	}
	return e.From, e.To
}

// assignLayers puts each node as far left as its sources allow, and then moves nodes without
// sources next to their targets.
func (l *layout) assignLayers(count int) {
	waiting := make([]int, count)
	out := make([][]int, count)
	for _, e := range l.edges {
		if left, right := e.ends(); left != right {
			waiting[right]++
			out[left] = append(out[left], right)
		}
	}
	var ready []int
	first := make([]bool, count)
	for k := range count {
		if waiting[k] == 0 {
			ready, first[k] = append(ready, k), true
		}
	}
	for len(ready) > 0 {
		at := ready[0]
		ready = ready[1:]
		for _, to := range out[at] {
			l.boxes[to].layer = max(l.boxes[to].layer, l.boxes[at].layer+1)
			if waiting[to]--; waiting[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	for k := range count {
		if !first[k] || len(out[k]) == 0 {
			continue
		}
		nearest := math.MaxInt
		for _, to := range out[k] {
			nearest = min(nearest, l.boxes[to].layer)
		}
		l.boxes[k].layer = nearest - 1
	}
}

// addPoints routes arrows over several layers through points, and fills the layers.
func (l *layout) addPoints() {
	for _, e := range l.edges {
		left, right := e.ends()
		route := []*box{l.boxes[left]}
		for layer := l.boxes[left].layer + 1; layer < l.boxes[right].layer; layer++ {
			p := &box{node: -1, layer: layer, height: 4}
			l.boxes = append(l.boxes, p)
			route = append(route, p)
		}
		route = append(route, l.boxes[right])
		for k := 1; k < len(route) && left != right; k++ {
			route[k].before = append(route[k].before, route[k-1])
			route[k-1].after = append(route[k-1].after, route[k])
		}
		l.routes = append(l.routes, route)
	}
	for _, b := range l.boxes {
		for len(l.layers) <= b.layer {
			l.layers = append(l.layers, nil)
		}
		l.layers[b.layer] = append(l.layers[b.layer], b)
	}
}

// largest is the maximum number of boxes that are reordered. A larger picture is unreadable anyway,
// and keeps the order of the file.
const largest = 4000

// sweeps is the number of passes that improve the order of the layers.
const sweeps = 12

// order places the boxes of each layer near the boxes that they are connected to, and keeps the
// order with the fewest crossings.
func (l *layout) order() {
	for _, layer := range l.layers {
		rank(layer)
	}
	if len(l.boxes) > largest {
		return
	}
	best, fewest := l.positions(), l.crossings()
	for k := 0; k < sweeps && fewest > 0; k++ {
		for n := range l.layers {
			if k%2 == 0 {
				reorder(l.layers[n], func(b *box) []*box { return b.before })
			} else {
				reorder(l.layers[len(l.layers)-1-n], func(b *box) []*box { return b.after })
			}
		}
		if n := l.crossings(); n < fewest {
			best, fewest = l.positions(), n
		}
	}
	l.layers = best
}

// reorder sorts a layer by the mean rank of the neighbours of its boxes.
func reorder(layer []*box, neighbours func(*box) []*box) {
	for _, b := range layer {
		b.weight = float64(b.rank)
		if near := neighbours(b); len(near) > 0 {
			b.weight = 0
			for _, other := range near {
				b.weight += float64(other.rank) / float64(len(near))
			}
		}
	}
	slices.SortStableFunc(layer, func(a, b *box) int { return cmp.Compare(a.weight, b.weight) })
	rank(layer)
}

func rank(layer []*box) {
	for k, b := range layer {
		b.rank = k
	}
}

func (l *layout) positions() (all [][]*box) {
	for _, layer := range l.layers {
		all = append(all, slices.Clone(layer))
	}
	return all
}

// crossings counts the pairs of arrows that cross between two layers.
func (l *layout) crossings() (n int) {
	for _, layer := range l.layers {
		var ends []int
		for _, b := range layer {
			targets := make([]int, 0, len(b.after))
			for _, to := range b.after {
				targets = append(targets, to.rank)
			}
			slices.Sort(targets)
			for _, t := range targets {
				for _, other := range ends {
					if other > t {
						n++
					}
				}
			}
			ends = append(ends, targets...)
		}
	}
	return n
}

// setPlaces assigns coordinates to the boxes: layers from left to right, and boxes within a layer
// as near to their neighbours as the other boxes allow.
func (l *layout) setPlaces() {
	x := 0.0
	for _, layer := range l.layers {
		widest, y := 0.0, 0.0
		for _, b := range layer {
			widest = max(widest, b.width)
		}
		for _, b := range layer {
			b.x, b.y = x+(widest-b.width)/2, y
			if b.node < 0 {
				b.x = x + widest/2
			}
			y += b.height + rowGap
		}
		x += widest + layerGap
	}
	for k := range 2 * sweeps {
		for n := range l.layers {
			if k%2 == 0 {
				settle(l.layers[n], func(b *box) []*box { return b.before })
			} else {
				settle(l.layers[len(l.layers)-1-n], func(b *box) []*box { return b.after })
			}
		}
	}
	top := math.Inf(1)
	for _, b := range l.boxes {
		top = min(top, b.y)
	}
	for _, b := range l.boxes {
		b.y -= top
	}
}

// settle moves the boxes of a layer towards their neighbours, without changing their order. Boxes
// that collide share the difference.
func settle(layer []*box, neighbours func(*box) []*box) {
	type group struct {
		boxes  []*box
		offset []float64 // of each box in the group
		height float64
		wish   float64 // sum of the ideal starts of the group for its boxes
		at     float64
	}
	var groups []*group
	for _, b := range layer {
		wish := b.y
		if near := neighbours(b); len(near) > 0 {
			wish = -b.height / 2
			for _, other := range near {
				wish += (other.y + other.height/2) / float64(len(near))
			}
		}
		g := &group{boxes: []*box{b}, offset: []float64{0}, height: b.height, wish: wish, at: wish}
		groups = append(groups, g)
		for len(groups) > 1 {
			last, before := groups[len(groups)-1], groups[len(groups)-2]
			if before.at+before.height+rowGap <= last.at {
				break
			}
			shift := before.height + rowGap
			for k, b := range last.boxes {
				before.boxes = append(before.boxes, b)
				before.offset = append(before.offset, last.offset[k]+shift)
			}
			before.wish += last.wish - float64(shift*float64(len(last.boxes)))
			before.height = shift + last.height
			before.at = before.wish / float64(len(before.boxes))
			groups = groups[:len(groups)-1]
		}
	}
	for _, g := range groups {
		for k, b := range g.boxes {
			b.y = g.at + g.offset[k]
		}
	}
}
