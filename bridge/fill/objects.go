package fill

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/proto/osi3"
)

// Values of visualization_msgs/Marker.
const (
	markerCube      = 1
	markerDeleteAll = 3
)

// markers returns a marker that deletes the markers of the previous message, and then a box for
// each object: true objects in the map frame, or detected objects in the vehicle frame.
func (s *scene) markers() (map[string]any, error) {
	list := []any{map[string]any{"header": s.header(Map), "action": int64(markerDeleteAll)}}
	add := func(frame, ns string, id uint64, p frames.Vector, o frames.Orientation,
		d *osi3.Dimension3D, red, green, blue float64) {
		list = append(list, map[string]any{
			"header": s.header(frame), "ns": ns, "id": int64(int32(uint32(id))),
			"type":  int64(markerCube),
			"pose":  pose(p, o),
			"scale": map[string]any{"x": d.GetLength(), "y": d.GetWidth(), "z": d.GetHeight()},
			"color": map[string]any{"r": red, "g": green, "b": blue, "a": 0.8},
		})
	}
	truth := s.View.GetGlobalGroundTruth()
	if truth == nil && s.Data == nil {
		return nil, fault.New(ErrData, fault.At("topic "+s.topic), "no objects",
			"a ground truth or a SensorData")
	}
	for _, o := range truth.GetMovingObject() {
		b := o.GetBase()
		add(Map, "moving_object", o.GetId().GetValue(), vector(b.GetPosition()),
			orientation(b.GetOrientation()),
			b.GetDimension(), 0.2, 0.5, 0.9)
	}
	for _, o := range truth.GetStationaryObject() {
		b := o.GetBase()
		add(Map, "stationary_object", o.GetId().GetValue(), vector(b.GetPosition()),
			orientation(b.GetOrientation()),
			b.GetDimension(), 0.6, 0.6, 0.6)
	}
	mount := mountOf(s.Data.GetMountingPosition())
	for _, o := range s.Data.GetMovingObject() { // in the frame of the sensor
		b := o.GetBase()
		at, turned := mount.out(vector(b.GetPosition()), orientation(b.GetOrientation()))
		add(BaseLink, "detected_moving_object", o.GetHeader().GetTrackingId().GetValue(),
			at, turned, b.GetDimension(), 0.9, 0.3, 0.1)
	}
	return map[string]any{"markers": list}, nil
}

// point is a detection in the frame of the sensor.
type point struct{ x, y, z, azimuth, intensity float64 }

// points returns the detections of lidars and radars. Their intensity is the lidar's intensity in
// percent, or the radar cross section in dB m2.
func (s *scene) points() (list []point, err error) {
	features := s.Data.GetFeatureData()
	if len(features.GetLidarSensor())+len(features.GetRadarSensor()) == 0 {
		return nil, fault.New(ErrData, fault.At("topic "+s.topic), "no detections",
			"feature_data.lidar_sensor or feature_data.radar_sensor")
	}
	common := s.mounting()
	whole := mountOf(common)
	// add adds a detection by a part of the sensor, which may have its own mounting position.
	add := func(part *osi3.MountingPosition, p *osi3.Spherical3D, intensity float64) {
		se, ce := portable.Sincos(p.GetElevation())
		sa, ca := portable.Sincos(p.GetAzimuth())
		d := p.GetDistance()
		at, azimuth := frames.Vector{X: d * ce * ca, Y: d * ce * sa, Z: d * se}, p.GetAzimuth()
		if part != nil && common != nil && !proto.Equal(part, common) {
			outside, _ := mountOf(part).out(at, frames.Orientation{})
			at = whole.into(outside)
			azimuth = portable.Atan2(at.Y, at.X)
		}
		list = append(list, point{at.X, at.Y, at.Z, azimuth, intensity})
	}
	for _, l := range features.GetLidarSensor() {
		for _, d := range l.GetDetection() {
			add(l.GetHeader().GetMountingPosition(), d.GetPosition(), d.GetIntensity())
		}
	}
	for _, r := range features.GetRadarSensor() {
		for _, d := range r.GetDetection() {
			add(r.GetHeader().GetMountingPosition(), d.GetPosition(), d.GetRcs())
		}
	}
	return list, nil
}

// cloud returns an unordered cloud of x, y, z and intensity as 32-bit numbers.
func (s *scene) cloud() (map[string]any, error) {
	const size, float32Type = 16, 7
	points, err := s.points()
	if err != nil {
		return nil, err
	}
	var fields []any
	for k, name := range [...]string{"x", "y", "z", "intensity"} {
		fields = append(fields,
			map[string]any{"name": name, "offset": int64(4 * k), "datatype": int64(float32Type),
				"count": int64(1)})
	}
	data := make([]byte, 0, size*len(points))
	for _, p := range points {
		for _, x := range [...]float64{p.x, p.y, p.z, p.intensity} {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
		}
	}
	n := int64(len(points))
	return map[string]any{"header": s.header(Sensor), "height": int64(1), "width": n,
		"fields": fields, "point_step": int64(size), "row_step": size * n, "data": data,
		"is_dense": true}, nil
}

