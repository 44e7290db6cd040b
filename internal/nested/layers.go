package nested

import "slices"

// assignLayers puts each box below all boxes that lead to it, except for arrows that close loops.
func assignLayers(boxes []*Box, edges [][2]*Box) {
	out := map[*Box][]*Box{}
	for _, e := range edges {
		out[e[0]] = append(out[e[0]], e[1])
	}
	order := forward(boxes, out)
	rank := map[*Box]int{}
	for k, b := range order {
		rank[b], b.layer = k, 0
	}
	lower, entered := map[*Box][]*Box{}, map[*Box]bool{}
	for _, e := range edges {
		up, down := e[0], e[1]
		if rank[up] > rank[down] {
			up, down = down, up
		}
		lower[up], entered[down] = append(lower[up], down), true
	}
	for _, b := range order {
		for _, down := range lower[b] {
			down.layer = max(down.layer, b.layer+1)
		}
	}
	for _, b := range order { // a box to which no arrow leads is placed next to its nearest target
		if entered[b] || b.First || len(lower[b]) == 0 {
			continue
		}
		nearest := lower[b][0].layer
		for _, down := range lower[b] {
			nearest = min(nearest, down.layer)
		}
		b.layer = nearest - 1
	}
}

// forward returns boxes in an order in which only arrows that close loops lead back. It performs a
// depth-first search from the boxes marked as first, then from the others in their order.
func forward(boxes []*Box, out map[*Box][]*Box) []*Box {
	var after []*Box
	seen := map[*Box]bool{}
	var visit func(b *Box)
	visit = func(b *Box) {
		if seen[b] {
			return
		}
		seen[b] = true
		for _, to := range out[b] {
			visit(to)
		}
		after = append(after, b)
	}
	for _, first := range []bool{true, false} {
		for _, b := range boxes {
			if b.First == first {
				visit(b)
			}
		}
	}
	slices.Reverse(after)
	return after
}
