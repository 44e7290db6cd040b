// Package ros has the ROS 2 messages that a run publishes: types and codecs, generated from the
// built-in definitions.
//
// Types: [Imu], [NavSatFix], [Detection3DArray] and what they are made of.
package ros

//go:generate go run ../../cmd/gosmp bridge generate --package ros -o . bridge.json
