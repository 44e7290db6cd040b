package bridge

import "fmt"

// Table is a configuration in the form used in generated code.
type Table struct {
	System    System
	Transport Transport
	Messages  []Definition
	Topics    []Entry
}

// Definition is the definition of a message in .msg syntax, regardless of its original language.
type Definition struct {
	Name, Text, IDL string
	List            bool // see [Message]
}

// Entry is a topic that names its type.
type Entry struct {
	Name, Type string
	Direction  Direction
	Vehicle    string
	Event      string
	QoS        QoS
	Bare       bool
}

// Table is the reverse of [Table.Config]: it returns the topics of the configuration and all the
// messages they need.
func (c *Config) Table() Table {
	t := Table{System: c.System, Transport: c.Transport}
	listed := map[*Message]bool{}
	for _, topic := range c.Topics {
		t.Topics = append(t.Topics, Entry{topic.Name, topic.Message.Name, topic.Direction,
			topic.Vehicle, topic.Event, topic.QoS, topic.Bare})
		for _, m := range c.Definitions.With(topic.Message) {
			if !listed[m] {
				listed[m] = true
				t.Messages = append(t.Messages, Definition{m.Name, m.Text, m.IDL, m.List})
			}
		}
	}
	return t
}

// Config creates the configuration.
func (t Table) Config() (*Config, error) {
	system := t.System
	if system == DDS {
		system = ROS2 // definitions from .idl files are kept in the syntax of .msg files
	}
	d, err := NewDefinitions(system)
	if err != nil {
		return nil, err
	}
	for _, m := range t.Messages {
		if err := d.AddMsg(m.Name+".msg", m.Name, m.Text); err != nil {
			return nil, err
		}
		d.messages[m.Name].IDL, d.messages[m.Name].List = m.IDL, m.List
	}
	d.System = t.System
	c := &Config{System: t.System, Transport: t.Transport, Definitions: d}
	for _, e := range t.Topics {
		m, err := d.Message(e.Type)
		if err != nil {
			return nil, fmt.Errorf("topic %s: %w", e.Name, err)
		}
		c.Topics = append(c.Topics, &Topic{Name: e.Name, Message: m, Direction: e.Direction,
			Vehicle: e.Vehicle, Event: e.Event, QoS: e.QoS, Bare: e.Bare})
	}
	return c, nil
}

// Least returns the size of the smallest encoding of a message, without alignment.
func (d *Definitions) Least(m *Message) int { return d.sizes[m] }
