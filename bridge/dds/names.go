package dds

import "strings"

// ROS 2 puts its topics below rt, and its types into a module dds_ (design.ros2.org, "Topic and
// Service name mapping to DDS").
const (
	topicPrefix = "rt"
	typeModule  = "::dds_::"
)

// TopicName returns the name of a ROS topic in DDS: "rt/imu" for "/imu".
func TopicName(topic string) string {
	return topicPrefix + "/" + strings.TrimPrefix(topic, "/")
}

// ROSTopic returns the ROS name of a DDS topic, or false for other names, such as those of
// services.
func ROSTopic(name string) (topic string, ok bool) {
	if topic, ok = strings.CutPrefix(name, topicPrefix+"/"); !ok {
		return name, false
	}
	return "/" + topic, true
}

// TypeName returns the name of a ROS message in DDS: "std_msgs::msg::dds_::String_" for
// "std_msgs/String" or "std_msgs/msg/String".
func TypeName(message string) string {
	pkg, name, _ := strings.Cut(strings.Replace(message, "/msg/", "/", 1), "/")
	return pkg + "::msg" + typeModule + name + "_"
}

// ROSType returns the ROS message of a DDS type, such as "std_msgs/msg/String", or false.
func ROSType(name string) (message string, ok bool) {
	space, last, found := strings.Cut(name, typeModule)
	last, ends := strings.CutSuffix(last, "_")
	if !found || !ends {
		return name, false
	}
	return strings.ReplaceAll(space, "::", "/") + "/" + last, true
}

// shownTopic and shownType return names as shown in messages.
func shownTopic(name string) string {
	topic, _ := ROSTopic(name)
	return topic
}

func shownType(name string) string {
	message, _ := ROSType(name)
	return message
}
