package nested

import (
	"cmp"
	"slices"
)

// item is an element that has a place in a layer: a box with the arrows next to it, or a point
// where an arrow passes.
type item struct {
	box         *Box // nil for a point
	layer, rank int
	left        int // the width of the part to the left of the box
	x, y        int
	width       int
	height      int
	up, down    []*link // to the layers above and below
	weight      int     // for the order
}

// link is the part of an arrow between two layers.
type link struct {
	piece        *piece
	upper, lower *item
	from, to     int // offsets of the ends in the items
	// how far the ends may still move along the border of a box
	fromRange, toRange [2]int
	track              int // position of the horizontal part, counted from the upper layer
}

// level is the layout of the content of a box. Its origin is below the text of the box.
type level struct {
	box           *Box
	pieces        []*piece
	items         map[*Box]*item
	top           *item // the border above
	rows          [][]*item
	channels      []channel // above each row
	through       map[*Arrow]int
	width, height int
}

// channel is the space between two layers.
type channel struct {
	links     []*link
	y, height int
}

func (l *level) layout() {
	if len(l.box.Boxes) == 0 {
		return
	}
	l.addItems()
	l.foldWideLayers()
	l.addLinks()
	l.order()
	l.setTopPorts()
	l.place()
	l.routeChannels()
	l.measure()
}

func (l *level) addItems() {
	l.items, l.through = map[*Box]*item{}, map[*Arrow]int{}
	l.top = &item{layer: -1}
	for _, b := range l.box.Boxes {
		i := &item{box: b, layer: b.layer, height: b.Height + b.dot()}
		right := pitch * len(b.downs)
		if len(b.loops) > 0 {
			right += 2 * pitch
		}
		i.left = pitch * len(b.ups)
		i.width = i.left + b.Width + right
		l.items[b] = i
		for len(l.rows) <= i.layer {
			l.rows = append(l.rows, nil)
		}
		l.rows[i.layer] = append(l.rows[i.layer], i)
	}
}

// foldWideLayers splits layers that are much wider than the height of the picture. Boxes in one
// layer have no arrows between them, so each part can be a layer of its own.
func (l *level) foldWideLayers() {
	const least = 700
	area, widest := 0, least
	for _, i := range l.items {
		area += (i.width + apart) * (i.height + 3*apart)
		widest = max(widest, i.width+1)
	}
	for widest*widest < 2*area {
		widest += pitch
	}
	var rows [][]*item
	for _, row := range l.rows {
		var part []*item
		width := 0
		for _, i := range row {
			if width += i.width + apart; width > widest && len(part) > 0 {
				rows, part, width = append(rows, part), nil, i.width+apart
			}
			part = append(part, i)
		}
		rows = append(rows, part)
	}
	l.rows = rows
	for k, row := range rows {
		for _, i := range row {
			i.layer = k
		}
	}
}

// addLinks connects the items by links, with points where arrows pass through layers. An arrow that
// leaves through the lower border ends at a point in a layer below all others.
func (l *level) addLinks() {
	bottom := len(l.rows)
	for _, p := range l.pieces {
		at, last := l.top, bottom
		if p.upper != nil {
			at = l.items[p.upper]
		}
		var end *item
		if p.lower != nil {
			end = l.items[p.lower]
			last = end.layer
		} else {
			end = l.point(bottom)
		}
		for layer := at.layer + 1; layer < last; layer++ {
			at = l.connect(p, at, l.point(layer))
		}
		l.connect(p, at, end)
	}
}

func (l *level) point(layer int) *item {
	if layer == len(l.rows) {
		l.rows = append(l.rows, nil)
	}
	i := &item{layer: layer}
	l.rows[layer] = append(l.rows[layer], i)
	return i
}

func (l *level) connect(p *piece, upper, lower *item) *item {
	k := &link{piece: p, upper: upper, lower: lower}
	upper.down, lower.up = append(upper.down, k), append(lower.up, k)
	p.links = append(p.links, k)
	return lower
}

// setTopPorts sets where arrows pass the upper border of the box: next to its left border, to the
// left of its text. Arrows that begin at a line of the text pass next to that line.
func (l *level) setTopPorts() {
	links := l.top.down
	begins := func(k *link) int {
		if k.piece.arrow.From == l.box {
			return 1 + k.piece.arrow.Line
		}
		return 0
	}
	slices.SortStableFunc(links, func(a, b *link) int {
		return cmp.Or(cmp.Compare(begins(a), begins(b)), cmp.Compare(a.lower.rank, b.lower.rank))
	})
	for n, k := range links {
		k.from = pitch * (n + 1)
		l.through[k.piece.arrow] = k.from
	}
	if len(links) > 0 {
		l.box.Indent = pitch * len(links)
	}
}

// measure sets the vertical positions of layers, and the size of the level.
func (l *level) measure() {
	y, right := 0, 0
	for k, row := range l.rows {
		c := &l.channels[k]
		c.y = y
		y += c.height
		height := 0
		for _, i := range row {
			i.y = y
			height = max(height, i.height)
			right = max(right, i.x+i.width)
		}
		y += height
	}
	last := l.rows[len(l.rows)-1]
	if slices.ContainsFunc(last, func(i *item) bool { return i.box != nil }) {
		y += inset
	}
	l.width, l.height = right+inset, y
	for _, p := range l.pieces {
		if p.lower == nil {
			l.through[p.arrow] = p.links[len(p.links)-1].lower.x
		}
	}
}
