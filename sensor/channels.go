package sensor

import "gosmp/timebase/activity"

// Channels are the event channels in which sensors publish, one for each sample type and named like
// it. A producer writes samples without their Stamp: the event's stamp is the time, and the
// consumer counts the samples.
type Channels struct {
	Accelerometer *activity.Channel[Accelerometer]
	Barometer     *activity.Channel[Barometer]
	GPS           *activity.Channel[GPS]
	Gyroscope     *activity.Channel[Gyroscope]
	Magnetometer  *activity.Channel[Magnetometer]
	Thermometer   *activity.Channel[Thermometer]
}

// OpenChannels opens the channels on a node. They have no retention time: consumers read every
// event in order.
func OpenChannels(n *activity.Node) Channels {
	return Channels{
		Accelerometer: activity.Open[Accelerometer](n, "accelerometer").Keep(0),
		Barometer:     activity.Open[Barometer](n, "barometer").Keep(0),
		GPS:           activity.Open[GPS](n, "gps").Keep(0),
		Gyroscope:     activity.Open[Gyroscope](n, "gyroscope").Keep(0),
		Magnetometer:  activity.Open[Magnetometer](n, "magnetometer").Keep(0),
		Thermometer:   activity.Open[Thermometer](n, "thermometer").Keep(0),
	}
}
