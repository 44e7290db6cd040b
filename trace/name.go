package trace

import "strings"

// ShortType returns the message type as shown to users, without the package name of OSI.
func (c Channel) ShortType() string {
	if c.Type == "" {
		return "no schema"
	}
	return strings.TrimPrefix(c.Type, "osi3.")
}
