package sensor

import "gosmp/timebase"

// Channels are the event channels in which sensors publish, one for each sample type and named like
// it. A producer writes samples without their Stamp: the event's stamp is the time, and the
// consumer counts the samples.
type Channels struct {
	Accelerometer *timebase.Channel[Accelerometer]
	Barometer     *timebase.Channel[Barometer]
	GPS           *timebase.Channel[GPS]
	Gyroscope     *timebase.Channel[Gyroscope]
	Magnetometer  *timebase.Channel[Magnetometer]
	Thermometer   *timebase.Channel[Thermometer]
}

// OpenChannels opens the channels on a node. They have no retention time: consumers read every
// event in order.
func OpenChannels(n *timebase.Node) Channels {
	return Channels{
		Accelerometer: timebase.Open[Accelerometer](n, "accelerometer").Keep(0),
		Barometer:     timebase.Open[Barometer](n, "barometer").Keep(0),
		GPS:           timebase.Open[GPS](n, "gps").Keep(0),
		Gyroscope:     timebase.Open[Gyroscope](n, "gyroscope").Keep(0),
		Magnetometer:  timebase.Open[Magnetometer](n, "magnetometer").Keep(0),
		Thermometer:   timebase.Open[Thermometer](n, "thermometer").Keep(0),
	}
}
