// Package osi names the release of the Open Simulation Interface that gosmp is compiled against, in
// one place for everything that refers to it: messages, MIME types and annotations. It contains
// only constants, so importing it adds nothing to a binary.
//
// Source: the file option current_interface_version in proto/osi3/osi_version.proto, with which a
// test compares it.
package osi

// The release as numbers, as used in an InterfaceVersion.
const (
	Major = 3
	Minor = 8
	Patch = 0
)

// Version is the release as text, as in MIME types and OSMP annotations.
const Version = "3.8.0"
