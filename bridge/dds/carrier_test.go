package dds_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/cdr"
	"gosmp/bridge/dds"
	"gosmp/bridge/dds/wire"
)

// carried opens a carrier for topics in a domain.
func carried(t *testing.T, d int, rest, topics string, o dds.Options) (*dds.Carrier,
	*bridge.Config) {
	t.Helper()
	c, err := bridge.ParseConfig("c.json", fmt.Appendf(nil, `{"bridge": 1, "system": "ros2",
		"messages": [%s], "transport": {"kind": "dds", "domain": %d%s}}`, topics, d, rest))
	require.NoError(t, err)
	carrier, err := dds.Open(c, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, carrier.Close()) })
	return carrier, c
}

func entry(topic, kind, direction, rest string) string {
	return fmt.Sprintf(`{"topic": %q, "type": %q, "direction": %q, "vehicle": "sut",
		"event": "e%s%s"%s}`, topic, kind, direction, strings.ReplaceAll(topic, "/", "_"), direction, rest)
}

// Messages in a representation other than plain CDR, such as XCDR2, are dropped. One warning names
// the topic, the node and the representation; later valid messages arrive.
func TestCarrier_OtherRepresentations(t *testing.T) {
	d := domain()
	warn, warnings := texts()
	got := &box{}
	config := (*bridge.Config)(nil)
	var receive func(topic string, timeNs int64, b []byte) error
	_, config = carried(t, d, "", entry("/x", "std_msgs/String", "up", `, "qos": "default"`),
		dds.Options{Warn: warn, Receive: func(topic string, timeNs int64, b []byte) error {
			return receive(topic, timeNs, b)
		}})
	receive = func(topic string, timeNs int64, b []byte) error {
		m, err := config.Definitions.Message("std_msgs/String")
		if err == nil {
			_, err = config.Definitions.Decode(m, b)
		}
		if err == nil {
			got.put(dds.Sample{Payload: b})
		}
		return err
	}
	other := member(t, d, "peer", nil)
	w, err := other.NewWriter(topic("x", dds.Default))
	require.NoError(t, err)
	soon(t, func() bool { return w.Matched() == 1 })
	for _, second := range []byte{2, 3, 6, 7, 8, 9, 10, 11} {
		b := text("x")
		b[1] = second
		w.Write(b, time.Now())
	}
	w.Write([]byte{0, 1}, time.Now())
	w.Write(text("good"), time.Now())
	soon(t, func() bool { return len(got.take()) == 1 })
	require.Equal(t, []string{"good"}, got.take())
	require.Len(t, warnings(), 1)
	require.Contains(t, warnings()[0], "further ones are counted")
	require.Contains(t, warnings()[0], "representation 00 02")
}

// Without a QoS, a topic uses the ROS 2 default for its type in each direction.
func TestCarrier_UsualQoS(t *testing.T) {
	for _, c := range []struct {
		topic, kind, direction string
		want                   dds.QoS
	}{
		{"/odom", "nav_msgs/Odometry", "down", dds.Default},
		{"/cmd_vel", "geometry_msgs/Twist", "up", dds.Default},
		{"/imu", "sensor_msgs/Imu", "down", dds.QoS{Reliable: true, Depth: 5}},
		{"/imu", "sensor_msgs/Imu", "up", dds.QoS{Depth: 5}},
		{"/clock", "rosgraph_msgs/Clock", "down", dds.QoS{Reliable: true, Depth: 1}},
		{"/clock", "rosgraph_msgs/Clock", "up", dds.QoS{Depth: 1}},
		{"/tf", "tf2_msgs/TFMessage", "down", dds.QoS{Reliable: true, Depth: 100}},
		{"/tf_static", "tf2_msgs/TFMessage", "down", dds.Latched},
	} {
		text := fmt.Sprintf(`{"bridge": 1, "system": "ros2", "messages": [%s],
			"transport": {"kind": "dds"}}`, entry(c.topic, c.kind, c.direction, ""))
		config, err := bridge.ParseConfig("c.json", []byte(text))
		require.NoError(t, err)
		d := dds.Describe(config, config.Topics[0])
		require.Equal(t, c.want, d.QoS, c.topic)
		require.Equal(t, dds.TopicName(c.topic), d.Name)
		require.Regexp(t, "^typehash=RIHS01_[0-9a-f]{64};$", d.UserData)
	}
}

// Recorders see the simulated time only if the configuration requests it.
func TestCarrier_Stamps(t *testing.T) {
	for rest, simulated := range map[string]bool{"": false, `, "stamp": "sim"`: true} {
		d := domain()
		carrier, config := carried(t, d, rest, entry("/x", "std_msgs/String", "down",
			`, "qos": "latched"`), dds.Options{})
		began := time.Now()
		require.NoError(t, carrier.Publish(config.Topics[0], 1_500_000_000, text("x")))
		made := make(chan time.Time, 1)
		_, err := member(t, d, "peer", nil).NewReader(topic("x", dds.Latched),
			func(s dds.Sample) { made <- s.Made })
		require.NoError(t, err)
		if at := <-made; simulated {
			require.True(t, at.Equal(time.Unix(1, 500_000_000)), at)
		} else {
			require.False(t, at.Before(began.Truncate(time.Microsecond)), at)
		}
	}
}

