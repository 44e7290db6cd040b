package dummysensor

import (
	"fmt"

	"gosmp/proto/wire"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

// newDetector creates the detector described by the parameters. If they switch detection off, it
// still reads the sensor's own data from the SensorView.
func (s *dummySensor) newDetector() (*objects.Detector, error) {
	c := objects.Default()
	if s.identity.fixedID {
		c.SensorID = &s.identity.sensorID
	}
	if s.identity.mountingIsFixed {
		c.Mounting = &s.identity.mounting
	}
	s.describe(&c)
	if !s.objects.enabled {
		c.Moving, c.Stationary = false, false
	}
	d, err := objects.New(c)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrParameter, err)
	}
	return d, nil
}

// describe sets the detection parameters.
func (s *dummySensor) describe(c *objects.Config) {
	p := &s.objects
	c.NominalRange, c.RangeFactor, c.HalfAngle = s.nominalRange, p.rangeFactor, p.halfAngle
	c.Stationary, c.Occlusion = p.stationary, p.occlusion
	c.DetectionProbability, c.DropoutProbability = p.detectionProbability, p.dropoutProbability
	c.DropoutCycles, c.Seed = uint64(p.dropoutCycles), uint64(p.seed)
	c.PositionNoise, c.VelocityNoise = p.positionNoise, p.velocityNoise
	c.ForgetAfter = uint64(p.forgetAfter)
}

// detect processes the SensorView of a step and reports whether it is usable. Problems are logged
// once per kind and run.
func (s *dummySensor) detect(span timebase.Span, view []byte) (usable bool) {
	if err := s.examine(span, view); err != nil {
		s.view.Reject(err)
		return false
	}
	s.reports.seen = true
	for p := range s.result.Problems.All() {
		if s.reports.first(p) {
			s.osi.Warnf("%s: %s", s.view.Name(), s.detector.Explain(p))
		}
	}
	return true
}

// examine reads the SensorView as far as needed. Detection skips other fields by their length, so
// faults in them go unnoticed unless the user enables the full check.
func (s *dummySensor) examine(span timebase.Span, view []byte) (err error) {
	if s.validate {
		if err := wire.CheckSensorView(view); err != nil {
			return err
		}
	}
	s.result, err = s.detector.Detect(view, span)
	return err
}
