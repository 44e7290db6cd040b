package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"gosmp/internal/charset"
	"gosmp/internal/fault"
	"gosmp/internal/regular"
)

// ErrConfig is the kind of errors about configurations.
var ErrConfig = errors.New("bad bridge configuration")

// Direction is the direction in which a message goes.
type Direction string

// Down means to the system under test, up means from it.
const (
	Down Direction = "down"
	Up   Direction = "up"
)

// Topic is a topic with the event that it represents.
type Topic struct {
	Name      string
	Message   *Message
	Direction Direction
	Vehicle   string // sut or traffic
	Event     string

	// In a run, a topic that goes down is created from the OSI messages of one variable, or from
	// plain variables, one for each field. The fields of a topic that goes up set inputs.
	From    string
	Sources []Link
	Sinks   []Link
	At      fault.Place // of the key that names them in the configuration; zero if there is none

	QoS  QoS  // in DDS; depth 0 means the default of the type
	Bare bool // in DDS: the name has no ROS prefix
}

// Link joins a field of a message to a variable of a run.
type Link struct {
	Field    []string // path to the field
	Kind     Kind     // a basic one, except Time
	Variable string
}

// Path returns the field as named in the configuration: "pose.position.x".
func (l *Link) Path() string { return strings.Join(l.Field, ".") }

// Types of messages that a run creates from OSI messages.
const (
	TypeImu        = "sensor_msgs/Imu"
	TypeNavSatFix  = "sensor_msgs/NavSatFix"
	TypeDetections = "vision_msgs/Detection3DArray"
	TypeClock      = "rosgraph_msgs/Clock" // from no OSI message: see FromTime
)

// FromTime is the source of a clock: the simulated time.
const FromTime = "time"

// FromAuto lets the run choose the source: the only variable with messages suitable for the type.
const FromAuto = "auto"

// Made returns the types of messages that a run creates from OSI messages or from the time.
func Made() []string {
	return []string{TypeImu, TypeNavSatFix, TypeDetections, TypeClock, "tf2_msgs/TFMessage",
		"nav_msgs/Odometry", "geometry_msgs/PoseStamped", "geometry_msgs/TwistStamped",
		"sensor_msgs/PointCloud2", "sensor_msgs/LaserScan", "visualization_msgs/MarkerArray",
		"autoware_perception_msgs/TrafficLightGroupArray",
		"autoware_perception_msgs/DetectedObjects", "autoware_perception_msgs/PredictedObjects",
		"autoware_vehicle_msgs/VelocityReport", "autoware_vehicle_msgs/GearReport",
		"autoware_vehicle_msgs/TurnIndicatorsReport", "autoware_vehicle_msgs/HazardLightsReport",
		"autoware_vehicle_msgs/SteeringReport", "autoware_vehicle_msgs/ControlModeReport"}
}

// Config is the configuration of a bridge: its topics and their messages.
type Config struct {
	System      System
	Topics      []*Topic
	Definitions *Definitions
	Transport   Transport
	TimeOffset  TimeOffset
}

// TimeOffset is the offset added to the simulated time in the stamps and clock messages of a run,
// so that a second run does not begin before the end of the first one.
type TimeOffset struct {
	Seconds float64
	Wall    bool // the run begins at the time of the computer's clock instead
}

// wallOffset is the value for an offset that makes a run begin at the time of the computer's clock.
const wallOffset = "wall"

// timeOffset reads the time offset.
func (p *parser) timeOffset(o *TimeOffset, n *node) error {
	const most = 2e9 // s, which leaves a run some time before the 32 bits of a stamp overflow
	seconds, number := n.value.(float64)
	if o.Wall = n.value == any(wallOffset); !o.Wall && (!number || seconds < 0 || seconds > most) {
		return p.bad(n.at, shown(n), "seconds from 0 to 2e9, or \"wall\"", "")
	}
	o.Seconds = seconds
	return nil
}

// ReadConfig reads a configuration file. Folders of definitions are relative to it.
func ReadConfig(file string) (*Config, error) {
	b, err := regular.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ParseConfig(file, b)
}

