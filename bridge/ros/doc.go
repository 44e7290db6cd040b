// Package ros has the messages of ROS 2 that a run publishes: types and codecs, generated from the
// definitions that are built in.
//
// Types: [Imu], [NavSatFix], [Detection3DArray] and what they are made of.
package ros

//go:generate go run ../../cmd/gosmp bridge generate --package ros -o . bridge.json
