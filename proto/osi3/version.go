package osi3

import "google.golang.org/protobuf/proto"

//go:generate go run gosmp/proto/internal/generate -dir .

// Version returns the OSI version that this package implements, 3.8.0, as stated by the file option
// current_interface_version (81000) in osi_version.proto. Every call returns a new message.
func Version() *InterfaceVersion {
	options := File_osi_version_proto.Options()
	return proto.CloneOf(proto.GetExtension(options, E_CurrentInterfaceVersion).(*InterfaceVersion))
}
