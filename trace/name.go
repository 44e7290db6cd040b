package trace

import "strings"

// ShortType returns the type of the messages for people, without the package of OSI.
func (c Channel) ShortType() string {
	if c.Type == "" {
		return "no schema"
	}
	return strings.TrimPrefix(c.Type, "osi3.")
}
