package archive

import (
	"errors"
	"strings"

	"gosmp/internal/fault"
)

// The reasons why a file cannot be read.
var (
	// ErrNotZip reports a file that is not a zip archive, or a truncated one.
	ErrNotZip = errors.New("not a zip file")
	// ErrUnsafe reports an archive that must not be unpacked: paths that leave its folder, names
	// that occur twice with different content, or entries that share bytes.
	ErrUnsafe = errors.New("unsafe archive")
	// ErrTooLarge reports content that exceeds the limits of this package.
	ErrTooLarge = errors.New("too large")
	// ErrNoModelDescription reports an archive without a readable modelDescription.xml at its root.
	ErrNoModelDescription = errors.New("no model description")
	// ErrXML reports XML that is not well-formed.
	ErrXML = errors.New("broken XML")
	// ErrNotFMI reports XML that is not the model description of a supported FMI version.
	ErrNotFMI = errors.New("not an FMI model description")
)

// Error is the type of all errors of this package. It states the location, the kind of damage, what
// was found, what was expected, and what to do next. Operating system errors about a file that
// cannot be opened are returned unchanged.
type Error = fault.Error

// Plain returns text without characters that could control a terminal: line breaks and tabs become
// blanks, and other control characters and invalid bytes become the Unicode replacement character.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r < ' ' || r >= 0x7F && r < 0xA0 || r >= 0x202A && r <= 0x202E ||
			r >= 0x2066 && r <= 0x2069:
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
