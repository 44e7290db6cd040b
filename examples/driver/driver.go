package main

import (
	"math"

	"gosmp/frames"
	"gosmp/model"
	"gosmp/model/message"
	"gosmp/osmp"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// driver has no state: its position and speed come from its SensorView.
type driver struct {
	in                    *model.Input
	out                   *model.Output
	wanted, look          float64 // m/s, m
	enabled               bool
	margin, trigger, full float64 // m, m/s2, m/s2
	speed, needed         float64
}

func newDriver(d *model.Declaration) model.Model {
	m := &driver{in: d.Input(osmp.SensorViewIn), out: d.Output(osmp.TrafficUpdateOut)}
	a := model.Unit("m/s2")
	model.Parameter(d, &m.wanted, "speed.wanted", 20, "speed on a free road", model.Unit("m/s"))
	model.Parameter(d, &m.look, "lane.look", 12, "way to the point aimed at", model.Unit("m"))
	model.Parameter(d, &m.enabled, "brake.enabled", true, "false: no emergency brake")
	model.Parameter(d, &m.margin, "brake.margin", 2, "gap to keep", model.Unit("m"))
	model.Parameter(d, &m.trigger, "brake.trigger", 3, "deceleration above which it brakes", a)
	model.Parameter(d, &m.full, "brake.full", 9, "largest deceleration", a)
	model.PlainOutput(d, &m.speed, "speed", "at the end of the step", model.Unit("m/s"))
	return m
}

func (m *driver) Setup(model.Environment) error { return nil }

// Step implements model.Model.
func (m *driver) Step(span timebase.Span) error {
	var view osi3.SensorView
	if !message.Read(m.in, &view) { // nothing to see, nothing to say
		return message.Publish(m.out, nil)
	}
	host, err := message.HostVehicle(&view)
	if err != nil {
		return err
	}
	truth, base := view.GetGlobalGroundTruth(), host.GetBase()
	at, yaw := message.VectorOf(base.Position), base.GetOrientation().GetYaw()
	before := frames.RotateZ(message.VectorOf(base.Velocity), -yaw).X
	h := max(span.Length().Seconds(), 1e-3)
	a := min(max((m.wanted-before)/h, -2), 2)
	if m.watch(truth, host, before); m.enabled && m.needed > m.trigger {
		a = -min(m.needed, m.full)
	}
	m.speed = max(0, before+a*h)
	aim := frames.RotateZ(m.aim(truth, host).Sub(at), -yaw)
	curvature := 2 * aim.Y / max(aim.X*aim.X+aim.Y*aim.Y, 1)
	way := (before + m.speed) / 2 * h
	at = at.Add(frames.RotateZ(frames.Vector{X: way}, yaw+way*curvature/2))
	yaw = frames.WrapAngle(yaw + way*curvature)
	along := func(v float64) *osi3.Vector3D {
		return message.Vector(frames.RotateZ(frames.Vector{X: v}, yaw))
	}
	rate := m.speed * curvature
	return message.Publish(m.out, &osi3.TrafficUpdate{Version: message.Version(),
		Timestamp: message.Time(span.End), Update: []*osi3.MovingObject{{Id: host.Id,
			Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: &at.X, Y: &at.Y},
				Orientation:     &osi3.Orientation3D{Yaw: &yaw},
				OrientationRate: &osi3.Orientation3D{Yaw: &rate},
				Velocity:        along(m.speed), Acceleration: along((m.speed - before) / h)}}}})
}

// watch determines the deceleration that objects ahead require from a vehicle 1 m/s faster.
func (m *driver) watch(truth *osi3.GroundTruth, host *osi3.MovingObject, speed float64) {
	m.needed = 0
	own, yaw := host.Base, host.Base.GetOrientation().GetYaw()
	for _, o := range truth.GetMovingObject() {
		b := o.GetBase()
		to := frames.RotateZ(message.VectorOf(b.Position).Sub(message.VectorOf(own.Position)), -yaw)
		closing := speed + 1 - frames.RotateZ(message.VectorOf(b.Velocity), -yaw).X
		gap := to.X - (own.Dimension.GetLength()+b.Dimension.GetLength())/2 - m.margin
		beside := math.Abs(to.Y) > (own.Dimension.GetWidth()+b.Dimension.GetWidth())/2+0.25
		if to.X > 0 && closing > 0 && !beside {
			m.needed = max(m.needed, closing*closing/(2*max(gap, 0.1)))
		}
	}
}

// aim returns a point on the centre line of the lane, or of the next ones, at the distance look.
func (m *driver) aim(truth *osi3.GroundTruth, host *osi3.MovingObject) frames.Vector {
	at, yaw := message.VectorOf(host.Base.Position), host.Base.GetOrientation().GetYaw()
	best, off := at.Add(frames.RotateZ(frames.Vector{X: m.look}, yaw)), math.Inf(1)
	on, lanes := host.GetMovingObjectClassification().GetAssignedLaneId(), map[uint64]bool{}
	for _, l := range truth.GetLane() {
		if len(on) > 0 && l.Id.GetValue() == on[0].GetValue() {
			lanes[l.Id.GetValue()] = true
			for _, p := range l.Classification.GetLanePairing() {
				lanes[p.AntecessorLaneId.GetValue()] = true
				lanes[p.SuccessorLaneId.GetValue()] = true
			}
		}
	}
	for _, l := range truth.GetLane() {
		line := l.Classification.GetCenterline()
		for k := 1; k < len(line) && lanes[l.Id.GetValue()]; k++ {
			a, b := message.VectorOf(line[k-1]), message.VectorOf(line[k])
			for share := 0.0; share < 1; share += 0.5 / max(b.Sub(a).Length(), 0.5) {
				p := a.Add(b.Sub(a).Scale(share))
				ahead := frames.RotateZ(p.Sub(at), -yaw)
				miss := math.Abs(math.Hypot(ahead.X, ahead.Y) - m.look)
				if ahead.X > 0 && miss < off {
					best, off = p, miss
				}
			}
		}
	}
	return best
}
