package tracepage

import (
	"gosmp/proto/field"
	"gosmp/proto/wire"
	"gosmp/trace"
)

// needs reports whether a message may contribute to the page: at a later moment, or because it
// contains the map or new reflections. Most messages of a long trace do not belong to any moment of
// the page, and decoding all of them would take most of the time.
func (s *scene) needs(m *trace.Message) bool {
	switch m.Channel.Type {
	case "osi3.GroundTruth":
		return m.Channel.Topic == s.Truth && s.needsTruth(m, m.Data, true)
	case "osi3.SensorView":
		truth, found := wire.First(m.Data, field.SensorViewGlobalGroundTruth)
		return m.Channel.Topic == s.Truth && s.needsTruth(m, truth, found) ||
			reflects(m.Data) && s.wanted(s.sensor(m.Channel.Topic), m.Time)
	case "osi3.SensorData":
		k := s.sensor(m.Channel.Topic)
		if s.wanted(k, m.Time) {
			return true
		}
		view, _ := wire.First(m.Data, field.SensorDataSensorView)
		truth, found := wire.First(view, field.SensorViewGlobalGroundTruth)
		return s.Truth == "" && k == 0 && s.needsTruth(m, truth, found)
	}
	return false
}

// needsTruth reports whether a ground truth is due, or contains the map that the scene still lacks.
func (s *scene) needsTruth(m *trace.Message, truth []byte, found bool) bool {
	if m.Time >= s.next && len(s.Frames) <= s.most {
		return true
	}
	s.skipped = s.skipped || len(s.Frames) > 0
	const most = 100 // no need to search all messages if lanes have no lines
	return found && (len(s.Lines) == 0 && s.mapless < most &&
		(has(truth, field.GroundTruthLaneBoundary) ||
			has(truth, field.GroundTruthLogicalLaneBoundary) ||
			has(truth, field.GroundTruthLane)) ||
		len(s.Fixed) == 0 && (has(truth, field.GroundTruthStationaryObject) ||
			has(truth, field.GroundTruthRoadMarking) || has(truth, field.GroundTruthTrafficSign)))
}

// reflects reports whether a SensorView may contain reflection points.
func reflects(view []byte) bool {
	return has(view, field.SensorViewLidarSensorView) || has(view, field.SensorViewRadarSensorView)
}

func has(message []byte, number wire.Number) bool {
	_, found := wire.First(message, number)
	return found
}
