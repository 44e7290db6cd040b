// Package foxglove provides, as Go types, the messages that Foxglove and Lichtblick draw without an
// extension: scenes, point clouds, frames, locations, maps and logs. Names and numbers come from
// the schemas that Foxglove publishes; a message here may have fewer fields than its original.
//
// The source is foxglove.proto; `go generate ./proto/...` generates foxglove.pb.go from it.
//
// Index: [SceneUpdate], [PointCloud], [FrameTransforms], [LocationFix], [GeoJSON] and [Log] are the
// messages used in channels.
package foxglove

//go:generate go run gosmp/proto/internal/generate -dir .
