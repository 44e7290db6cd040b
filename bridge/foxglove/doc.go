// Package foxglove converts OSI messages to messages that Foxglove and Lichtblick draw without an
// extension: scenes with boxes, arrows, lanes and traffic lights, point clouds, frames, geographic
// positions, and a log of content that cannot be drawn.
//
//	view := foxglove.NewSource(recording) // a trace.Source with the messages recorded, too
//
// The topics are the OSI channel's topic followed by a name:
//
//   - TOPIC/objects: true objects, lights and signs in frame map, or detected ones in base_link
//   - TOPIC/lanes: lines of lanes, when they change
//   - TOPIC/lidar/0, TOPIC/radar/0, ...: points with their values, by sensor kind and number
//   - TOPIC/location and TOPIC/map: geographic positions of the host vehicle and the lanes, if the
//     messages contain them
//   - /updates/objects: the objects of all TrafficUpdates and StreamingUpdates, if a [Source] joins
//     them
//   - /tf: map to base_link to the sensors
//   - /log: numbers that cannot be drawn, and messages that cannot be read
//
// base_link is the middle of the rear axle, the origin of OSI's vehicle frame. Each scene is
// complete, so that viewers can begin anywhere. The truth is taken from SensorViews and
// GroundTruths, or from inside the first SensorData if there are none. Numbers that are impossible
// for positions or speeds in traffic are left out and logged.
//
// Types: [Maker], [Source]; [Layout] is a layout of panels for the result.
package foxglove
