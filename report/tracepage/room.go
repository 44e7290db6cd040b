package tracepage

// Limits of the page content, so that neither the page nor the memory for it grows with the number
// of objects in a message.
const (
	mostLines    = 6000
	mostFixed    = 4000
	mostLights   = 2000
	mostBodies   = 20_000
	mostSensors  = 100
	mostObjects  = 1_000_000 // at all moments, as the following limits
	mostBoxes    = 1_000_000
	mostVertices = 1_000_000 // of lines
	mostPoints   = 200_000   // of one cloud
	mostOfClouds = 2_000_000 // points of all clouds
)

// room is the remaining room of a page.
type room struct {
	road    budget // vertices of the map
	objects budget
	boxes   budget
	lines   budget // vertices of detected lines
	points  budget
	cloud   int // points of a cloud at a moment
}

func newRoom(moments int) room {
	const few = 100 // at a moment, even if there are many moments
	of := func(most int) budget { return budget{most, max(few, most/moments)} }
	return room{budget{mostVertices, mostVertices}, of(mostObjects), of(mostBoxes),
		of(mostVertices), of(mostOfClouds), max(few, mostPoints/moments)}
}

// budget is a number of elements for a page.
type budget struct {
	left   int
	moment int // for one moment
}

// take reports whether there is room for some elements, and subtracts them.
func (b *budget) take(n int) bool {
	if n > b.left {
		return false
	}
	b.left -= n
	return true
}

// share returns a budget for one moment.
func (b *budget) share() *share { return &share{b, b.moment} }

type share struct {
	of   *budget
	left int
}

// take is like the method of [budget].
func (s *share) take(n int) bool {
	if n > s.left || !s.of.take(n) {
		return false
	}
	s.left -= n
	return true
}
