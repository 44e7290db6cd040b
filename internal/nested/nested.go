package nested

// Distances in pixels.
const (
	pitch    = 8  // between parallel arrows
	inset    = 14 // between the border of a box and the boxes in it
	apart    = 22 // between boxes that are next to each other
	dotSpace = 26 // above a box that is marked as the first one
	tip      = 14 // the minimum length of the last part of an arrow
	margin   = 12 // between a border and the dot of the first box, or the end of an arrow
)

// Point is a position in pixels, from the upper left corner.
type Point struct{ X, Y int }

// Box is a node of a graph.
type Box struct {
	// TextWidth and TextHeight are the size of the text at the top of the box, with its margins.
	TextWidth, TextHeight int
	// Boxes are the boxes in this one, in the order in which they are read.
	Boxes []*Box
	// First reserves space above the box for a dot with an arrow, at X+DotX().
	First bool

	// X, Y, Width and Height are the position and size of the box; Place sets them.
	X, Y, Width, Height int
	// Indent is the distance of the text from the left border, which arrows may need.
	Indent int

	parent *Box
	depth  int
	layer  int
	level  *level // what is inside
	// the arrows of this box's lines: to the right and down, to the left and up, to itself
	downs, ups, loops []*Arrow
	// the number of arrows that end at the upper and at the lower border, from outside
	above, below int
}

// DotX returns the distance of the dot of a First box from its left border.
func (b *Box) DotX() int { return b.Indent + margin }

// Arrow leads from a line of text in one box to another box, or to the same one.
type Arrow struct {
	From, To *Box
	// Line is the distance of the line of text from the upper border of From.
	Line int
	// Title is the text of the arrow, for use in drawings.
	Title string

	// Back reports whether the arrow leads against the layers; Place sets it.
	Back bool
	// Points is the course of the arrow; its parts are horizontal and vertical.
	Points []Point

	pieces []*piece // from the source to the target
}

// piece is the part of an arrow within one box. A nil end means the border of that box.
type piece struct {
	arrow        *Arrow
	upper, lower *Box
	links        []*link
}

// Place sets the positions of a box and of everything in it, with (0, 0) as its upper left corner,
// and the courses of all arrows between these boxes.
func Place(root *Box, arrows []*Arrow) {
	adopt(root, 0)
	siblings := map[*Box][][2]*Box{}
	for _, a := range arrows {
		if top, from, to := meet(a); from != to {
			siblings[top] = append(siblings[top], [2]*Box{from, to})
		}
	}
	root.each(func(b *Box) { assignLayers(b.Boxes, siblings[b]) })
	for _, a := range arrows {
		a.split()
	}
	root.size()
	root.moveTo(0, 0)
	for _, a := range arrows {
		a.draw()
	}
}

func adopt(b *Box, depth int) {
	b.depth, b.level = depth, &level{box: b}
	b.downs, b.ups, b.loops, b.above, b.below = nil, nil, nil, 0, 0
	for _, child := range b.Boxes {
		child.parent = b
		adopt(child, depth+1)
	}
}

// each visits a box and all boxes in it, outer boxes first.
func (b *Box) each(visit func(*Box)) {
	visit(b)
	for _, child := range b.Boxes {
		child.each(visit)
	}
}

// meet returns the innermost box that contains both ends of an arrow, and its two children that
// contain one each. If an end is this box itself, there is no such child, and both children are
// nil.
func meet(a *Arrow) (top, from, to *Box) {
	x, y := a.From, a.To
	for x.depth > y.depth {
		from, x = x, x.parent
	}
	for y.depth > x.depth {
		to, y = y, y.parent
	}
	if x == y {
		return x, nil, nil
	}
	for x != y {
		from, to, x, y = x, y, x.parent, y.parent
	}
	return x, from, to
}

// split divides an arrow into pieces, one for each box that contains a part of it.
func (a *Arrow) split() {
	a.pieces, a.Back = nil, false
	if a.From == a.To {
		a.From.loops = append(a.From.loops, a)
		return
	}
	top, from, to := meet(a)
	a.Back = from != nil && from.layer > to.layer
	for b := a.From; b != top && b.parent != top; b = b.parent {
		a.add(b.parent, b, nil)
	}
	switch {
	case from != nil:
		a.add(top, from, to)
	case top == a.To: // it ends at the lower border, from inside
		b := a.From
		for b.parent != top {
			b = b.parent
		}
		a.add(top, b, nil)
	}
	var inner []*Box
	for b := a.To; b != top && (b.parent != top || top == a.From); b = b.parent {
		inner = append(inner, b)
	}
	for k := len(inner) - 1; k >= 0; k-- {
		a.add(inner[k].parent, nil, inner[k])
	}
	switch {
	case top == a.From: // it begins within its box, at the left
	case a.Back:
		a.From.ups = append(a.From.ups, a)
	default:
		a.From.downs = append(a.From.downs, a)
	}
	switch {
	case top == a.To:
	case a.Back:
		a.To.below++
	default:
		a.To.above++
	}
}

// add adds the piece of an arrow that leads from one part of a box to another.
func (a *Arrow) add(within, from, to *Box) {
	p := &piece{arrow: a, upper: from, lower: to}
	if a.Back {
		p.upper, p.lower = to, from
	}
	a.pieces = append(a.pieces, p)
	within.level.pieces = append(within.level.pieces, p)
}

// size sets the sizes of a box and of everything in it.
func (b *Box) size() {
	for _, child := range b.Boxes {
		child.size()
	}
	b.level.layout()
	b.Width = max(b.Indent+b.TextWidth, b.level.width, b.ports())
	b.Height = b.TextHeight + b.level.height
}

// ports returns the width that the ends of arrows at a border require.
func (b *Box) ports() int {
	return b.Indent + 2*margin + pitch*(max(b.above, b.below)+1)
}

// moveTo sets the position of a box and, with it, of everything in it.
func (b *Box) moveTo(x, y int) {
	b.X, b.Y = x, y
	for _, row := range b.level.rows {
		for _, i := range row {
			if i.box != nil {
				i.box.moveTo(x+i.x+i.left, y+b.TextHeight+i.y+i.box.dot())
			}
		}
	}
}

// dot returns the space above a box for the dot that marks it.
func (b *Box) dot() int {
	if b.First {
		return dotSpace
	}
	return 0
}
