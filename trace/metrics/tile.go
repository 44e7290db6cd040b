package metrics

import (
	"math"
	"slices"

	"gosmp/internal/portable"
	"gosmp/timebase"
)

// The sizes of tiles and districts in places, as powers of two.
const (
	tileBits     = 4
	tileSide     = 1 << tileBits
	districtBits = 7
)

// square returns the tile or the district of a place.
func (c place) square(bits int) place { return place{c.x >> bits, c.y >> bits} }

// tile returns the tile of a place.
func (c place) tile() place { return c.square(tileBits) }

// index returns the number of a place within its tile.
func (c place) index() int { return int(c.x&(tileSide-1))<<tileBits | int(c.y&(tileSide-1)) }

// visit is the newest time of an object at a place.
type visit struct{ enter, leave timebase.Time }

// never is the time of a visit that did not take place.
const never = timebase.Time(math.MinInt64)

func (v *visit) known() bool { return v.leave != never }

// pause is how long an object may be absent from a place without leaving it, because of rounding at
// its edge.
const pause = 50 * timebase.Millisecond

// extend extends a visit, or begins a new one.
func (v *visit) extend(t timebase.Time) {
	if !v.known() || t > v.leave+pause {
		v.enter = t
	}
	v.leave = t
}

func newVisits() []visit {
	list := make([]visit, tileSide*tileSide)
	for k := range list {
		list[k] = visit{never, never}
	}
	return list
}

// tile is a square of places that the host vehicle has reached.
type tile struct {
	host    []visit
	objects []visitor
}

// visitor is an object other than the host vehicle on a tile.
type visitor struct {
	id     uint64
	visits []visit
}

// of returns the visits of an object.
func (t *tile) of(id uint64) []visit {
	for k := range t.objects {
		if t.objects[k].id == id {
			return t.objects[k].visits
		}
	}
	t.objects = append(t.objects, visitor{id, newVisits()})
	return t.objects[len(t.objects)-1].visits
}

// forget drops data that ended before a time. It returns true if nothing is left.
func (t *tile) forget(before timebase.Time) bool {
	left := forget(t.host, before)
	t.objects = slices.DeleteFunc(t.objects, func(v visitor) bool {
		return !forget(v.visits, before)
	})
	return !left && len(t.objects) == 0
}

// district is a larger square with the paths of other objects in order of time.
type district struct {
	segments []segment
	still    map[uint64]int // the newest segment of each object that stands still
}

// add keeps a segment. An object that stands still has only one.
func (d *district) add(w *segment) {
	if w.from != w.to {
		delete(d.still, w.id)
	} else if k, is := d.still[w.id]; is && d.segments[k].to == w.to &&
		d.segments[k].length == w.length && d.segments[k].width == w.width {
		d.segments[k].end, d.segments[k].steps = w.end, 1
		return
	} else {
		d.still[w.id] = len(d.segments)
	}
	d.segments = append(d.segments, *w)
}

// forget drops data that ended before a time. It returns true if nothing is left.
func (d *district) forget(before timebase.Time) bool {
	d.segments = slices.DeleteFunc(d.segments, func(s segment) bool { return s.end < before })
	clear(d.still)
	return len(d.segments) == 0
}

// forget drops visits that ended before a time, and reports whether any are left.
func forget(list []visit, before timebase.Time) (left bool) {
	for k := range list {
		if list[k].leave < before {
			list[k] = visit{never, never}
		}
		left = left || list[k].known()
	}
	return left
}

// pose is the position and heading of an object.
type pose struct{ x, y, yaw float64 }

// segment is the path of an object from one scene to the next, in steps.
type segment struct {
	id            uint64
	from, to      pose
	length, width float64
	begin, end    timebase.Time
	steps         int
	low, high     place // bounds of all of it
}

// time returns the time at which a step ends.
func (w *segment) time(step int) timebase.Time {
	return w.begin + timebase.Time(float64(w.end-w.begin)*w.part(step))
}

func (w *segment) part(step int) float64 { return float64(step) / float64(w.steps) }

// at returns the pose of the object after a step.
func (w *segment) at(step int) pose {
	part := w.part(step)
	turn := math.Remainder(w.to.yaw-w.from.yaw, 2*math.Pi)
	return pose{w.from.x + float64((w.to.x-w.from.x)*part),
		w.from.y + float64((w.to.y-w.from.y)*part),
		w.from.yaw + float64(turn*part)}
}

// hasPlaces reports whether an object is small enough to be recorded at places.
func (w *segment) hasPlaces() bool { return w.length <= mostLong && w.width <= mostLong }

// box is the rectangle of an object after a step.
type box struct {
	pose
	sin, cos    float64
	first, last place // bounds of it
}

func (w *segment) box(step int) box {
	b := box{pose: w.at(step)}
	b.sin, b.cos = portable.Sincos(b.yaw)
	sin, cos := math.Abs(b.sin), math.Abs(b.cos)
	dx := (float64(cos*w.length) + float64(sin*w.width)) / 2
	dy := (float64(sin*w.length) + float64(cos*w.width)) / 2
	b.first, b.last = placeAt(b.x-dx, b.y-dy), placeAt(b.x+dx, b.y+dy)
	return b
}

// cover appends the places of a tile whose center is inside the object's rectangle.
func (w *segment) cover(b *box, at place, list []place) []place {
	low := place{at.x << tileBits, at.y << tileBits}
	for i := max(b.first.x, low.x); i <= min(b.last.x, low.x+tileSide-1); i++ {
		x := float64((float64(i)+0.5)*placeSize) - b.x
		before := len(list)
		for j := max(b.first.y, low.y); j <= min(b.last.y, low.y+tileSide-1); j++ {
			y := float64((float64(j)+0.5)*placeSize) - b.y
			forward, left := float64(x*b.cos)+float64(y*b.sin), float64(y*b.cos)-float64(x*b.sin)
			if math.Abs(forward) <= w.length/2 && math.Abs(left) <= w.width/2 {
				list = append(list, place{i, j})
			} else if len(list) > before {
				break // rectangles have no gaps
			}
		}
	}
	return list
}

// surround computes the corners of a rectangle around the whole path.
func (w *segment) surround() {
	reach := portable.Hypot(w.length, w.width) / 2
	w.low = placeAt(min(w.from.x, w.to.x)-reach, min(w.from.y, w.to.y)-reach)
	w.high = placeAt(max(w.from.x, w.to.x)+reach, max(w.from.y, w.to.y)+reach)
}

// squares appends the tiles or districts that a path may touch.
func (w *segment) squares(bits int, list []place) []place {
	if !w.hasPlaces() {
		return list
	}
	first, last := w.low.square(bits), w.high.square(bits)
	for x := first.x; x <= last.x; x++ {
		for y := first.y; y <= last.y; y++ {
			list = append(list, place{x, y})
		}
	}
	return list
}

// touches reports whether a path may touch a tile.
func (w *segment) touches(at place) bool {
	first, last := w.low.tile(), w.high.tile()
	return at.x >= first.x && at.x <= last.x && at.y >= first.y && at.y <= last.y
}

func placeAt(x, y float64) place {
	return place{int32(math.Floor(x / placeSize)), int32(math.Floor(y / placeSize))}
}
