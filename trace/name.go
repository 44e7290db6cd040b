package trace

import (
	"path/filepath"
	"strings"
)

// extensions are the formats by the extensions of the names of their files.
var extensions = map[string]Format{
	".osi": OSIFile, ".mcap": MCAP, ".jsonl": JSONLines, ".ndjson": JSONLines, ".csv": CSV, ".txth": Text,
}

// FormatOf is the format of a trace by the extension of its name, [Unknown] for other extensions.
func FormatOf(name string) Format { return extensions[strings.ToLower(filepath.Ext(name))] }

// ShortType is the type of the messages for people, without the package of OSI.
func (c Channel) ShortType() string {
	if c.Type == "" {
		return "no schema"
	}
	return strings.TrimPrefix(c.Type, "osi3.")
}
