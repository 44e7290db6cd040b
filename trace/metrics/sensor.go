package metrics

import (
	"math"

	"gosmp/timebase"
	"gosmp/trace"
)

// sensor is a measured channel of SensorData.
type sensor struct {
	channel *trace.Channel
	sums    map[string]*Summary
	detects bool    // it has detected an object
	waiting []Value // values waiting for the first detected object
}

// sensor returns the sensor of a channel, or nil if the channel is not measured.
func (m *measurement) sensor(c *trace.Channel) *sensor {
	for _, s := range m.sensors {
		if s.channel == c {
			return s
		}
	}
	wanted := m.options.Data == "" || m.options.Data == c.Topic
	if !wanted || len(m.sensors) > 0 && !m.options.Each {
		return nil
	}
	s := &sensor{channel: c, sums: map[string]*Summary{}}
	m.sensors = append(m.sensors, s)
	m.result.Data = m.sensors[0].channel.Topic
	m.result.Sensors = append(m.result.Sensors, c.Topic)
	return s
}

// sensed measures a SensorData against the truth.
func (m *measurement) sensed(from *sensor, t timebase.Time, d *sensed) {
	s := m.truthOf(t, d)
	if s == nil {
		return
	}
	host := s.host()
	if host == nil {
		return
	}
	j := newJudge(s, host, m.options, d)
	for _, p := range j.pairs {
		b := p.detected
		give := func(metric string, value float64) {
			m.add(from.sums, Value{t, metric, p.truth.id, value, from.channel.Topic})
		}
		give(PositionError, p.distance)
		if b.moving && host.moving && p.truth.moving {
			give(VelocityError, j.velocityError(host, p.truth, b))
		}
		if b.turned && p.truth.turned {
			give(YawError, math.Abs(math.Remainder(b.yaw+j.mount.yaw+host.yaw-p.truth.yaw,
				2*math.Pi)))
		}
		if b.sized && p.truth.sized {
			give(LengthError, b.length-p.truth.length)
			give(WidthError, b.width-p.truth.width)
		}
	}
	m.quality(from, t, host, j, d)
}

// quality passes on the metrics of a whole SensorData. Without any true or detected objects, there
// is nothing for a sensor to get right or wrong. A sensor whose messages contain lidar points or
// the like, but never objects, does not detect objects. The values of its messages therefore wait
// for the first object.
func (m *measurement) quality(from *sensor, t timebase.Time, host *actor, j *judge, d *sensed) {
	detected := len(d.objects)
	topic := from.channel.Topic
	var values []Value
	if j.inRange > 0 {
		rate := float64(j.foundInRange) / float64(j.inRange)
		values = append(values, Value{t, DetectionRate, host.id, rate, topic})
	}
	if j.inRange > 0 || detected > 0 {
		values = append(values, Value{t, FalseDetections, host.id, float64(j.alone), topic})
	}
	if from.detects = from.detects || detected > 0; !from.detects && d.points {
		from.waiting = append(from.waiting, values...)
		return
	}
	for _, v := range append(from.waiting, values...) {
		m.add(from.sums, v)
	}
	from.waiting = nil
}
