package nested

import (
	"cmp"
	"slices"
)

// largest is the number of items, or of links between them, above which their order is left
// unchanged. A larger picture is unreadable anyway.
const largest = 4000

// passes returns the number of attempts to improve the order and positions of a number of items.
func passes(count int) int {
	if count > largest {
		return 1
	}
	return 16
}

// order arranges the items of each layer near the items that they are linked to, and keeps the
// order with the fewest crossings.
func (l *level) order() {
	count, links := 0, 0
	for _, row := range l.rows {
		rank(row)
		count += len(row)
		for _, i := range row {
			links += len(i.up)
		}
	}
	if count > largest || links > largest { // crossings compares all pairs of links
		return
	}
	best, fewest := l.copyRows(), l.crossings()
	for k := 0; k < passes(count) && fewest > 0; k++ {
		for n := range l.rows {
			if k%2 == 0 {
				reorder(l.rows[n], func(i *item) (weights []int) {
					for _, k := range i.up {
						weights = append(weights, k.upper.rank*portion+k.leaves())
					}
					return weights
				})
				continue
			}
			reorder(l.rows[len(l.rows)-1-n], func(i *item) (weights []int) {
				for _, k := range i.down {
					weights = append(weights, k.lower.rank*portion+k.arrives())
				}
				return weights
			})
		}
		if n := l.crossings(); n < fewest {
			best, fewest = l.copyRows(), n
		}
	}
	l.rows = best
	for _, row := range l.rows {
		rank(row)
	}
}

// portion is the width of an item in the order, in which its ports have places.
const portion = 64

// leaves returns the place of a link's upper end within its item. Arrows begin at the right; the
// arrow of the lower line is nearer to the box.
func (k *link) leaves() int {
	if b := k.upper.box; b != nil && k.piece.arrow.From == b {
		return portion - 1 - min(before(b.downs, k.piece.arrow), portion/4-1)
	}
	return k.middle(k.upper)
}

// arrives returns the place of a link's lower end within its item. Arrows that lead back begin at
// the left; the arrow of the upper line is nearer to the box.
func (k *link) arrives() int {
	if b := k.lower.box; b != nil && k.piece.arrow.From == b {
		return max(portion/4-1-before(b.ups, k.piece.arrow), 0)
	}
	return k.middle(k.lower)
}

// middle returns the place where a link meets or passes the border of a box.
func (k *link) middle(i *item) int {
	if i.box == nil || k.piece.arrow.To == i.box {
		return portion / 2
	}
	return portion/4 + i.box.level.through[k.piece.arrow]*(portion/2)/max(i.box.Width, 1)
}

func rank(row []*item) {
	for k, i := range row {
		i.rank = k
	}
}

// reorder sorts a layer by the mean position of the items to which its items are linked.
func reorder(row []*item, places func(*item) []int) {
	for _, i := range row {
		const scale = 1000
		i.weight = scale * portion * i.rank
		if all := places(i); len(all) > 0 {
			sum := 0
			for _, n := range all {
				sum += n
			}
			i.weight = scale * sum / len(all)
		}
	}
	slices.SortStableFunc(row, func(a, b *item) int { return cmp.Compare(a.weight, b.weight) })
	rank(row)
}

func (l *level) copyRows() (all [][]*item) {
	for _, row := range l.rows {
		all = append(all, slices.Clone(row))
	}
	return all
}

// crossings counts the pairs of links that cross between two layers.
func (l *level) crossings() (n int) {
	for _, row := range l.rows {
		var ends [][2]int
		for _, i := range row {
			for _, k := range i.up {
				ends = append(ends, [2]int{
					k.upper.rank*portion + k.leaves(), k.lower.rank*portion + k.arrives(),
				})
			}
		}
		slices.SortFunc(ends, func(a, b [2]int) int {
			return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
		})
		for k, e := range ends {
			for _, before := range ends[:k] {
				if before[0] < e[0] && before[1] > e[1] {
					n++
				}
			}
		}
	}
	return n
}
