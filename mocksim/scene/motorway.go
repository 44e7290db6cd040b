package scene

import (
	"math"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// The road is a circle around a point to the left of the world's origin, on an inclined plane. It
// rises in front of the host vehicle.
const (
	radius = 420.0 // of the middle of the road, m
	slope  = 0.03
)

// lane is a circle that vehicles follow.
type lane struct {
	offset float64 // to the right of the middle of the road
	speed  float64 // m/s along the road, negative for oncoming traffic
	gap    float64 // mean distance between vehicles, m
}

var lanes = [...]lane{
	{2.8, 38, 46}, {6.4, 31, 38}, {10.0, 24, 33},
	{-2.8, -37, 44}, {-6.4, -30, 41}, {-10.0, -23, 36},
}

// on returns the state of a body on the road: s0 is its arc length along the middle at time zero.
func (l lane) on(s0 float64, b body, t timebase.Time) state {
	r := radius + l.offset
	omega := l.speed / r
	angle := s0/radius + float64(omega*t.Seconds()) - math.Pi/2
	sin, cos := portable.Sincos(angle)
	heading := angle + math.Pi/2
	if l.speed < 0 {
		heading -= math.Pi
	}
	climbing, bend := slope*r*cos*omega, -slope*r*sin*omega*omega
	s := state{
		position: frames.Vector{X: r * cos, Y: radius + float64(r*sin), Z: ground(r, angle) +
			b.height/2},
		velocity: frames.Vector{X: -r * sin * omega, Y: r * cos * omega, Z: climbing},
		acceleration: frames.Vector{X: -r * cos * omega * omega, Y: -r * sin * omega * omega,
			Z: bend},
	}
	// The vehicle pitches with the slope of the road: tan(pitch) = -vertical speed / horizontal
	// speed. That ratio is a cosine in time.
	ratio, ratioRate := climbing/math.Abs(l.speed), bend/math.Abs(l.speed)
	k := 1 + float64(ratio*ratio)
	s.orientation = frames.Orientation{Pitch: -portable.Atan(ratio), Yaw: frames.WrapAngle(heading)}
	s.rate = frames.Orientation{Pitch: -ratioRate / k, Yaw: omega}
	s.turning = frames.Orientation{Pitch: (float64(ratio*omega*omega*k) +
		float64(2*ratio*ratioRate*ratioRate)) / (k * k)}
	return s
}

// ground returns the height of the road and of the objects next to it.
func ground(r, angle float64) float64 { return slope * r * (1 + portable.Sin(angle)) }

// Motorway returns a SensorView of the traffic on a curved and hilly motorway at time t: 65
// vehicles and the host vehicle, all in uniform motion along the road, so that velocities,
// accelerations and rates are exact derivatives. Trees, posts, a wall and a building stand next to
// the road. Every vehicle is assigned to a lane, and most have a color.
func Motorway(t timebase.Time) *osi3.SensorView {
	view := newView(t)
	truth := view.GlobalGroundTruth
	host := lanes[1].on(0, car, t)
	truth.MovingObject = append(truth.MovingObject, movingObject(HostID, car, &host))
	id := uint64(100)
	for k, l := range lanes {
		for n := -5; n <= 5; n++ {
			if k == 1 && n == 0 {
				continue // the place of the host vehicle
			}
			b := car
			switch {
			case (k%3 == 2) && n%2 == 0:
				b = truck
			case (3*n+5*k)%11 == 0:
				b = motorcycle
			}
			along := l.gap * (float64(n) + float64(0.3*portable.Sin(float64(float64(7*n)+
				float64(3*k)))))
			s := l.on(along, b, t)
			o := movingObject(id, b, &s)
			o.MovingObjectClassification = &osi3.MovingObject_MovingObjectClassification{
				AssignedLaneId:         []*osi3.Identifier{identifier(uint64(10 + k))},
				AssignedLanePercentage: []float64{100},
			}
			o.ColorDescription = paint(k, n)
			truth.MovingObject = append(truth.MovingObject, o)
			id++
		}
	}
	truth.StationaryObject = roadside()
	return view
}

// paint returns the color of a vehicle; one in three has none.
func paint(lane, place int) *osi3.ColorDescription {
	if (lane+place)%3 == 0 {
		return nil
	}
	red, green, blue := float64(lane)/5, float64(place+5)/10, 0.5
	return &osi3.ColorDescription{Rgb: &osi3.ColorRGB{Red: &red, Green: &green, Blue: &blue}}
}

// roadside returns the objects next to the road.
func roadside() []*osi3.StationaryObject {
	var list []*osi3.StationaryObject
	id := uint64(5000)
	put := func(kind osi3.StationaryObject_Classification_Type, along, aside float64,
		size [3]float64) {
		angle := along/radius - math.Pi/2
		r := radius + aside
		foot := frames.Vector{X: r * portable.Cos(angle),
			Y: radius + float64(r*portable.Sin(angle)), Z: ground(r, angle)}
		list = append(list, stationaryObject(id, kind, foot, angle+math.Pi/2, size))
		id++
	}
	for n := -6; n <= 8; n++ {
		s := 25 * float64(n)
		put(osi3.StationaryObject_Classification_TYPE_DELINEATOR, s, 13.5, [3]float64{0.12,
			0.12, 1})
		put(osi3.StationaryObject_Classification_TYPE_DELINEATOR, s, -13.5, [3]float64{0.12,
			0.12, 1})
	}
	for n := range 9 {
		s := float64(17*float64(n)) + float64(9*portable.Sin(float64(5*n)))
		put(osi3.StationaryObject_Classification_TYPE_TREE, s,
			21+float64(4*portable.Cos(float64(3*n))), [3]float64{3, 3, 9})
	}
	for _, o := range list[len(list)-9:] {
		o.ColorDescription = &osi3.ColorDescription{Grey: &osi3.ColorGrey{Grey: proto.Float64(0.4)}}
	}
	put(osi3.StationaryObject_Classification_TYPE_WALL, 60, -17, [3]float64{40, 0.4, 3})
	put(osi3.StationaryObject_Classification_TYPE_BUILDING, 95, -34, [3]float64{24, 14, 8})
	return list
}