// ROS_DOMAIN_ID selects the domain unless the configuration does.
func TestCarrier_Domain(t *testing.T) {
	for text, want := range map[string]int{"": 0, "7": 7, "232": 232} {
		t.Setenv("ROS_DOMAIN_ID", text)
		n, err := dds.UsualDomain()
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	for _, text := range []string{"233", "-1", "x", "1.5"} {
		t.Setenv("ROS_DOMAIN_ID", text)
		_, err := dds.UsualDomain()
		require.ErrorIs(t, err, dds.ErrDomain)
		require.ErrorContains(t, err, "ROS_DOMAIN_ID")
	}
}

// Warnings name peers with unreachable topics and the reason: partitions, representations, keys and
// security. They also name a second publisher of the time.
func TestParticipant_NamesWhatItCannotReach(t *testing.T) {
	d := domain()
	warn, warnings := texts()
	p := member(t, d, "here", warn)
	_, err := p.NewWriter(topic("clock", dds.Default))
	require.NoError(t, err)
	_, err = p.NewReader(topic("x", dds.SensorData), func(dds.Sample) {})
	require.NoError(t, err)
	p.Handle(announcement(d, "elsewhere000", "127.0.0.1:9"))
	prefix := wire.Prefix([]byte("elsewhere000"))
	number := int64(0)
	same := func(b []byte) []byte { return b }
	announce := func(topic string, change func(*wire.Endpoint), alter func([]byte) []byte) {
		number++
		o := wire.Endpoint{GUID: wire.GUID{Prefix: prefix, Entity: wire.EntityID{0, 0, byte(number),
			wire.KindWriter}}, Topic: "rt/" + topic, Type: "std_msgs::msg::dds_::String_",
			QoS:      wire.QoS{Reliable: true, Deadline: wire.Forever, Lease: wire.Forever},
			Locators: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:9")}}
		change(&o)
		p.Handle(wire.AppendData(wire.Begin(nil, prefix), &wire.Data{Number: number,
			Writer: wire.PublicationWriter, Payload: alter(o.Append(nil))}))
	}
	announce("clock", func(*wire.Endpoint) {}, same)
	announce("x", func(*wire.Endpoint) {}, func(b []byte) []byte { // a partition, before the end
		return append(b[:len(b)-4], 0x29, 0, 16, 0, 1, 0, 0, 0, 5, 0, 0, 0, 'l', 'e', 'f', 't', 0,
			0, 0, 0, 1, 0, 0, 0)
	})
	announce("x", func(*wire.Endpoint) {}, func(b []byte) []byte { // XCDR2 instead of XCDR1
		const head = "\x73\x00\x08\x00\x01\x00\x00\x00"
		return bytes.Replace(b, []byte(head+"\x00"), []byte(head+"\x02"), 1)
	})
	announce("x", func(o *wire.Endpoint) { o.GUID.Entity[3] = 0x02 }, same)
	announce("x", func(o *wire.Endpoint) { o.QoS.Ownership = 1 }, same)
	soon(t, func() bool { return len(warnings()) >= 5 }, warnings)
	all := strings.Join(warnings(), "\n")
	for _, said := range []string{"/clock: two publishers of the time",
		`PARTITION: the reader has [], the writer ["left"]`,
		"DATA_REPRESENTATION: only XCDR1 is supported here",
		"/x: keys: one side has a type with keys",
		"OWNERSHIP: one side is shared, the other exclusive"} {
		require.Contains(t, all, said)
	}
}

// Large messages are sent in bursts that fit the receive buffers of most systems, with a pause
// after each. If a fragment is lost, only that fragment is sent again.
func TestParticipant_PacesLargeMessages(t *testing.T) {
	const size, burst, pause = 4_000_000, 160_000, 300 * time.Microsecond
	a, _, w, got := linked(t)
	fragments := 0
	a.Lose(func(packet []byte) bool {
		r, _ := wire.Open(packet)
		for s := (wire.Submessage{}); r.Next(&s); {
			if s.Kind == wire.KindDataFragment {
				fragments++
				return fragments == 20 // of 67
			}
		}
		return false
	})
	large := strings.Repeat("x", size)
	began := time.Now()
	w.Write(text(large), time.Now())
	soon(t, func() bool { return len(got.take()) == 2 })
	require.GreaterOrEqual(t, time.Since(began), size/burst*pause)
	require.Equal(t, large, got.take()[1])
	require.NotZero(t, a.Counts().Repeated)
}

// A message in either byte order is read.
func TestCarrier_ByteOrders(t *testing.T) {
	for _, order := range []cdr.Form{cdr.Little, cdr.Big} {
		b := cdr.AppendString(cdr.Begin(nil, order), "x", order)
		require.Equal(t, "x", cdr.NewReader(b).String())
	}
}