// ParseConfig reads the text of a configuration.
func ParseConfig(file string, text []byte) (*Config, error) {
	if len(text) > largestFile {
		return nil, fault.New(ErrConfig, fault.In(file), fmt.Sprintf("%d bytes", len(text)),
			"at most 1 MiB")
	}
	if encoding := charset.Of(text); encoding != "" {
		return nil, fault.New(ErrConfig, fault.Line(file, 1), "text in "+encoding, "UTF-8").
			WithHint("save the file as UTF-8")
	}
	p := &parser{file: file, text: text, d: json.NewDecoder(bytes.NewReader(text))}
	root, err := p.value(0)
	if err == nil {
		if _, extra := p.d.Token(); !errors.Is(extra, io.EOF) {
			err = p.bad(p.d.InputOffset(), "more text", "no text after the configuration", "")
		}
	}
	if err != nil {
		return nil, err
	}
	return p.config(root)
}

// config reads the whole configuration.
func (p *parser) config(root *node) (*Config, error) {
	keys, err := p.object(root, "a bridge configuration", "bridge", "system", "definitions",
		"messages", "transport", "time_offset")
	if err != nil {
		return nil, err
	}
	if version := keys["bridge"]; version == nil || version.value != any(float64(1)) {
		at := root.at
		if version != nil {
			at = version.at
		}
		return nil, p.bad(at, "another version", `"bridge": 1`, "")
	}
	system, err := p.choice(keys["system"], root.at, "system", string(ROS2), string(ROS1),
		string(DDS))
	if err != nil {
		return nil, err
	}
	c := &Config{System: System(system)}
	if c.Definitions, err = NewDefinitions(c.System); err != nil {
		return nil, err
	}
	folders, err := p.list(keys["definitions"], "definitions")
	if err != nil {
		return nil, err
	}
	for _, n := range folders {
		dir, err := p.string(n, n.at, "a folder")
		if err != nil {
			return nil, err
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(p.file), dir)
		}
		if err := c.Definitions.AddFolder(dir); err != nil {
			return nil, err
		}
	}
	if err := p.rest(c, keys); err != nil {
		return nil, err
	}
	return c, nil
}

// rest reads messages and transport.
func (p *parser) rest(c *Config, keys map[string]*node) error {
	messages, err := p.list(keys["messages"], "messages")
	if err != nil {
		return err
	}
	for _, n := range messages {
		if err := p.topic(c, n); err != nil {
			return err
		}
	}
	if n := keys["time_offset"]; n != nil {
		if err := p.timeOffset(&c.TimeOffset, n); err != nil {
			return err
		}
	}
	c.Transport.Kind = "loopback"
	if n := keys["transport"]; n != nil {
		err = p.transport(&c.Transport, n)
	}
	if err == nil {
		err = p.carriedByDDS(c, messages, keys["transport"])
	}
	return err
}

// topicKeys are the keys of a message in a configuration.
var topicKeys = []string{"topic", "type", "direction", "vehicle", "event", "from", "to", "qos",
	"avoid_ros_prefix"}

func (p *parser) topic(c *Config, n *node) (err error) {
	keys, err := p.object(n, "a message", topicKeys...)
	if err != nil {
		return err
	}
	t := &Topic{}
	if t.Name, err = p.string(keys["topic"], n.at, "topic"); err != nil {
		return err
	}
	if strings.ContainsFunc(t.Name, func(r rune) bool {
		return !unicode.IsGraphic(r) || strings.ContainsRune("\"\\`%", r)
	}) {
		// generated code contains it
		return p.bad(keys["topic"].at, fmt.Sprintf("%q", t.Name),
			"a topic without quotes, backslashes, percent signs and control characters", "")
	}
	if c.System != DDS && strings.ContainsFunc(t.Name, unicode.IsSpace) {
		return p.bad(keys["topic"].at, fmt.Sprintf("%q", t.Name), "a topic of ROS, without blanks",
			"")
	}
	if t.Message, err = p.message(c, n, keys["type"]); err != nil {
		return err
	}
	direction, err := p.choice(keys["direction"], n.at, "direction", string(Down), string(Up))
	if err != nil {
		return err
	}
	t.Direction = Direction(direction)
	if t.Vehicle, err = p.choice(keys["vehicle"], n.at, "vehicle", "sut", "traffic"); err != nil {
		return err
	}
	if t.Event, err = p.string(keys["event"], n.at, "event"); err != nil {
		return err
	}
	if !wordPattern.MatchString(t.Event) {
		return p.bad(keys["event"].at, fmt.Sprintf("%q", t.Event),
			"a name of letters, digits and underscores", "")
	}
	if err := p.roles(c, t, keys); err != nil {
		return err
	}
	for _, role := range []string{"from", "to"} {
		if k := keys[role]; k != nil {
			t.At = p.at(k.at).Place
		}
	}
	if err := p.distinct(c, t, n, keys); err != nil {
		return err
	}
	c.Topics = append(c.Topics, t)
	return nil
}

