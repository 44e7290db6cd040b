package foxglove

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/durationpb"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/proto/foxglove"
	"gosmp/proto/osi3"
	"gosmp/trace/points"
)

// hostOf returns the pose of the middle of the rear axle of the host vehicle.
func hostOf(g *osi3.GroundTruth, host *osi3.Identifier) (frames.Pose, bool) {
	for _, o := range g.GetMovingObject() {
		if host != nil && o.GetId().GetValue() == host.GetValue() {
			b := o.GetBase()
			return within(frames.Pose{Position: vector(b.GetPosition()),
				Orientation: orientation(b.GetOrientation())},
				vector(o.GetVehicleAttributes().GetBbcenterToRear()), frames.Orientation{}), true
		}
	}
	return frames.Pose{}, false
}

// measuredHost returns the pose of the host vehicle according to a sensor, or the origin if the
// sensor states none.
func measuredHost(d *osi3.SensorData) frames.Pose {
	b := d.GetHostVehicleLocation()
	return frames.Pose{Position: vector(b.GetPosition()),
		Orientation: orientation(b.GetOrientation())}
}

// trueObjects returns the objects, signs and lights of a truth.
func (k *Maker) trueObjects(g *osi3.GroundTruth, host *osi3.Identifier) *foxglove.SceneUpdate {
	s := k.scene()
	for _, o := range g.GetMovingObject() {
		color := colorOf(o)
		if host != nil && o.GetId().GetValue() == host.GetValue() {
			color = hostColor
		}
		s.Entities = append(s.Entities, k.moving(o, color))
	}
	for _, o := range g.GetStationaryObject() {
		b := o.GetBase()
		e := k.entity(World, "stationary_object", o.GetId(),
			"type", name(o.GetClassification().GetType().String()))
		box(e, frames.Pose{Position: vector(b.GetPosition()),
			Orientation: orientation(b.GetOrientation())}, b.GetDimension(), stationaryColor)
		s.Entities = append(s.Entities, e)
	}
	for _, l := range g.GetTrafficLight() {
		s.Entities = append(s.Entities, k.light(l))
	}
	for _, t := range g.GetTrafficSign() {
		s.Entities = append(s.Entities, k.sign(t))
	}
	return s
}

// name returns an enumerator without its prefix: "small car" of TYPE_SMALL_CAR.
func name(enumerator string) string {
	_, rest, found := strings.Cut(enumerator, "_")
	if !found {
		return enumerator
	}
	return strings.ToLower(strings.ReplaceAll(rest, "_", " "))
}

func colorOf(o *osi3.MovingObject) *foxglove.Color {
	switch o.GetType() {
	case osi3.MovingObject_TYPE_PEDESTRIAN:
		return pedestrianColor
	case osi3.MovingObject_TYPE_ANIMAL:
		return animalColor
	}
	switch o.GetVehicleClassification().GetType() {
	case osi3.MovingObject_VehicleClassification_TYPE_BICYCLE,
		osi3.MovingObject_VehicleClassification_TYPE_MOTORBIKE:
		return cyclistColor
	}
	return vehicleColor
}

