package bridge

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// With returns a message, followed by all messages that it contains, each once.
func (d *Definitions) With(m *Message) []*Message {
	list, listed := []*Message{m}, map[*Message]bool{m: true}
	for k := 0; k < len(list); k++ {
		for _, f := range list[k].Fields {
			if inner := d.messages[f.Type.Name]; f.Type.Kind == Nested && !listed[inner] {
				listed[inner] = true
				list = append(list, inner)
			}
		}
	}
	return list
}

// Schema returns the text that MCAP and viewers expect for the encodings ros2msg and ros1msg: the
// message, then each message that it contains, each after a separator line.
func (d *Definitions) Schema(m *Message) string {
	list := d.With(m)
	var b strings.Builder
	for k := 0; k < len(list); k++ {
		if k > 0 {
			b.WriteString(strings.Repeat("=", 80) + "\nMSG: " + list[k].Name + "\n")
		}
		text, times := d.modern(list[k].Text)
		b.WriteString(strings.TrimRight(text, "\n") + "\n")
		if stamp := d.messages[timeMessage]; times && !slices.Contains(list, stamp) {
			list = append(list, stamp)
		}
	}
	return b.String()
}

const timeMessage = "builtin_interfaces/Time"

// shortNames matches types that are keywords in ROS 1.
var shortNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^([ \t]*)(time|duration|Header)([ \t[])`)
})

// modern replaces ROS 1 types that are not allowed in ROS 2 .msg files, although the document's
// table lists them, with the names of the corresponding ROS 2 messages.
func (d *Definitions) modern(text string) (spelled string, times bool) {
	if d.System == ROS1 {
		return text, false
	}
	return shortNames().ReplaceAllStringFunc(text, func(match string) string {
		part := shortNames().FindStringSubmatch(match)
		name := "std_msgs/Header"
		if part[2] != "Header" {
			name, times = timeMessage, true
		}
		return part[1] + name + part[3]
	}), times
}
