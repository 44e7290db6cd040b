package osi3

import "google.golang.org/protobuf/proto"

//go:generate go run gosmp/proto/internal/generate -dir .

// Version returns the version of OSI this package implements, 3.8.0, as the file option
// current_interface_version (81000) of osi_version.proto states it. Every call returns a message of
// its own.
func Version() *InterfaceVersion {
	options := File_osi_version_proto.Options()
	return proto.CloneOf(proto.GetExtension(options, E_CurrentInterfaceVersion).(*InterfaceVersion))
}
