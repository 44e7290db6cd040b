package bridge

import (
	"fmt"
	"math"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"gosmp/internal/gate"
)

// Transport describes how bytes are carried.
type Transport struct {
	Kind    string // mcap, websocket, tcp, dds or loopback
	Path    string // of an MCAP file
	Address string // of a server: where it listens; in DDS: of the network to use
	Scenes  bool   // of a websocket: viewers also get messages that they draw without an extension

	Domain DomainID // of DDS
	Node   string   // node name in the ROS 2 graph, for DDS; "gosmp" if it is empty
	Stamp  Stamp    // of messages in DDS
}

// DomainID is the number of a DDS domain.
type DomainID struct {
	Number int
	Given  bool // otherwise the environment variable ROS_DOMAIN_ID applies, or else 0
}

// Stamp selects the clock for the source times of messages.
type Stamp string

// The computer's clock, which ROS recorders expect, or the simulated time.
const (
	StampWall Stamp = "wall"
	StampSim  Stamp = "sim"
)

// QoS is how DDS carries a topic.
type QoS struct {
	Reliable bool
	// Latched keeps the newest messages for late subscribers (transient local).
	Latched bool
	Depth   int // number of messages kept
	// Deadline is the longest time between two messages; 0: there is none.
	Deadline time.Duration
	// Lease is how long a publisher counts as alive after a sign of life; 0: for ever.
	Lease      time.Duration
	Liveliness Liveliness
}

// Liveliness describes what a publisher's signs of life are.
type Liveliness uint8

// Kinds of liveliness: the program itself, a message of any of its publishers with this kind, or a
// message of the publisher.
const (
	Automatic Liveliness = iota
	ManualByParticipant
	ManualByTopic
)

// livelinesses are the kinds of liveliness by the names that a configuration uses.
var livelinesses = [...]string{"automatic", "manual_by_participant", "manual_by_topic"}

// String returns the name that a configuration uses.
func (l Liveliness) String() string { return livelinesses[min(int(l), len(livelinesses)-1)] }

// profiles are the QoS profiles that a configuration can name.
var profiles = map[string]QoS{
	"default": {Reliable: true, Depth: 10}, "sensor_data": {Depth: 5},
	"latched": {Reliable: true, Latched: true, Depth: 1}, "clock": {Depth: 1},
}

// The default addresses. Viewers suggest the same one for the WebSocket.
const (
	defaultWebSocket = "127.0.0.1:8765"
	defaultTCP       = "127.0.0.1:7790"
	defaultDDS       = "127.0.0.1"
)

const kindDDS = "dds"

func (p *parser) transport(t *Transport, n *node) (err error) {
	keys, err := p.object(n, "a transport", "kind", "path", "address", "domain", "node", "stamp",
		"scenes")
	if err != nil {
		return err
	}
	if t.Kind, err = p.choice(keys["kind"], n.at, "kind", "loopback", "mcap", "websocket", "tcp",
		kindDDS); err != nil {
		return err
	}
	serves := t.Kind == "websocket" || t.Kind == "tcp"
	for _, name := range []string{"domain", "node", "stamp"} {
		if t.Kind != kindDDS && keys[name] != nil {
			return p.bad(keys[name].at, name, "no "+name+" for transport "+t.Kind, "")
		}
	}
	if scenes := keys["scenes"]; scenes != nil {
		draw, is := scenes.value.(bool)
		if !is || t.Kind != "websocket" {
			return p.bad(scenes.at, "scenes", "true or false, only for transport websocket", "")
		}
		t.Scenes = draw
	}
	switch {
	case t.Kind != "mcap" && keys["path"] != nil:
		return p.bad(keys["path"].at, "path", "no path for transport "+t.Kind, "")
	case t.Kind == kindDDS:
		return p.dds(t, keys)
	case !serves && keys["address"] != nil:
		return p.bad(keys["address"].at, "address", "no address for transport "+t.Kind, "")
	case t.Kind == "mcap":
		t.Path, err = p.string(keys["path"], n.at, "path")
		return err
	case serves:
		return p.address(t, keys["address"])
	}
	return nil
}

// address reads where a server listens.
func (p *parser) address(t *Transport, n *node) (err error) {
	t.Address = defaultWebSocket
	if t.Kind == "tcp" {
		t.Address = defaultTCP
	}
	if n == nil {
		return nil
	}
	if t.Address, err = p.string(n, n.at, "address"); err != nil {
		return err
	}
	_, rest := gate.Cut(t.Address)
	_, port, err := net.SplitHostPort(rest)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return p.bad(n.at, fmt.Sprintf("%q", t.Address),
			"address: HOST:PORT or TOKEN@HOST:PORT, such as "+defaultWebSocket, "")
	}
	return nil
}

