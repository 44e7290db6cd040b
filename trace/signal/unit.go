package signal

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// ofVectors maps field names to the units of OSI's vectors, angles and boxes, which the comments in
// the .proto files state.
var ofVectors = map[string]string{
	"position": "m", "position_rmse": "m", "dimension": "m", "dimension_rmse": "m",
	"bbcenter_to_rear": "m", "bbcenter_to_front": "m", "velocity": "m/s", "velocity_rmse": "m/s",
	"acceleration": "m/s2", "acceleration_rmse": "m/s2", "orientation": "rad",
	"orientation_rmse": "rad", "orientation_rate": "rad/s", "orientation_rate_rmse": "rad/s",
	"orientation_acceleration": "rad/s2",
}

// ofNumbers maps field names to the units of single numbers.
var ofNumbers = map[string]string{
	"distance": "m", "azimuth": "rad", "elevation": "rad", "radial_velocity": "m/s",
	"radial_velocity_rmse": "m/s", "rcs": "dB m2", "snr": "dB", "age": "s", "temperature": "K",
	"atmospheric_pressure": "Pa", "seconds_since_midnight": "s", "unix_timestamp": "s",
}

// parts names the numbers in vectors, angles and boxes.
var parts = map[string]bool{"x": true, "y": true, "z": true, "roll": true, "pitch": true,
	"yaw": true, "length": true, "width": true, "height": true}

// unitOf returns the unit of the number at a path.
func unitOf(path string, f protoreflect.FieldDescriptor) string {
	names := strings.Split(path, ".")
	last := len(names) - 1
	switch {
	case !strings.HasPrefix(string(f.FullName()), "osi3."):
		return ""
	case parts[names[last]] && last > 0:
		above, _, _ := strings.Cut(names[last-1], "[")
		return ofVectors[above]
	}
	return ofNumbers[names[last]]
}

// Unit returns the unit of the numbers at a path in a message type, to which the path is bound, or
// "" if there is none or it is unknown.
func (p *Path) Unit(m protoreflect.MessageDescriptor) string {
	var f protoreflect.FieldDescriptor
	for _, s := range p.steps {
		if m == nil {
			return ""
		}
		if f = m.Fields().ByName(protoreflect.Name(s.name)); f == nil {
			return ""
		}
		m = f.Message()
	}
	return unitOf(p.text, f)
}
