package check

import (
	"fmt"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/proto/field"
	"gosmp/proto/wire"
	"gosmp/trace"
)

// content holds what viewers need to find in the messages of a channel (T16 to T18).
type content struct {
	// messages with a GroundTruth; with lanes; with lanes before the first message without lanes
	truths, lanes, leading int64
}

// checkContent looks for content that causes problems in viewers. Data that cannot be decoded is
// reported elsewhere.
func (ch *channel) checkContent(c *checker, m *trace.Message) {
	ch.checkVersion(m)
	switch ch.Type {
	case "osi3.GroundTruth":
		ch.checkTruth(c, m, m.Data, 0)
	case "osi3.SensorView":
		truth, found := inside(m.Data, field.SensorViewGlobalGroundTruth)
		if !found {
			ch.note(finding.Note, "viewer.ground-truth", m,
				"the SensorView has no GroundTruth, so that viewers show nothing",
				"send global_ground_truth")
			return
		}
		host, _ := wire.FindIdentifier(m.Data, field.SensorViewHostVehicleId)
		ch.checkTruth(c, m, truth, host)
	case "osi3.SensorData":
		if _, found := inside(m.Data, field.SensorDataMountingPosition); !found {
			ch.note(finding.Warning, "viewer.mounting-position", m,
				"the SensorData has no mounting_position",
				"viewers cannot place the sensor; send it")
		}
	}
}

// checkVersion compares the OSI release that a message states with the release of its channel.
func (ch *channel) checkVersion(m *trace.Message) {
	v := trace.VersionOf(ch.Type, m.Data)
	switch {
	case v == "":
		ch.note(finding.Error, "osirules.version_is_set", m, "the message states no release of OSI",
			"send version")
	case ch.OSIVersion != "" && v != ch.OSIVersion:
		ch.note(finding.Warning, "deserialization.expected_version", m,
			fmt.Sprintf("found OSI %s, expected %s, the version that the channel declares", v,
				ch.OSIVersion),
			"state the release that the sender uses")
	}
}

// inside returns the content of a nested message.
func inside(b []byte, number wire.Number) (content []byte, found bool) {
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 {
			return nil, false
		}
		if key == wire.Key(number)<<3|wire.Len {
			return b[lo:hi], true
		}
		i = hi
	}
	return nil, false
}

// checkTruth checks T17.
func (ch *channel) checkTruth(c *checker, m *trace.Message, truth []byte, host uint64) {
	c.truths = true
	ch.content.truths++
	if id, found := wire.FindIdentifier(truth, field.GroundTruthHostVehicleId); found {
		host = id
	} else if host == 0 {
		if _, found := inside(m.Data,
			field.SensorViewHostVehicleId); ch.Type != "osi3.SensorView" || !found {
			ch.note(finding.Error, "viewer.host-vehicle", m,
				"found no host_vehicle_id, expected the id of a moving object",
				"send it: viewers refuse the message")
		}
	}
	if _, found := inside(truth, field.GroundTruthTimestamp); !found {
		ch.note(finding.Error, "viewer.timestamp", m, "the GroundTruth has no timestamp",
			"viewers rely on it; send it")
	}
	there, lanes := false, false
	for i := 0; i < len(truth); {
		key, lo, hi := wire.Field(truth, i)
		if hi < 0 {
			return
		}
		switch key {
		case field.GroundTruthMovingObject<<3 | wire.Len:
			there = ch.checkObject(m, truth[lo:hi], host) || there
		case field.GroundTruthLane<<3 | wire.Len, field.GroundTruthLaneBoundary<<3 | wire.Len,
			field.GroundTruthLogicalLane<<3 | wire.Len:
			lanes = true
		}
		i = hi
	}
	if !there && host != 0 {
		ch.note(finding.Error, "viewer.host-vehicle", m,
			fmt.Sprintf("found host vehicle %d, expected the id of a moving object", host),
			"viewers refuse the message; send the host vehicle among moving_object")
	}
	if lanes {
		if ch.content.lanes++; ch.content.lanes == ch.content.truths {
			ch.content.leading++
		}
	}
}

// needed lists the parts of the base of a moving object that viewers rely on.
var needed = [...]struct {
	number   wire.Number
	name, id string
}{
	{field.BaseMovingPosition, "position", "viewer.object.position"},
	{field.BaseMovingOrientation, "orientation", "viewer.object.orientation"},
	{field.BaseMovingDimension, "dimension", "viewer.object.dimension"},
}

// checkObject checks a moving object and reports whether it is the host.
func (ch *channel) checkObject(m *trace.Message, object []byte, host uint64) bool {
	id, _ := wire.FindIdentifier(object, field.MovingObjectId)
	base, _ := inside(object, field.MovingObjectBase)
	for _, part := range &needed {
		if _, found := inside(base, part.number); !found && !ch.again(part.id) {
			ch.note(finding.Error, part.id, m,
				fmt.Sprintf("moving object %d has no base.%s", id, part.name),
				"viewers rely on it; send it")
		}
	}
	if id != host {
		return false
	}
	attributes, _ := inside(object, field.MovingObjectVehicleAttributes)
	if _, found := inside(attributes, field.MovingObjectVehicleAttributesBbcenterToRear); !found {
		ch.note(finding.Note, "viewer.rear-axle", m,
			"the host vehicle has no vehicle_attributes.bbcenter_to_rear, so that viewers "+
				"show no rear axle", "send it")
	}
	return true
}

// finishContent reports what is known only at the end.
func (ch *channel) finishContent(c *checker) {
	note := func(s finding.Severity, id, message, remedy string) {
		ch.found[id] = &Finding{finding.Finding{ID: id, Severity: s, Place: fault.At("channel " +
			ch.Topic), Message: message, Remedy: remedy}, 1}
		ch.order = append(ch.order, id)
	}
	switch n := ch.content; {
	case n.truths > 0 && n.lanes == 0:
		note(finding.Warning, "viewer.lanes", "no message has a lane",
			"was the map left out? Sensor models and viewers need the lanes")
	case n.lanes == n.leading && n.lanes < n.truths:
		message := "only the first message has lanes"
		if n.leading > 1 {
			message = fmt.Sprintf("only the first %d messages have lanes", n.leading)
		}
		note(finding.Note, "viewer.lanes", message, "a part cut out of this trace has none")
	}
	if ch.Type == "osi3.SensorData" && ch.IsOSI() && !c.truths {
		note(finding.Warning, "viewer.transform",
			"the file has no GroundTruth or SensorView in addition to the SensorData",
			"viewers cannot place it; record one in the same file")
	}
}