// Rays of a scan: one for each degree around the sensor.
const (
	rays      = 360
	rayAngle  = 2 * math.Pi / rays
	farthest  = 300.0 // m
	rangeLeft = 0.05  // m
)

// scan returns a scan with the nearest detection in the direction of each ray. A ray without a
// detection is infinite.
func (s *scene) scan() (map[string]any, error) {
	points, err := s.points()
	if err != nil {
		return nil, err
	}
	ranges, intensities := make([]any, rays), make([]any, rays)
	for k := range ranges {
		ranges[k], intensities[k] = math.Inf(1), 0.0
	}
	for _, p := range points {
		k := int(math.Floor((math.Remainder(p.azimuth, 2*math.Pi) + math.Pi) / rayAngle))
		flat := portable.Hypot(p.x, p.y)
		if k = min(max(k, 0), rays-1); flat >= rangeLeft && flat < ranges[k].(float64) {
			ranges[k], intensities[k] = flat, p.intensity
		}
	}
	return map[string]any{"header": s.header(Sensor), "angle_min": -math.Pi + rayAngle/2,
		"angle_max":       math.Pi - rayAngle/2,
		"angle_increment": rayAngle, "range_min": rangeLeft, "range_max": farthest,
		"ranges": ranges, "intensities": intensities}, nil
}

// Colors, shapes and states of autoware_perception_msgs/TrafficLightElement.
var (
	lightColors = map[osi3.TrafficLight_Classification_Color]int64{
		osi3.TrafficLight_Classification_COLOR_RED:    1,
		osi3.TrafficLight_Classification_COLOR_YELLOW: 2,
		osi3.TrafficLight_Classification_COLOR_GREEN:  3,
		osi3.TrafficLight_Classification_COLOR_WHITE:  4,
	}
	lightShapes = map[osi3.TrafficLight_Classification_Icon]int64{
		osi3.TrafficLight_Classification_ICON_NONE:                 1,
		osi3.TrafficLight_Classification_ICON_ARROW_LEFT:           2,
		osi3.TrafficLight_Classification_ICON_ARROW_RIGHT:          3,
		osi3.TrafficLight_Classification_ICON_ARROW_STRAIGHT_AHEAD: 4,
		osi3.TrafficLight_Classification_ICON_ARROW_DIAG_LEFT:      5,
		osi3.TrafficLight_Classification_ICON_ARROW_DIAG_RIGHT:     6,
		osi3.TrafficLight_Classification_ICON_ARROW_DOWN:           7,
		osi3.TrafficLight_Classification_ICON_ARROW_DOWN_LEFT:      8,
		osi3.TrafficLight_Classification_ICON_ARROW_DOWN_RIGHT:     9,
		osi3.TrafficLight_Classification_ICON_ARROW_CROSS:          10,
	}
	lightStates = map[osi3.TrafficLight_Classification_Mode]int64{
		osi3.TrafficLight_Classification_MODE_OFF:      1,
		osi3.TrafficLight_Classification_MODE_CONSTANT: 2,
		osi3.TrafficLight_Classification_MODE_FLASHING: 3,
	}
)

// lights returns the traffic lights. Bulbs in one place form a group, because OSI lists each bulb
// separately; the id of the group is the smallest id of its bulbs.
func (s *scene) lights() (map[string]any, error) {
	const together = 0.5 // m, in the plane
	if s.View.GetGlobalGroundTruth() == nil {
		return nil, fault.New(ErrData, fault.At("topic "+s.topic), "no ground truth",
			"global_ground_truth of a SensorView")
	}
	bulbs := slices.Clone(s.View.GetGlobalGroundTruth().GetTrafficLight())
	slices.SortStableFunc(bulbs, func(a, b *osi3.TrafficLight) int {
		return cmp.Compare(a.GetId().GetValue(), b.GetId().GetValue())
	})
	type group struct {
		at    *osi3.Vector3D
		value map[string]any
	}
	var groups []group
	for _, b := range bulbs {
		p, c := b.GetBase().GetPosition(), b.GetClassification()
		element := map[string]any{"color": lightColors[c.GetColor()],
			"shape": lightShapes[c.GetIcon()], "status": lightStates[c.GetMode()],
			"confidence": 1.0}
		k := slices.IndexFunc(groups, func(g group) bool {
			return portable.Hypot(g.at.GetX()-p.GetX(), g.at.GetY()-p.GetY()) < together
		})
		if k < 0 {
			k = len(groups)
			groups = append(groups,
				group{p, map[string]any{"traffic_light_group_id": int64(b.GetId().GetValue()),
					"elements": []any{}}})
		}
		groups[k].value["elements"] = append(groups[k].value["elements"].([]any), element)
	}
	list := []any{}
	for _, g := range groups {
		list = append(list, g.value)
	}
	return map[string]any{"stamp": s.stamp(), "traffic_light_groups": list}, nil
}
