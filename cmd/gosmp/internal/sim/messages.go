package sim

import (
	"fmt"

	"gosmp/bridge"
	"gosmp/simapi"
	"gosmp/simapi/check"
)

// messageJudge returns a function that decodes the messages of a system under test, by the topics
// of a bridge configuration or else by the definitions of the common ROS 2 messages.
func messageJudge(file string) (func(*simapi.Message) error, error) {
	if file != "" {
		config, err := bridge.ReadConfig(file)
		if err != nil {
			return nil, err
		}
		return func(m *simapi.Message) error { return judgeByTopic(config, m) }, nil
	}
	definitions, err := bridge.NewDefinitions(bridge.ROS2)
	if err != nil {
		return nil, err
	}
	return func(m *simapi.Message) error {
		definition, err := definitions.Message(m.GetType())
		if err != nil {
			return fmt.Errorf("%w of %s; --bridge names a file with definitions",
				check.ErrUndefined, m.GetType())
		}
		return definitions.Verify(definition, m.GetCdr())
	}, nil
}

// judgeByTopic checks a message against the configuration of its topic.
func judgeByTopic(c *bridge.Config, m *simapi.Message) error {
	topic := c.Topic(m.GetTopic(), bridge.Up)
	if topic == nil {
		return fmt.Errorf("%w: the configuration has no such topic of direction %s",
			check.ErrUndefined, bridge.Up)
	}
	if m.GetType() != topic.Message.Name {
		return fmt.Errorf("found type %s, expected %s", m.GetType(), topic.Message.Name)
	}
	return c.Definitions.Verify(topic.Message, m.GetCdr())
}