// message reads the type of a topic.
func (p *parser) message(c *Config, n, key *node) (*Message, error) {
	name, err := p.string(key, n.at, "type")
	if err != nil {
		return nil, err
	}
	if strings.Contains(name, "/srv/") || strings.Contains(name, "/action/") {
		return nil, p.bad(key.at, fmt.Sprintf("%q", name), "a message type",
			"services and actions are not supported, only topics")
	}
	m, err := c.Definitions.Message(name)
	if err != nil && !c.Definitions.isBroken(err) { // otherwise with its position in the definition
		err = p.because(key.at, fmt.Sprintf("%q", name), "a type that can be carried", err)
	}
	return m, err
}

// distinct refuses a topic with a second type, a topic that occurs twice in one direction, and an
// event of two topics.
func (p *parser) distinct(c *Config, t *Topic, n *node, keys map[string]*node) error {
	for _, other := range c.Topics {
		switch {
		case other.Name == t.Name && other.Message != t.Message:
			return p.bad(keys["type"].at,
				fmt.Sprintf("topic %q with type %s", t.Name, t.Message.Name), other.Message.Name+
					", which it has above", "")
		case other.Name == t.Name && other.Direction == t.Direction, other.Event == t.Event:
			return p.bad(n.at, fmt.Sprintf("topic %q, event %q", t.Name, t.Event),
				"each topic only once per direction, and each event only once", "")
		}
	}
	return nil
}

// roles reads the sources of a topic, the inputs it sets, and its DDS settings.
func (p *parser) roles(c *Config, t *Topic, keys map[string]*node) (err error) {
	if n := keys["from"]; n != nil {
		if err := p.from(c, t, n); err != nil {
			return err
		}
	}
	if n := keys["to"]; n != nil {
		if t.Direction != Up {
			return p.bad(n.at, "to with direction "+string(t.Direction),
				"it only with direction up", "")
		}
		if t.Sinks, err = p.links(c, t, n); err != nil {
			return err
		}
	}
	return p.service(c, t, keys)
}

// from reads the sources of a topic's messages: OSI messages of a variable, or variables for
// fields.
func (p *parser) from(c *Config, t *Topic, n *node) (err error) {
	if t.Direction != Down {
		return p.bad(n.at, "from with direction "+string(t.Direction),
			"it only with direction down", "")
	}
	if list, is := n.value.([]member); is && t.Message.Name == TypeClock && len(list) == 1 &&
		list[0].name == "clock" &&
		list[0].node.value == any(FromTime) { // spelled as for other fields
		t.From = FromTime
		return nil
	} else if is {
		t.Sources, err = p.links(c, t, n)
		return err
	}
	if t.From, err = p.string(n, n.at, "from"); err != nil {
		return err
	}
	if !slices.Contains(Made(), t.Message.Name) {
		return p.bad(n.at, "from for type "+t.Message.Name,
			"it for one of "+strings.Join(Made(), ", ")+
				`, or an object such as {"FIELD": "participant.variable"}`, "")
	}
	if t.Message.Name == TypeClock && t.From == FromAuto {
		t.From = FromTime
	}
	if t.Message.Name == TypeClock && t.From != FromTime {
		return p.bad(n.at, fmt.Sprintf("%q for type %s", t.From, TypeClock),
			fmt.Sprintf("%q, the simulated time", FromTime), "")
	}
	return nil
}

// links reads an object of fields with their variables.
func (p *parser) links(c *Config, t *Topic, n *node) ([]Link, error) {
	list, is := n.value.([]member)
	if !is || len(list) == 0 {
		return nil, p.bad(n.at, shown(n), `an object such as {"FIELD": "participant.variable"}`, "")
	}
	links := make([]Link, 0, len(list))
	for _, m := range list {
		variable, err := p.string(m.node, m.node.at, "a variable")
		if err != nil {
			return nil, err
		}
		link := Link{Field: strings.Split(m.name, "."), Variable: variable}
		if link.Kind, err = c.Definitions.basic(t.Message, link.Field); err != nil {
			return nil, p.because(m.at, fmt.Sprintf("field %q", m.name),
				"a field with one basic value", err)
		}
		links = append(links, link)
	}
	return links, nil
}

// Topic finds a topic by name and direction.
func (c *Config) Topic(name string, d Direction) *Topic {
	for _, t := range c.Topics {
		if t.Name == name && t.Direction == d {
			return t
		}
	}
	return nil
}
