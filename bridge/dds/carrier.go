package dds

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gosmp/bridge"
	"gosmp/internal/fault"
)

// Options define how a carrier behaves.
type Options struct {
	// Receive is called for each incoming message with the simulated time of its arrival, from
	// goroutines of the participant.
	Receive func(topic string, timeNs int64, bytes []byte) error
	// Warn is called for each warning, from any goroutine; it may be nil.
	Warn func(text string)
}

// Carrier carries the topics of a configuration in a DDS domain. It is a [bridge.Carrier].
type Carrier struct {
	config  *bridge.Config
	options Options
	p       *Participant
	writers map[*bridge.Topic]*Writer
	now     atomic.Int64 // simulated time

	mu      sync.Mutex
	damaged map[string]uint64 // messages that could not be read, by topic
}

// Open joins the domain of a configuration.
func Open(c *bridge.Config, o Options) (*Carrier, error) {
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	s := Settings{Domain: c.Transport.Domain.Number, Warn: o.Warn}
	var err error
	if s.Address, err = netip.ParseAddr(c.Transport.Address); err != nil {
		return nil, fault.New(ErrDomain, fault.At("address "+c.Transport.Address), "",
			"an IPv4 address of this machine").WithCause(err)
	}
	if !c.Transport.Domain.Given {
		if s.Domain, err = UsualDomain(); err != nil {
			return nil, err
		}
	}
	if c.System == bridge.ROS2 {
		if s.Node = c.Transport.Node; s.Node == "" {
			s.Node = "gosmp"
		}
	}
	r := &Carrier{config: c, options: o, writers: map[*bridge.Topic]*Writer{},
		damaged: map[string]uint64{}}
	if r.p, err = Join(s); err != nil {
		return nil, err
	}
	for _, t := range c.Topics {
		if err := r.join(t); err != nil {
			return nil, errors.Join(err, r.p.Close())
		}
	}
	return r, nil
}

// UsualDomain returns the domain from the environment variable ROS_DOMAIN_ID, or 0.
func UsualDomain() (int, error) {
	const name = "ROS_DOMAIN_ID"
	text := os.Getenv(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > MostDomain {
		return 0, fault.New(ErrDomain, fault.At(name), strconv.Quote(text),
			fmt.Sprintf("0 to %d", MostDomain))
	}
	return n, nil
}

// join creates the reader or the writer of a topic.
func (c *Carrier) join(t *bridge.Topic) (err error) {
	topic := Describe(c.config, t)
	if t.Direction == bridge.Down {
		c.writers[t], err = c.p.NewWriter(topic)
		return err
	}
	_, err = c.p.NewReader(topic, func(s Sample) { c.receive(t, s) })
	return err
}

// Describe returns the DDS topic for a topic of a configuration.
func Describe(c *bridge.Config, t *bridge.Topic) Topic {
	d := Topic{Name: TopicName(t.Name), Type: TypeName(t.Message.Name), QoS: t.QoS}
	if t.Bare {
		if d.Name = strings.TrimPrefix(t.Name, "/"); t.Message.IDL != "" && c.System == bridge.DDS {
			d.Type = t.Message.IDL
		}
	}
	if strings.Contains(d.Type, typeModule) {
		d.UserData = hashKey + TypeHash(c.Definitions, t.Message) + ";"
	}
	if d.QoS.Depth == 0 {
		d.QoS = usual(t)
	}
	return d
}

// hashKey precedes the type hash in the user data of an endpoint.
const hashKey = "typehash="

// usual returns the customary QoS in ROS 2 for messages of a type. Sensor data is published as
// reliable, which suits all subscribers, and subscribed as best effort, which suits all publishers.
func usual(t *bridge.Topic) QoS {
	const frames = "tf2_msgs/TFMessage"
	q := Default
	switch name := t.Message.Name; {
	case name == frames && strings.HasSuffix(t.Name, "tf_static"):
		return Latched
	case name == frames:
		q.Depth = 100
	case name == bridge.TypeClock:
		q = QoS{Reliable: t.Direction == bridge.Down, Depth: 1}
	case strings.HasPrefix(name, "sensor_msgs/"):
		q = QoS{Reliable: t.Direction == bridge.Down, Depth: SensorData.Depth}
	}
	return q
}

// Publish sends a message.
func (c *Carrier) Publish(t *bridge.Topic, timeNs int64, bytes []byte) error {
	w := c.writers[t]
	if w == nil {
		return fmt.Errorf("%w: topic %s is not in the configuration", bridge.ErrMessage, t.Name)
	}
	c.Advance(timeNs)
	made := time.Now()
	if c.config.Transport.Stamp == bridge.StampSim {
		made = time.Unix(0, timeNs)
	}
	w.Write(bytes, made)
	return nil
}

// Advance sets the simulated time, with which incoming messages are stamped.
func (c *Carrier) Advance(timeNs int64) { c.now.Store(timeNs) }

// receive passes on a message, and reports damaged messages once per topic.
func (c *Carrier) receive(t *bridge.Topic, s Sample) {
	err := bridge.ErrMessage
	if c.options.Receive != nil {
		err = c.options.Receive(t.Name, c.now.Load(), s.Payload)
	}
	if err == nil {
		return
	}
	c.mu.Lock()
	c.damaged[t.Name]++
	first := c.damaged[t.Name] == 1
	c.mu.Unlock()
	if first {
		c.options.Warn(fmt.Sprintf("message of %s left out, further ones are counted: %v",
			c.p.NodeName(s.Writer), err))
	}
}

// Counts returns the carrier's counts so far.
func (c *Carrier) Counts() Counts { return c.p.Counts() }

// Where returns the domain and the address of the carrier in readable form.
func (c *Carrier) Where() string {
	return fmt.Sprintf("DDS domain %d on %s", c.p.settings.Domain, c.p.net.address)
}

// Close leaves the domain once readers have received all missing samples, or after two seconds.
func (c *Carrier) Close() error {
	err := c.p.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for topic, n := range c.damaged {
		if n > 1 {
			c.options.Warn(fmt.Sprintf("%s: %d messages that came up were left out", topic, n))
		}
	}
	return err
}
