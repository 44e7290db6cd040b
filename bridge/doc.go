// Package bridge carries messages between a simulation and the publish-subscribe system of a system
// under test: events go down as messages, messages come up as events. Neither ROS nor DDS needs to
// be installed.
//
//	config, err := bridge.ReadConfig("bridge.json")
//	m, err := config.Definitions.Message("sensor_msgs/Imu")
//	values := map[string]any{"orientation": map[string]any{"w": 1.0}}
//	bytes, err := config.Definitions.Encode(m, values, false)
//
// The rules follow the message bridge of the simulator support documentation:
//
//   - A configuration is one JSON file, and definitions of messages are .msg and .idl files. Errors
//     in them are reported with line and column.
//   - There are only topics, no services or actions; the vehicle is sut or traffic.
//   - One table, spellings, lists the basic types of each system. A definition that uses another
//     one, or an enum or a union where the system has none, is refused.
//   - Bytes are plain CDR in both byte orders, see package cdr.
//
// Types: [Config], [Topic], [Transport]; [Definitions], [Message], [Field], [Type], [Kind],
// [System].
package bridge
