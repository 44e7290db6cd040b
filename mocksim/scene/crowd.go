package scene

import (
	"math"
	"math/rand/v2"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// Crowd returns a SensorView at time 0 with n moving objects around the host vehicle, which is in
// the middle of the list. Every other object is within 140 m and 25 degrees ahead of it, the rest
// next to and behind it. The view also has the given number of lane boundaries, each with the given
// number of points. The same arguments give the same view.
func Crowd(n, boundaries, points int) *osi3.SensorView {
	random := rand.New(rand.NewPCG(uint64(n), uint64(boundaries)))
	view := newView(timebase.Time(0))
	truth := view.GlobalGroundTruth
	host := state{position: frames.Vector{X: 1000, Y: -500, Z: 0.75},
		orientation: frames.Orientation{Yaw: 0.4}}
	host.velocity = frames.Vector{X: 25 * portable.Cos(0.4), Y: 25 * portable.Sin(0.4)}
	host.rate.Yaw = 0.02
	bodies := [...]body{car, car, truck, motorcycle, car, pedestrian}
	for i := range n {
		if i == n/2 {
			truth.MovingObject = append(truth.MovingObject, movingObject(HostID, car, &host))
		}
		distance, azimuth := 10+float64(130*random.Float64()), (random.Float64()-0.5)*5*math.Pi/18
		if i%2 == 1 {
			azimuth += float64(math.Pi * (0.6 + float64(0.8*random.Float64())))
		}
		s := host
		s.position.X += float64(distance * portable.Cos(0.4+azimuth))
		s.position.Y += float64(distance * portable.Sin(0.4+azimuth))
		s.orientation.Yaw += random.Float64() - 0.5
		speed := 30 * random.Float64()
		s.velocity = frames.Vector{X: speed * portable.Cos(s.orientation.Yaw),
			Y: speed * portable.Sin(s.orientation.Yaw)}
		s.acceleration = frames.Vector{X: random.NormFloat64(), Y: random.NormFloat64()}
		s.rate.Yaw = 0.1 * random.NormFloat64()
		truth.MovingObject = append(truth.MovingObject, movingObject(uint64(100+i),
			bodies[i%len(bodies)], &s))
	}
	if n == 0 {
		truth.MovingObject = append(truth.MovingObject, movingObject(HostID, car, &host))
	}
	for i := range boundaries {
		truth.LaneBoundary = append(truth.LaneBoundary, laneBoundary(uint64(1_000_000+i), points))
	}
	return view
}

// laneBoundary returns a straight line of points 2 m apart.
func laneBoundary(id uint64, points int) *osi3.LaneBoundary {
	b := &osi3.LaneBoundary{Id: identifier(id), Classification: &osi3.LaneBoundary_Classification{
		Type:  osi3.LaneBoundary_Classification_TYPE_SOLID_LINE.Enum(),
		Color: osi3.LaneBoundary_Classification_COLOR_WHITE.Enum(),
	}}
	for k := range points {
		b.BoundaryLine = append(b.BoundaryLine, &osi3.LaneBoundary_BoundaryPoint{
			Position: vector(2*float64(k), 3.5*float64(id%8), 0), Width: proto.Float64(0.12),
			Height: proto.Float64(0),
		})
	}
	return b
}

// Tilt tilts all moving objects of a view by up to 0.1 rad, and makes them roll and pitch, so that
// no formula for flat ground applies. Equal views stay equal.
func Tilt(view *osi3.SensorView) *osi3.SensorView {
	random := rand.New(rand.NewPCG(1, 2))
	for _, o := range view.GlobalGroundTruth.MovingObject {
		*o.Base.Orientation.Roll, *o.Base.Orientation.Pitch = random.Float64()/5-0.1,
			random.Float64()/5-0.1
		*o.Base.OrientationRate.Roll, *o.Base.OrientationRate.Pitch = random.NormFloat64()/10,
			random.NormFloat64()/10
	}
	return view
}

// Mix makes the moving objects of a view differ in structure, like traffic from several sources:
// some have no vehicle attributes, classification or angular acceleration, some are assigned to
// lanes, and ids take between one and five bytes. Some of them lack fields that OSI's rules
// require. The host vehicle is unchanged. Equal views stay equal.
func Mix(view *osi3.SensorView) *osi3.SensorView {
	random := rand.New(rand.NewPCG(3, 4))
	for n, o := range view.GlobalGroundTruth.MovingObject {
		if o.Id.GetValue() == HostID {
			continue
		}
		*o.Id.Value = uint64(15+n) | [...]uint64{0, 1 << 20, 1 << 27, 1 << 34}[random.IntN(4)]
		if random.IntN(3) == 0 {
			o.VehicleAttributes = nil
		}
		if random.IntN(4) == 0 {
			o.VehicleClassification = nil
		}
		if random.IntN(3) == 0 {
			o.Base.OrientationAcceleration = nil
		}
		if random.IntN(3) == 0 {
			o.MovingObjectClassification = &osi3.MovingObject_MovingObjectClassification{
				AssignedLaneId:         []*osi3.Identifier{identifier(random.Uint64N(300))},
				AssignedLanePercentage: []float64{100},
			}
		}
	}
	return view
}
