package bridge

import (
	"io"

	"gosmp/trace/mcap"
)

// MCAP is a carrier that records messages, in profile ros2 or ros1, with one schema for each type
// and one channel for each topic. Viewers and ROS tools can read the file. Both times of a message
// are simulation time. MCAP must be used by one goroutine at a time.
type MCAP struct {
	w        *mcap.Writer
	channels map[string]uint16
	count    map[string]uint32
}

// NewMCAP starts a file with the topics of a configuration.
func NewMCAP(to io.Writer, c *Config) (*MCAP, error) {
	profile := "ros2"
	if c.System == ROS1 {
		profile = "ros1"
	}
	w, err := mcap.NewWriter(to, mcap.Options{Profile: profile, Library: "gosmp"})
	if err != nil {
		return nil, err
	}
	m := &MCAP{w: w, channels: map[string]uint16{}, count: map[string]uint32{}}
	schemas := map[*Message]uint16{}
	for _, t := range c.Topics {
		if _, known := m.channels[t.Name]; known {
			continue
		}
		if schemas[t.Message] == 0 {
			schemas[t.Message] = uint16(len(schemas) + 1)
			err := w.AddSchema(&mcap.Schema{ID: schemas[t.Message],
				Name: c.System.SchemaName(t.Message), Encoding: c.System.SchemaEncoding(),
				Data: []byte(c.Definitions.Schema(t.Message))})
			if err != nil {
				return nil, err
			}
		}
		m.channels[t.Name] = uint16(len(m.channels) + 1)
		err := w.AddChannel(&mcap.Channel{ID: m.channels[t.Name], SchemaID: schemas[t.Message],
			Topic: t.Name, MessageEncoding: c.System.Encoding()})
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Publish records a message.
func (m *MCAP) Publish(t *Topic, timeNs int64, bytes []byte) error {
	number := m.count[t.Name]
	m.count[t.Name]++
	return m.w.WriteMessage(&mcap.Message{ChannelID: m.channels[t.Name], Sequence: number,
		LogTime: uint64(timeNs), PublishTime: uint64(timeNs), Data: bytes})
}

// Close finishes the file. It does not close the underlying writer.
func (m *MCAP) Close() error { return m.w.Close() }
