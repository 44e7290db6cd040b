// Package osi names the release of the Open Simulation Interface that gosmp is compiled against,
// once for everything that states it: messages, MIME types and annotations. It contains constants
// and nothing else: to import it links nothing.
//
// Source: the file option current_interface_version in proto/osi3/osi_version.proto, which a test
// compares.
package osi

// The release in numbers, as an InterfaceVersion carries it.
const (
	Major = 3
	Minor = 8
	Patch = 0
)

// Version is the release as a text, as MIME types and annotations of OSMP carry it.
const Version = "3.8.0"
