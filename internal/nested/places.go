package nested

import (
	"cmp"
	"slices"
)

// place sets the horizontal positions of items and ports.
func (l *level) place() {
	for _, row := range l.rows {
		x := inset
		for k, i := range row {
			if k > 0 {
				x += between(row[k-1], i)
			}
			i.x = x
			x += i.width
		}
		for _, i := range row {
			i.setPorts()
		}
	}
	count := 0
	for _, row := range l.rows {
		count += len(row)
	}
	for k := range 2 * passes(count) {
		for n := range l.rows {
			if k%2 == 0 {
				settle(l.rows[n], (*item).fromAbove)
			} else {
				settle(l.rows[len(l.rows)-1-n], (*item).fromBelow)
			}
		}
	}
	least := l.rows[0][0].x
	for _, row := range l.rows {
		for _, i := range row {
			least = min(least, i.x)
		}
	}
	for _, row := range l.rows {
		for _, i := range row {
			i.x += inset - least
		}
	}
	for _, row := range l.rows {
		for _, i := range row {
			i.slidePorts()
		}
	}
}

// between returns the space between two neighbours in a layer.
func between(a, b *item) int {
	if a.box == nil && b.box == nil {
		return pitch + 2
	}
	return apart
}

// setPorts sets the offsets at which links meet an item, and how far they may move.
func (i *item) setPorts() {
	border := [2]int{i.left, i.left}
	if i.box != nil {
		border = [2]int{i.left + i.box.DotX() + margin, i.left + i.box.Width - pitch}
	}
	for _, k := range i.up {
		if k.to = i.upperPort(k.piece.arrow); k.to < 0 {
			k.to, k.toRange = (border[0]+border[1])/2, border
		} else {
			k.toRange = [2]int{k.to, k.to}
		}
	}
	for _, k := range i.down {
		if k.from = i.lowerPort(k.piece.arrow); k.from < 0 {
			k.from, k.fromRange = (border[0]+border[1])/2, border
		} else {
			k.fromRange = [2]int{k.from, k.from}
		}
	}
}

// upperPort returns where an arrow meets an item from above, or -1 if that is open.
func (i *item) upperPort(a *Arrow) int {
	switch i.box {
	case nil:
		return 0
	case a.From: // up at the left; of two lines, the upper one is nearer to the box
		return i.left - pitch*(1+before(i.box.ups, a))
	case a.To:
		return -1
	}
	return i.left + i.box.level.through[a]
}

// lowerPort returns where an arrow meets an item from below, or -1 if that is open.
func (i *item) lowerPort(a *Arrow) int {
	switch i.box {
	case nil:
		return 0
	case a.From: // down at the right; of two lines, the lower one is nearer to the box
		return i.width - pitch*before(i.box.downs, a)
	case a.To:
		return -1
	}
	return i.left + i.box.level.through[a]
}

// before returns the number of arrows in a list that leave above an arrow. Of very many, only some
// have places of their own.
func before(list []*Arrow, a *Arrow) (n int) {
	seen := false
	for _, other := range list[:min(len(list), largest)] {
		if other == a {
			seen = true
		} else if other.Line < a.Line || other.Line == a.Line && !seen {
			n++
		}
	}
	return n
}

// slidePorts moves the ends of links along the border of their target, toward the origin of the
// links, as far as their order, other arrows and the ends of the border allow.
func (i *item) slidePorts() {
	if i.box == nil {
		return
	}
	var above, below []*link
	taken := map[bool][]int{} // offsets of arrows that pass the upper and lower borders
	sort := func(k *link, own *[]*link, at int, upper bool) {
		switch i.box {
		case k.piece.arrow.To:
			*own = append(*own, k)
		case k.piece.arrow.From:
		default:
			taken[upper] = append(taken[upper], at)
		}
	}
	for _, k := range i.up {
		sort(k, &above, k.to, true)
	}
	for _, k := range i.down {
		sort(k, &below, k.from, false)
	}
	i.slide(above, taken[true], func(k *link) (end *int, wish int) {
		return &k.to, k.upper.x + k.from - i.x
	})
	i.slide(below, taken[false], func(k *link) (end *int, wish int) {
		return &k.from, k.lower.x + k.to - i.x
	})
}