// dds reads the settings for joining a domain.
func (p *parser) dds(t *Transport, keys map[string]*node) (err error) {
	t.Address, t.Stamp = defaultDDS, StampWall
	if n := keys["address"]; n != nil {
		if t.Address, err = p.string(n, n.at, "address"); err != nil {
			return err
		}
		if a, err := netip.ParseAddr(t.Address); err != nil || !a.Is4() {
			return p.bad(n.at, fmt.Sprintf("%q", t.Address),
				"an IPv4 address of this machine without "+
					"a port, such as 127.0.0.1", "the ports follow from the domain")
		}
	}
	if n := keys["domain"]; n != nil {
		const most = 232
		if t.Domain.Number, err = p.integer(n, 0, most); err != nil {
			return err
		}
		t.Domain.Given = true
	}
	if n := keys["node"]; n != nil {
		if t.Node, err = p.string(n, n.at, "node"); err != nil {
			return err
		}
		if !wordPattern.MatchString(t.Node) {
			return p.bad(n.at, fmt.Sprintf("%q", t.Node),
				"a name of letters, digits and underscores", "")
		}
	}
	if n := keys["stamp"]; n != nil {
		word, err := p.choice(n, n.at, "stamp", string(StampWall), string(StampSim))
		if err != nil {
			return err
		}
		t.Stamp = Stamp(word)
	}
	return nil
}

// integer reads an integer within limits.
func (p *parser) integer(n *node, least, most int) (int, error) {
	value, is := n.value.(float64)
	if !is || value != math.Trunc(value) || value < float64(least) || value > float64(most) {
		return 0, p.bad(n.at, shown(n), fmt.Sprintf("an integer from %d to %d", least, most), "")
	}
	return int(value), nil
}

// service reads the QoS of a topic in DDS.
func (p *parser) service(c *Config, t *Topic, keys map[string]*node) (err error) {
	t.Bare = c.System == DDS
	if n := keys["avoid_ros_prefix"]; n != nil {
		bare, is := n.value.(bool)
		if !is {
			return p.bad(n.at, shown(n), "true or false", "")
		}
		t.Bare = bare
	}
	n := keys["qos"]
	if n == nil {
		return nil
	}
	if name, is := n.value.(string); is {
		profile, known := profiles[name]
		if !known {
			return p.bad(n.at, fmt.Sprintf("%q", name),
				"clock, default, latched, sensor_data or an "+
					`object such as {"reliability": "reliable", "durability": `+
					`"volatile", "depth": 10}`, "")
		}
		t.QoS = profile
		return nil
	}
	parts, err := p.object(n, "a QoS", "reliability", "durability", "depth", "deadline",
		"liveliness", "lease")
	if err != nil {
		return err
	}
	t.QoS = profiles["default"]
	if n := parts["reliability"]; n != nil {
		word, err := p.choice(n, n.at, "reliability", "reliable", "best_effort")
		if err != nil {
			return err
		}
		t.QoS.Reliable = word == "reliable"
	}
	if n := parts["durability"]; n != nil {
		word, err := p.choice(n, n.at, "durability", "volatile", "transient_local")
		if err != nil {
			return err
		}
		t.QoS.Latched = word == "transient_local"
	}
	if n := parts["depth"]; n != nil {
		const most = 1000
		if t.QoS.Depth, err = p.integer(n, 1, most); err != nil {
			return err
		}
	}
	return p.alive(&t.QoS, parts)
}

// alive reads what a QoS says about signs of life.
func (p *parser) alive(q *QoS, parts map[string]*node) (err error) {
	if q.Deadline, err = p.span(parts["deadline"]); err != nil {
		return err
	}
	if q.Lease, err = p.span(parts["lease"]); err != nil {
		return err
	}
	n := parts["liveliness"]
	if n == nil {
		return nil
	}
	word, err := p.choice(n, n.at, "liveliness", livelinesses[:]...)
	q.Liveliness = Liveliness(slices.Index(livelinesses[:], word))
	return err
}

// span reads a number of seconds, 0 if there is none.
func (p *parser) span(n *node) (time.Duration, error) {
	if n == nil {
		return 0, nil
	}
	const least, most = 0.1, 1e6
	seconds, is := n.value.(float64)
	if !is || !(seconds >= least && seconds <= most) {
		return 0, p.bad(n.at, shown(n), fmt.Sprintf("%g to %g seconds", least, most), "")
	}
	return time.Duration(math.Round(seconds * float64(time.Second))), nil
}

// carriedByDDS refuses topics that DDS cannot carry, and DDS options with other transports.
func (p *parser) carriedByDDS(c *Config, messages []*node, transport *node) error {
	for k, t := range c.Topics {
		keys, err := p.object(messages[k], "a message", topicKeys...)
		if err != nil {
			return err
		}
		for _, name := range []string{"qos", "avoid_ros_prefix"} {
			if keys[name] != nil && c.Transport.Kind != kindDDS {
				return p.bad(keys[name].at, name+" with transport "+c.Transport.Kind,
					"it only with transport dds", "")
			}
		}
		union := slices.ContainsFunc(c.Definitions.With(t.Message), func(m *Message) bool {
			return m.Union != nil
		})
		if kind := c.Transport.Kind; union && (kind == "mcap" || kind == "websocket") {
			return p.bad(keys["type"].at, "type "+t.Message.Name+" with a union",
				"a type that schemas of "+kind+" can describe, or transport dds, tcp or loopback",
				"")
		}
		keyed := slices.ContainsFunc(c.Definitions.With(t.Message), func(m *Message) bool {
			return m.Keyed
		})
		if c.Transport.Kind == kindDDS && keyed {
			return p.bad(keys["type"].at, "type "+t.Message.Name+" with @key",
				"a type without keys for transport dds", "")
		}
	}
	if c.Transport.Kind == kindDDS && c.System == ROS1 {
		return p.bad(transport.at, "transport dds with system ros1", "system ros2 or dds", "")
	}
	return nil
}
