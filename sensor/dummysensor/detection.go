package dummysensor

import (
	"fmt"

	"gosmp/fmu"
	"gosmp/proto/wire"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

// newDetector makes the detector that the parameters describe; nil when they switch it off.
func (m *model) newDetector() (*objects.Detector, error) {
	v, p := m.host.Values, &m.vars.objects
	if !v.Booleans[p.enabled] {
		return nil, nil
	}
	c := objects.Default()
	c.NominalRange, c.RangeFactor, c.HalfAngle = v.Reals[m.vars.nominalRange], v.Reals[p.rangeFactor], v.Reals[p.halfAngle]
	c.Stationary, c.Occlusion = v.Booleans[p.stationary], v.Booleans[p.occlusion]
	c.DetectionProbability, c.DropoutProbability = v.Reals[p.detectionProbability], v.Reals[p.dropoutProbability]
	c.DropoutCycles, c.Seed = uint64(v.Integers[p.dropoutCycles]), uint64(v.Integers[p.seed])
	c.PositionNoise, c.VelocityNoise = v.Reals[p.positionNoise], v.Reals[p.velocityNoise]
	c.SensorID = &m.identity.sensorID
	if m.identity.configured {
		c.Mounting = &m.identity.mounting
	}
	d, err := objects.New(c)
	if err != nil {
		return nil, fmt.Errorf("%w: objects: %w", ErrParameter, err)
	}
	return d, nil
}

// detect looks at the SensorView of a step and says whether it can be used. Trouble is told once per kind and run.
func (m *model) detect(span timebase.Span, view []byte) (usable bool) {
	if err := m.examine(span, view); err != nil {
		m.unusable = true
		if m.reports.first(troubleUndecodable) {
			m.trouble = fmu.AsWarning(fmt.Errorf("OSMPSensorViewIn: %d bytes that are no SensorView: %w; the step goes on without it, "+
				"later ones are ignored silently", len(view), err))
		}
		return false
	}
	m.reports.seen = true
	for p := range m.result.Problems.All() {
		if m.reports.firstProblem(p) {
			m.host.Log(fmu.Warning, logOSI, "OSMPSensorViewIn: "+m.detector.Explain(p))
		}
	}
	return true
}

// examine reads the SensorView as far as it is needed. Detection skips what it does not need by its length, so that faults in
// there stay with the bytes unless the user asks for a look at everything.
func (m *model) examine(span timebase.Span, view []byte) (err error) {
	m.result = objects.Result{}
	if m.host.Values.Booleans[m.vars.validate] {
		if err := wire.CheckSensorView(view); err != nil {
			return err
		}
	}
	if m.detector == nil {
		return wire.Valid(view)
	}
	m.result, err = m.detector.Detect(view, span)
	return err
}