// slide sets the ends of links at one border of a box as near as possible to their preferred
// positions.
func (i *item) slide(links []*link, taken []int, port func(*link) (end *int, wish int)) {
	slices.SortStableFunc(links, func(a, b *link) int {
		endA, wishA := port(a)
		endB, wishB := port(b)
		return cmp.Or(cmp.Compare(wishA, wishB), cmp.Compare(*endA, *endB))
	})
	// a few pixels more than setPorts allows, so that there is no need for a small bend
	least, most := i.left+i.box.DotX()+pitch, i.left+i.box.Width-pitch/2
	free := func(x int) bool {
		return !slices.ContainsFunc(taken, func(other int) bool {
			return x-other < pitch && other-x < pitch
		})
	}
	for n, k := range links {
		end, wish := port(k)
		last := most - pitch*(len(links)-1-n)
		x := max(min(wish, last), least)
		for x < last && !free(x) {
			x++
		}
		for x > least && !free(x) {
			x--
		}
		*end, least = x, x+pitch
	}
}

// weight returns the priority of keeping a link straight, which is highest between points.
func (k *link) weight() int {
	switch {
	case k.upper.box == nil && k.lower.box == nil:
		return 8
	case k.upper.box == nil || k.lower.box == nil:
		return 2
	}
	return 1
}

// fromAbove returns the sum of the positions that the links from above prefer, and the sum of their
// weights.
func (i *item) fromAbove() (sum, weight int) {
	for _, k := range i.up {
		if k.upper.layer >= 0 || i.box == nil {
			w := k.weight()
			sum, weight = sum+w*wish(i, k.toRange, k.upper, k.fromRange), weight+w
		}
	}
	return sum, weight
}

func (i *item) fromBelow() (sum, weight int) {
	for _, k := range i.down {
		w := k.weight()
		sum, weight = sum+w*wish(i, k.fromRange, k.lower, k.toRange), weight+w
	}
	return sum, weight
}

// wish returns the position of an item at which a link is straight. If there are several, it
// returns the one at which the boxes at both ends are left-aligned, or otherwise the nearest one.
func wish(i *item, ends [2]int, other *item, ports [2]int) int {
	x := i.x
	if i.box != nil && other.box != nil {
		x = other.x + other.left - i.left
	}
	return min(max(x, other.x+ports[0]-ends[1]), other.x+ports[1]-ends[0])
}

// settle moves the items of a layer to their preferred positions, without changing their order.
// Items that collide form a group, which shares the difference.
func settle(row []*item, wish func(*item) (sum, weight int)) {
	type group struct {
		first, last int // in the row
		width       int
		sum, weight int // of the preferred starts of the group
	}
	at := func(g group) int { return g.sum / g.weight }
	var groups []group
	for n, i := range row {
		sum, weight := wish(i)
		if weight == 0 {
			sum, weight = i.x, 1
		}
		g := group{n, n, i.width, sum, weight}
		for len(groups) > 0 {
			b := groups[len(groups)-1]
			shift := b.width + between(row[b.last], row[g.first])
			if at(b)+shift <= at(g) {
				break
			}
			g = group{b.first, g.last, shift + g.width, b.sum + g.sum - shift*g.weight,
				b.weight + g.weight}
			groups = groups[:len(groups)-1]
		}
		groups = append(groups, g)
	}
	for _, g := range groups {
		x := at(g)
		for n := g.first; n <= g.last; n++ {
			if n > g.first {
				x += between(row[n-1], row[n])
			}
			row[n].x = x
			x += row[n].width
		}
	}
}
