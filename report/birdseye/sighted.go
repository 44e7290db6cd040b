package birdseye

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

// sighted maps the objects in view, by kind and id, to whether they are detected.
type sighted [objects.StationaryObject + 1]map[uint64]bool

// lookAll determines what a sensor without losses would have detected.
func (s *Snapshot) lookAll() (*sighted, error) {
	all := &sighted{{}, {}}
	if s.Sensor == nil {
		return all, nil
	}
	bytes, err := proto.Marshal(s.View)
	if err != nil || len(bytes) == 0 {
		return all, err
	}
	c := *s.Sensor
	c.Mounting, c.Occlusion, c.DetectionProbability, c.DropoutProbability = &s.Mounting, false, 1, 0
	d, err := objects.New(c)
	if err != nil {
		return nil, err
	}
	if _, err := d.Detect(bytes, timebase.Span{End: timebase.EndOfTime}); err != nil {
		return nil, err
	}
	for kind := range all {
		for _, o := range d.Detections(objects.Kind(kind)) {
			all[kind][o.ObjectID] = false
		}
	}
	for _, o := range s.Data.GetMovingObject() {
		all.detected(objects.MovingObject, o.GetHeader())
	}
	for _, o := range s.Data.GetStationaryObject() {
		all.detected(objects.StationaryObject, o.GetHeader())
	}
	return all, nil
}

func (s *sighted) detected(kind objects.Kind, h *osi3.DetectedItemHeader) {
	for _, id := range h.GetGroundTruthId() {
		s[kind][id.GetValue()] = true
	}
}

// missed reports whether an object is in view but not detected.
func (s *sighted) missed(kind objects.Kind, id *osi3.Identifier) bool {
	detected, inView := s[kind][id.GetValue()]
	return inView && !detected
}

// count returns a text with the number of objects in view and how many of them are detected. called
// is the name of the objects.
func (s *sighted) count(kind objects.Kind, called string) string {
	n := 0
	for _, detected := range s[kind] {
		if detected {
			n++
		}
	}
	return fmt.Sprintf("%d of %d %s", n, len(s[kind]), called)
}