// entity starts the entity for an object with an id; facts are keys and values.
func (k *Maker) entity(frame, kind string, id *osi3.Identifier,
	facts ...string) *foxglove.SceneEntity {
	number := strconv.FormatUint(id.GetValue(), 10)
	e := &foxglove.SceneEntity{Timestamp: k.stamp, FrameId: frame, Id: kind + " " + number,
		FrameLocked: true, Lifetime: &durationpb.Duration{}, // until the next message
		Metadata: []*foxglove.KeyValuePair{{Key: "kind", Value: kind},
			{Key: "id", Value: number}}}
	for n := 0; n+1 < len(facts); n += 2 {
		e.Metadata = append(e.Metadata, &foxglove.KeyValuePair{Key: facts[n], Value: facts[n+1]})
	}
	return e
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// moving returns a box with the object's id and an arrow to its position in one second.
func (k *Maker) moving(o *osi3.MovingObject, c *foxglove.Color) *foxglove.SceneEntity {
	b := o.GetBase()
	v := vector(b.GetVelocity())
	kind := name(o.GetType().String())
	if o.GetVehicleClassification() != nil {
		kind = name(o.GetVehicleClassification().GetType().String())
	}
	e := k.entity(World, "moving_object", o.GetId(), "type", kind, "speed, m/s",
		decimal(v.Length()))
	p := frames.Pose{Position: vector(b.GetPosition()),
		Orientation: orientation(b.GetOrientation())}
	box(e, p, b.GetDimension(), c)
	e.Arrows = arrow(p.Position, v)
	e.Texts = label(strconv.FormatUint(o.GetId().GetValue(), 10), p.Position,
		b.GetDimension().GetHeight())
	return e
}

var lightColors = map[osi3.TrafficLight_Classification_Color]uint32{
	osi3.TrafficLight_Classification_COLOR_RED:    0xff2d2d,
	osi3.TrafficLight_Classification_COLOR_YELLOW: 0xffc400,
	osi3.TrafficLight_Classification_COLOR_GREEN:  0x22d65a,
	osi3.TrafficLight_Classification_COLOR_BLUE:   0x3d7dff,
	osi3.TrafficLight_Classification_COLOR_WHITE:  0xffffff,
}

// light returns a bulb: bright when it is on, dark when it is off, half bright when it flashes or
// counts.
func (k *Maker) light(l *osi3.TrafficLight) *foxglove.SceneEntity {
	const bulb = 0.35 // m
	c := l.GetClassification()
	e := k.entity(World, "traffic_light", l.GetId(), "color", name(c.GetColor().String()), "mode",
		name(c.GetMode().String()), "icon", name(c.GetIcon().String()))
	hex, known := lightColors[c.GetColor()]
	if !known {
		hex = 0x808080
	}
	alpha := 0.6
	switch c.GetMode() {
	case osi3.TrafficLight_Classification_MODE_CONSTANT:
		alpha = 1
	case osi3.TrafficLight_Classification_MODE_OFF:
		alpha = 0.12
	}
	e.Spheres = []*foxglove.SpherePrimitive{{Color: rgb(hex, alpha),
		Pose: poseOf(frames.Pose{Position: vector(l.GetBase().GetPosition())}),
		Size: &foxglove.Vector3{X: bulb, Y: bulb, Z: bulb}}}
	return e
}

// sign returns a plate with its value.
func (k *Maker) sign(t *osi3.TrafficSign) *foxglove.SceneEntity {
	main := t.GetMainSign()
	value := main.GetClassification().GetValue()
	e := k.entity(World, "traffic_sign", t.GetId(), "type",
		name(main.GetClassification().GetType().String()))
	p := frames.Pose{Position: vector(main.GetBase().GetPosition()),
		Orientation: orientation(main.GetBase().GetOrientation())}
	box(e, p, main.GetBase().GetDimension(), signColor)
	text := value.GetText()
	if text == "" && value.GetValue() != 0 {
		text = strconv.FormatFloat(value.GetValue(), 'f', -1, 64)
	}
	if text != "" {
		e.Texts = label(text, p.Position, main.GetBase().GetDimension().GetHeight())
	}
	return e
}

// detectedObjects returns the objects and lines detected by a sensor, in the vehicle frame.
func (k *Maker) detectedObjects(d *osi3.SensorData, mount frames.Pose) *foxglove.SceneUpdate {
	s := k.scene()
	rotation := mount.Orientation.Rotation()
	for n, o := range d.GetMovingObject() {
		b, h := o.GetBase(), o.GetHeader()
		e := k.detected("moving_object", n, h)
		p := within(mount, vector(b.GetPosition()), orientation(b.GetOrientation()))
		box(e, p, b.GetDimension(), detectedColor)
		e.Arrows = arrow(p.Position, rotation.Apply(vector(b.GetVelocity())))
		e.Texts = label(strconv.FormatUint(h.GetTrackingId().GetValue(), 10), p.Position,
			b.GetDimension().GetHeight())
		s.Entities = append(s.Entities, e)
	}
	for n, o := range d.GetStationaryObject() {
		b := o.GetBase()
		e := k.detected("stationary_object", n, o.GetHeader())
		box(e, within(mount, vector(b.GetPosition()), orientation(b.GetOrientation())),
			b.GetDimension(), detectedFixed)
		s.Entities = append(s.Entities, e)
	}
	for n, l := range d.GetLaneBoundary() {
		e := k.detected("lane_boundary", n, l.GetHeader())
		var line []*foxglove.Point3
		for _, p := range l.GetBoundaryLine() {
			line = append(line, point(rotation.Apply(vector(p.GetPosition())).Add(mount.Position)))
		}
		e.Lines = []*foxglove.LinePrimitive{strip(line, 0.15, detectedLine)}
		s.Entities = append(s.Entities, e)
	}
	for _, c := range points.OfData(d) {
		if len(c.Arcs) > 0 {
			s.Entities = append(s.Entities, k.arcs(&c))
		}
	}
	return s
}

// detected starts the entity for a detection. The index in the list distinguishes detections with
// the same id.
func (k *Maker) detected(kind string, n int, h *osi3.DetectedItemHeader) *foxglove.SceneEntity {
	facts := []string{"tracking_id", strconv.FormatUint(h.GetTrackingId().GetValue(), 10)}
	if h != nil && h.ExistenceProbability != nil {
		facts = append(facts, "existence_probability", decimal(h.GetExistenceProbability()))
	}
	for _, id := range h.GetGroundTruthId() {
		facts = append(facts, "ground_truth_id", strconv.FormatUint(id.GetValue(), 10))
	}
	index := uint64(n)
	e := k.entity(Vehicle, "detected "+kind, &osi3.Identifier{Value: &index}, facts...)
	return e
}

// arcs returns the distances measured by an ultrasonic sensor.
func (k *Maker) arcs(c *points.Cloud) *foxglove.SceneEntity {
	rotation, index := c.Mount.Orientation.Rotation(), uint64(c.Index)
	e := k.entity(Vehicle, c.Kind, &osi3.Identifier{Value: &index})
	for _, a := range c.Arcs {
		const steps = 16
		var line []*foxglove.Point3
		for s := range steps + 1 {
			sin, cos := portable.Sincos(points.ArcHalfAngle * (float64(2*s)/steps - 1))
			at := frames.Vector{X: cos * a.Distance, Y: sin * a.Distance}
			line = append(line, point(rotation.Apply(at).Add(c.Mount.Position)))
		}
		e.Lines = append(e.Lines, strip(line, 0.05, ultrasonicColor))
	}
	return e
}
