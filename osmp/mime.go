package osmp

import (
	"mime"
	"strings"

	"gosmp/proto/osi"
)

// OSIMediaType is the media type of OSI messages; the parameters type and version name the message
// and the release of OSI.
const OSIMediaType = "application/x-open-simulation-interface"

// MIMEType returns the MIME type of a binary variable that carries the named OSI message, in the
// release that gosmp is compiled against.
func MIMEType(message string) string {
	return OSIMediaType + "; type=" + message + "; version=" + osi.Version
}

// ParseMIMEType splits a MIME type (RFC 2045, 5.1) into type/subtype and parameters, and converts
// the parameter names to lower case. ok is false if text is not a MIME type.
func ParseMIMEType(text string) (media string, parameters map[string]string, ok bool) {
	media, parameters, err := mime.ParseMediaType(text)
	return media, parameters, err == nil && strings.Contains(media, "/")
}
