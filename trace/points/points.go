package points

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/proto/osi3"
)

// Kinds of clouds.
const (
	Lidar      = "lidar"
	Radar      = "radar"
	Camera     = "camera"
	Ultrasonic = "ultrasonic"
	// Reflections in a SensorView, which is the input of a sensor.
	LidarReflections = "lidar reflections"
	RadarReflections = "radar reflections"
)

// Cloud holds the measurements of one sensor at one time.
type Cloud struct {
	Kind   string
	Index  int         // of the sensor among the sensors of its kind
	Mount  frames.Pose // of the sensor in the vehicle frame
	Fields []string    // what the values of the points are, with units: "intensity, %"
	Points []Point
	Arcs   []Arc // of ultrasonic sensors, which measure no direction
}

// Point is a position with a value for each field of its cloud. Unset values are NaN.
type Point struct {
	Position frames.Vector
	Values   []float64
}

// Arc is the set of positions at a distance from the sensor, in m, around its x axis.
type Arc struct{ Distance float64 }

// ArcHalfAngle is half the angle of arcs when they are drawn, in rad. OSI does not specify it.
const ArcHalfAngle = math.Pi / 6

// Count counts the points and arcs of clouds.
func Count(clouds []Cloud) (n int) {
	for k := range clouds {
		n += len(clouds[k].Points) + len(clouds[k].Arcs)
	}
	return n
}

// OfData returns the detections of a SensorData, one cloud for each sensor that has any.
func OfData(d *osi3.SensorData) []Cloud {
	b := builder{whole: pose(d.GetMountingPosition())}
	f := d.GetFeatureData()
	for k, s := range f.GetLidarSensor() {
		b.begin(Lidar, k, s.GetHeader(), "intensity, %", "reflectivity",
			"free space probability", "existence probability")
		for _, p := range s.GetDetection() {
			b.spherical(p.GetPosition(), unset(p.Intensity), unset(p.Reflectivity),
				unset(p.FreeSpaceProbability), unset(p.ExistenceProbability))
		}
	}
	for k, s := range f.GetRadarSensor() {
		b.begin(Radar, k, s.GetHeader(), "radial velocity, m/s", "rcs, dB m2", "snr, dB",
			"existence probability")
		for _, p := range s.GetDetection() {
			b.spherical(p.GetPosition(), unset(p.RadialVelocity), unset(p.Rcs), unset(p.Snr),
				unset(p.ExistenceProbability))
		}
	}
	for k, s := range f.GetCameraSensor() {
		b.begin(Camera, k, s.GetHeader(), "existence probability")
		for _, p := range s.GetPoint() {
			b.spherical(p.GetPoint(), unset(p.ExistenceProbability))
		}
	}
	for k, s := range f.GetUltrasonicSensor() {
		b.begin(Ultrasonic, k, s.GetHeader())
		for _, p := range s.GetDetection() {
			if r := p.GetDistance(); p.Distance != nil && r > 0 && r < farthest {
				b.now.Arcs = append(b.now.Arcs, Arc{r})
			}
		}
	}
	return b.end()
}

// speedOfLight is in m/s.
const speedOfLight = 299_792_458.0

// OfView returns the reflections in a SensorView, one cloud for each sensor that has any.
// Reflections of a lidar have no direction of their own: they are used if there is one for each
// direction of the sensor's configuration.
func OfView(v *osi3.SensorView) []Cloud {
	b := builder{whole: pose(v.GetMountingPosition())}
	for k, s := range v.GetLidarSensorView() {
		c := s.GetViewConfiguration()
		b.at(LidarReflections, k, c.GetMountingPosition(), "signal strength, dB")
		if len(s.GetReflection()) != len(c.GetDirections()) {
			continue
		}
		for n, r := range s.GetReflection() {
			if r.TimeOfFlight != nil {
				d := vector(c.GetDirections()[n])
				b.add(d.Scale(r.GetTimeOfFlight()*speedOfLight/2), unset(r.SignalStrength))
			}
		}
	}
	for k, s := range v.GetRadarSensorView() {
		b.at(RadarReflections, k, s.GetViewConfiguration().GetMountingPosition(),
			"signal strength, dB", "doppler shift, Hz")
		for _, r := range s.GetReflection() {
			if r.TimeOfFlight != nil {
				distance := r.GetTimeOfFlight() * speedOfLight / 2
				b.add(direction(r.GetSourceHorizontalAngle(), r.GetSourceVerticalAngle()).Scale(
					distance), unset(r.SignalStrength), unset(r.DopplerShift))
			}
		}
	}
	return b.end()
}

// builder builds clouds one at a time.
type builder struct {
	whole    frames.Pose // of the sensor as a whole
	now      Cloud
	rotation frames.Rotation
	done     []Cloud
}

func (b *builder) begin(kind string, index int, h *osi3.SensorDetectionHeader, fields ...string) {
	b.at(kind, index, h.GetMountingPosition(), fields...)
}

func (b *builder) at(kind string, index int, m *osi3.MountingPosition, fields ...string) {
	b.close()
	b.now = Cloud{Kind: kind, Index: index, Mount: b.whole, Fields: fields}
	if m != nil {
		b.now.Mount = pose(m)
	}
	b.rotation = b.now.Mount.Orientation.Rotation()
}

func (b *builder) close() {
	if len(b.now.Points)+len(b.now.Arcs) > 0 {
		b.done = append(b.done, b.now)
	}
	b.now = Cloud{}
}

func (b *builder) end() []Cloud {
	b.close()
	return b.done
}

// farthest is farther than any traffic sensor sees, in m.
const farthest = 1e5

// spherical adds a point, given by its distance and angles from the sensor.
func (b *builder) spherical(p *osi3.Spherical3D, values ...float64) {
	if p != nil && p.Distance != nil {
		b.add(direction(p.GetAzimuth(), p.GetElevation()).Scale(p.GetDistance()), values...)
	}
}

// add adds a point in the frame of the sensor.
func (b *builder) add(p frames.Vector, values ...float64) {
	if at := b.rotation.Apply(p).Add(b.now.Mount.Position); p.Length() < farthest && at.Finite() {
		b.now.Points = append(b.now.Points, Point{at, values})
	}
}

func direction(azimuth, elevation float64) frames.Vector {
	se, ce := portable.Sincos(elevation)
	sa, ca := portable.Sincos(azimuth)
	return frames.Vector{X: ce * ca, Y: ce * sa, Z: se}
}

// unset returns *x, or NaN if x is nil.
func unset(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

func vector(v *osi3.Vector3D) frames.Vector {
	return frames.Vector{X: v.GetX(), Y: v.GetY(), Z: v.GetZ()}
}

// pose returns the pose of a mounting position, or the origin if its numbers are not finite.
func pose(m *osi3.MountingPosition) frames.Pose {
	o := m.GetOrientation()
	p := frames.Pose{Position: vector(m.GetPosition()),
		Orientation: frames.Orientation{Roll: o.GetRoll(), Pitch: o.GetPitch(), Yaw: o.GetYaw()}}
	if !p.Finite() {
		return frames.Pose{}
	}
	return p
}
