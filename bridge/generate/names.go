package generate

import (
	"slices"
	"strings"

	"gosmp/bridge"
)

// initialisms lists the words that stay capitalized in names.
var initialisms = []string{"ID", "GPS", "UTC", "URL", "XML", "JSON", "HTTP", "CPU"}

// goName converts a name from .msg files to an exported Go name: frame_id becomes FrameID.
func goName(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		switch upper := strings.ToUpper(word); {
		case word == "":
		case slices.Contains(initialisms, upper):
			b.WriteString(upper)
		default:
			b.WriteString(upper[:1] + word[1:])
		}
	}
	return b.String()
}

// methods lists the names that fields must not have.
var methods = []string{"Marshal", "Unmarshal", "MarshalBig"}

// taken makes names unique: an underscore is added to a repeated name.
type taken map[string]bool

func (t taken) name(wanted string) string {
	for t[wanted] {
		wanted += "_"
	}
	t[wanted] = true
	return wanted
}

// typeNames chooses the type names of messages. reserved lists the other names in the package.
// Following the table in the simulator support documentation, a ROS 1 point is called coordinates.
func typeNames(system bridge.System, messages []*bridge.Message,
	reserved []string) map[*bridge.Message]string {
	short := func(m *bridge.Message) string {
		if system == bridge.ROS1 && m.Name == "geometry_msgs/Point" {
			return "Coordinates"
		}
		return goName(m.Name[strings.LastIndexByte(m.Name, '/')+1:])
	}
	count := map[string]int{}
	for _, m := range messages {
		count[short(m)]++
	}
	used := taken{}
	for _, name := range reserved {
		used[name] = true
	}
	names := map[*bridge.Message]string{}
	for _, m := range messages {
		name := short(m)
		if count[name] > 1 || used[name] {
			name = goName(strings.ReplaceAll(m.Name, "/", "_"))
		}
		names[m] = used.name(name)
	}
	return names
}

// fieldNames chooses the Go names of the fields of a message.
func fieldNames(m *bridge.Message) []string {
	used := taken{}
	for _, name := range methods {
		used[name] = true
	}
	names := make([]string, len(m.Fields))
	for k, f := range m.Fields {
		names[k] = used.name(goName(f.Name))
	}
	return names
}
