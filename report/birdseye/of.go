package birdseye

import (
	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/trace/updates"
)

// Of returns the snapshot of a recorded message: a SensorView, SensorData, GroundTruth,
// TrafficUpdate, StreamingUpdate or HostVehicleData. The objects of the last four are drawn as the
// ground truth of a SensorView. The result is nil for a message of another type.
func Of(m proto.Message) (*Snapshot, error) {
	var s *Snapshot
	var err error
	kind := ""
	switch m := m.(type) {
	case *osi3.SensorView:
		s, err = OfView(m)
	case *osi3.SensorData:
		s, err = OfData(m)
	case *osi3.GroundTruth:
		kind = "GroundTruth"
		s, err = ofTruth(m, m.GetTimestamp())
	case *osi3.TrafficUpdate:
		kind = "TrafficUpdate"
		s, err = ofTruth(updates.Objects(m), m.GetTimestamp())
	case *osi3.StreamingUpdate:
		kind = "StreamingUpdate"
		s, err = ofTruth(updates.Objects(m), m.GetTimestamp())
	case *osi3.HostVehicleData:
		kind = "HostVehicleData"
		host := &osi3.MovingObject{Id: m.GetHostVehicleId(), Base: m.GetLocation()}
		g := &osi3.GroundTruth{HostVehicleId: m.GetHostVehicleId()}
		if m.GetLocation() != nil {
			g.MovingObject = []*osi3.MovingObject{host}
		}
		s, err = ofTruth(g, m.GetTimestamp())
	}
	if s != nil {
		s.Kind = kind
	}
	return s, err
}

// ofTruth returns the snapshot of a ground truth, around its host vehicle if it names one.
func ofTruth(g *osi3.GroundTruth, t *osi3.Timestamp) (*Snapshot, error) {
	return OfView(&osi3.SensorView{GlobalGroundTruth: g, HostVehicleId: g.GetHostVehicleId(),
		Timestamp: t})
}
