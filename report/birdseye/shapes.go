package birdseye

import (
	"gonum.org/v1/plot/plotter"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
)

// ground projects positions in the world and sensor frames to the ground below the host vehicle.
type ground struct {
	vehicle  frames.Observer
	attitude frames.Rotation // of the host vehicle
	mounting frames.Pose
	turned   frames.Rotation // of the mounting
	frame    objects.Frame   // of detections
}

func newGround(s *Snapshot) *ground {
	g := &ground{mounting: s.Mounting, turned: s.Mounting.Orientation.Rotation(),
		frame: s.sensor().Frame}
	g.attitude = s.Host.Pose.Orientation.Rotation()
	origin := s.Host.RearAxle
	if s.inWorld() {
		origin = s.firstPlace()
	}
	g.vehicle.Face(origin, &g.attitude)
	return g
}

// firstPlace returns the position of the first object in the ground truth.
func (s *Snapshot) firstPlace() frames.Vector {
	truth := s.View.GetGlobalGroundTruth()
	if moving := truth.GetMovingObject(); len(moving) > 0 {
		return vector(moving[0].GetBase().GetPosition())
	}
	return vector(truth.GetStationaryObject()[0].GetBase().GetPosition())
}

// world projects a position in the world frame.
func (g *ground) world(v frames.Vector) plotter.XY {
	p := g.vehicle.SeenPosition(v)
	return plotter.XY{X: p.X, Y: p.Y}
}

// sensor projects a position in the sensor frame.
func (g *ground) sensor(v frames.Vector) plotter.XY {
	p := g.turned.Apply(v).Add(g.mounting.Position)
	return plotter.XY{X: p.X, Y: p.Y}
}

// detection projects a position in the frame of detections.
func (g *ground) detection(v frames.Vector) plotter.XY {
	if g.frame == objects.VehicleFrame {
		return plotter.XY{X: v.X, Y: v.Y}
	}
	return g.sensor(v)
}

func vector(v *osi3.Vector3D) frames.Vector {
	return frames.Vector{X: v.GetX(), Y: v.GetY(), Z: v.GetZ()}
}

func orientation(o *osi3.Orientation3D) frames.Orientation {
	return frames.Orientation{Roll: o.GetRoll(), Pitch: o.GetPitch(), Yaw: o.GetYaw()}
}

// outline returns the corners of a box seen from above.
func outline(
	place func(frames.Vector) plotter.XY, center *osi3.Vector3D, turned *osi3.Orientation3D,
	size *osi3.Dimension3D,
) plotter.XYs {
	r := orientation(turned).Rotation()
	corner := func(x, y float64) plotter.XY {
		half := frames.Vector{X: x * size.GetLength() / 2, Y: y * size.GetWidth() / 2}
		return place(vector(center).Add(r.Apply(half)))
	}
	return plotter.XYs{corner(1, 1), corner(-1, 1), corner(-1, -1), corner(1, -1)}
}

// fieldOfView returns the intersection of the sensor's cone with its x-y plane.
func (g *ground) fieldOfView(c *objects.Config) plotter.XYs {
	const arcs = 60
	rim := plotter.XYs{g.sensor(frames.Vector{})}
	for k := range arcs + 1 {
		sin, cos := portable.Sincos(c.HalfAngle * (2*float64(k)/arcs - 1))
		rim = append(rim, g.sensor(frames.Vector{X: c.Range() * cos, Y: c.Range() * sin}))
	}
	return rim
}
