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

// district returns the district of a tile.
func (c place) district() place { return c.square(districtBits - tileBits) }

// index returns the number of a place within its tile.
func (c place) index() int { return int(c.x&(tileSide-1))<<tileBits | int(c.y&(tileSide-1)) }

// visit is the newest time of an object at a place.
type visit struct{ enter, leave timebase.Time }

// never is the time of a visit that never happened.
const never = timebase.Time(math.MinInt64)

func (v *visit) known() bool { return v.leave != never }

// pause is how long an object may be absent from a place without counting as having left, to allow
// for rounding at the edge.
const pause = 50 * timebase.Millisecond

// extend extends a visit, or begins a new one.
func (v *visit) extend(s *span) {
	if !v.known() || s.enter > v.leave+pause {
		v.enter = s.enter
	}
	v.leave = s.leave
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

// forget drops data from before a time. It returns true if nothing is left.
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

	active    int   // tiles that the host vehicle has reached
	low, high place // tiles around them, if there are any
}

// activate notes a tile that the host vehicle has reached.
func (d *district) activate(at place) {
	if d.active++; d.active == 1 {
		d.low, d.high = at, at
	}
	d.low = place{min(d.low.x, at.x), min(d.low.y, at.y)}
	d.high = place{max(d.high.x, at.x), max(d.high.y, at.y)}
}

// near reports whether a path may touch an active tile.
func (d *district) near(w *segment) bool {
	first, last := w.low.tile(), w.high.tile()
	return d.active > 0 && first.x <= d.high.x && last.x >= d.low.x && first.y <= d.high.y &&
		last.y >= d.low.y
}

// add keeps a segment. An object that stands still has only one.
func (d *district) add(w *segment) {
	if w.from != w.to {
		delete(d.still, w.id)
	} else if k, is := d.still[w.id]; is && d.segments[k].to == w.to &&
		d.segments[k].length == w.length && d.segments[k].width == w.width {
		d.segments[k].end = w.end
		return
	} else {
		d.still[w.id] = len(d.segments)
	}
	d.segments = append(d.segments, *w)
}

// forget drops data from before a time. It returns true if nothing is left.
func (d *district) forget(before timebase.Time) bool {
	d.segments = slices.DeleteFunc(d.segments, func(s segment) bool { return s.end < before })
	clear(d.still)
	return len(d.segments) == 0 && d.active == 0
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

// segment is the path of an object between two consecutive scenes.
type segment struct {
	id            uint64
	from, to      pose
	length, width float64
	begin, end    timebase.Time
	low, high     place // bounds of all of it
}

// hasPlaces reports whether an object has a usable size and is small enough to be recorded at
// places.
func (w *segment) hasPlaces() bool {
	return w.length >= 0 && w.length <= mostLong && w.width >= 0 && w.width <= mostLong
}

// span is the time for which a rectangle covers the center of a place.
type span struct {
	cell         int // of a tile
	enter, leave timebase.Time
}

// mostPieces bounds the pieces of a path.
const mostPieces = 400

// cover appends the places of a tile that the object covers on its path, and when. A turning object
// turns between pieces, and its corners move by at most half a place per piece.
func (w *segment) cover(at place, list []span) []span {
	turn := math.Remainder(w.to.yaw-w.from.yaw, 2*math.Pi)
	pieces := 1
	if turn != 0 {
		arc := math.Abs(turn) * portable.Hypot(w.length, w.width) / 2
		pieces = 1 + int(min(mostPieces-1, arc/(placeSize/2)))
	}
	dx, dy := (w.to.x-w.from.x)/float64(pieces), (w.to.y-w.from.y)/float64(pieces)
	for k := range pieces {
		r := rectangle{x: w.from.x + float64(dx*float64(k)), y: w.from.y + float64(dy*float64(k)),
			length: w.length / 2, width: w.width / 2, begin: w.time(k, pieces)}
		r.took = w.time(k+1, pieces) - r.begin
		yaw := w.from.yaw + float64(turn*(float64(k)+0.5)/float64(pieces))
		r.sin, r.cos = portable.Sincos(yaw)
		list = r.cover(dx, dy, at, list)
	}
	return list
}

// time returns the time at which a piece of a path begins.
func (w *segment) time(piece, pieces int) timebase.Time {
	return w.begin + timebase.Time(float64(w.end-w.begin)*float64(piece)/float64(pieces))
}

// rectangle is an object that moves without turning: its first position, and half its size.
type rectangle struct {
	x, y, sin, cos float64
	length, width  float64
	begin, took    timebase.Time
}

// cover appends the places of a tile whose centers the rectangle covers when it moves by dx and dy.
func (r *rectangle) cover(dx, dy float64, at place, list []span) []span {
	sin, cos := math.Abs(r.sin), math.Abs(r.cos)
	reachX := float64(cos*r.length) + float64(sin*r.width)
	reachY := float64(sin*r.length) + float64(cos*r.width)
	first := placeAt(min(r.x, r.x+dx)-reachX, min(r.y, r.y+dy)-reachY)
	last := placeAt(max(r.x, r.x+dx)+reachX, max(r.y, r.y+dy)+reachY)
	low := place{at.x << tileBits, at.y << tileBits}
	forward, left := float64(dx*r.cos)+float64(dy*r.sin), float64(dy*r.cos)-float64(dx*r.sin)
	for i := max(first.x, low.x); i <= min(last.x, low.x+tileSide-1); i++ {
		x := float64((float64(i)+0.5)*placeSize) - r.x
		before := len(list)
		for j := max(first.y, low.y); j <= min(last.y, low.y+tileSide-1); j++ {
			y := float64((float64(j)+0.5)*placeSize) - r.y
			from, to := while(float64(x*r.cos)+float64(y*r.sin), forward, r.length, 0, 1)
			from, to = while(float64(y*r.cos)-float64(x*r.sin), left, r.width, from, to)
			if from <= to {
				list = append(list, span{place{i, j}.index(),
					r.begin + timebase.Time(float64(r.took)*from),
					r.begin + timebase.Time(float64(r.took)*to)})
			} else if len(list) > before {
				break // the area that a rectangle sweeps has no gaps
			}
		}
	}
	return list
}

// while narrows the part [from, to] of a motion: in the result, a point is at most half a size away
// from the center of an object. The point is the given distance ahead at first, and the object
// moves by the given length. If there is no such part, from is larger than to.
func while(ahead, moves, half, from, to float64) (float64, float64) {
	if moves == 0 {
		if math.Abs(ahead) > half {
			return 1, 0
		}
		return from, to
	}
	enter, leave := (ahead-half)/moves, (ahead+half)/moves
	if enter > leave {
		enter, leave = leave, enter
	}
	return max(from, enter), min(to, leave)
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
