package metrics_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"gosmp/model/message"
	"gosmp/model/modeltest"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/metrics"
)

const (
	ms     = timebase.Millisecond
	second = timebase.Second
)

// car is a vehicle of 4 m by 2 m that drives straight ahead.
type car struct {
	id              uint64
	x, y, yaw, v    float64
	detectedX, detY float64 // error of the detection; NaN: not detected
}

// at returns the car at a time.
func (c car) at(t timebase.Time) *osi3.MovingObject {
	s := c.v * t.Seconds()
	return &osi3.MovingObject{Id: message.ID(c.id), Base: &osi3.BaseMoving{
		Position: &osi3.Vector3D{X: proto.Float64(c.x + s*math.Cos(c.yaw)),
			Y: proto.Float64(c.y + s*math.Sin(c.yaw))},
		Velocity: &osi3.Vector3D{X: proto.Float64(c.v * math.Cos(c.yaw)),
			Y: proto.Float64(c.v * math.Sin(c.yaw))},
		Orientation: &osi3.Orientation3D{Yaw: proto.Float64(c.yaw)},
		Dimension:   &osi3.Dimension3D{Length: proto.Float64(4), Width: proto.Float64(2)},
	},
		VehicleAttributes: &osi3.MovingObject_VehicleAttributes{
			BbcenterToRear: &osi3.Vector3D{X: proto.Float64(-1.5)}}}
}

// truth returns a scene whose host vehicle is the first car.
func truth(t timebase.Time, cars ...car) *osi3.GroundTruth {
	g := &osi3.GroundTruth{Version: message.Version(), Timestamp: message.Time(t),
		HostVehicleId: message.ID(cars[0].id)}
	for _, c := range cars {
		g.MovingObject = append(g.MovingObject, c.at(t))
	}
	return g
}

// sink collects messages of a trace.
type sink struct {
	t *testing.T
	b bytes.Buffer
	trace.Sink
	channels map[string]*trace.Channel
}

func newSink(t *testing.T) *sink {
	s := &sink{t: t, channels: map[string]*trace.Channel{}}
	var err error
	s.Sink, err = trace.Create(&s.b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	return s
}

func (s *sink) put(topic, kind string, m proto.Message) {
	if s.channels[topic] == nil {
		c, err := s.Add(trace.OSI(topic, kind))
		require.NoError(s.t, err)
		s.channels[topic] = c
	}
	data, err := proto.Marshal(m)
	require.NoError(s.t, err)
	at, ok := trace.StampOf(trace.FullType(kind), data)
	require.True(s.t, ok)
	require.NoError(s.t, s.Write(&trace.Message{Channel: s.channels[topic], Time: at, Publish: at,
		Data: data}))
}

func (s *sink) source() trace.Source {
	require.NoError(s.t, s.Close())
	r, err := trace.OpenAt("a.mcap", bytes.NewReader(s.b.Bytes()), int64(s.b.Len()),
		trace.Options{})
	require.NoError(s.t, err)
	return r
}

// drive records scenes every 20 ms.
func drive(t *testing.T, until timebase.Time, cars ...car) trace.Source {
	s := newSink(t)
	for at := timebase.Time(0); at <= until; at += 20 * ms {
		s.put("truth", "gt", truth(at, cars...))
	}
	return s.source()
}

func measure(t *testing.T, s trace.Source, o metrics.Options) (*metrics.Result, []metrics.Value) {
	var values []metrics.Value
	r, err := metrics.Measure(s, o, func(v metrics.Value) error {
		values = append(values, v)
		return nil
	})
	require.NoError(t, err)
	return r, values
}

// TestMeasure_Following: 30 m behind a slower car, the time to collision is 30 m / 10 m/s and the
// headway 30 m / 20 m/s.
func TestMeasure_Following(t *testing.T) {
	for _, yaw := range []float64{0, 2.5, -math.Pi / 2} {
		ahead := func(d float64) (x, y float64) { return d * math.Cos(yaw), d * math.Sin(yaw) }
		x, y := ahead(34) // between centers: 30 m plus twice half a length
		beside, besideY := ahead(20)
		_, values := measure(t, drive(t, 0, car{id: 1, yaw: yaw, v: 20}, car{id: 2, x: x, y: y,
			yaw: yaw, v: 10},
			// 3 m to the left: not in the corridor
			car{id: 3, x: beside - 3*math.Sin(yaw), y: besideY + 3*math.Cos(yaw), yaw: yaw},
			car{id: 4, x: -x, y: -y, yaw: yaw, v: 30}), metrics.Options{})
		got := map[string][]metrics.Value{}
		for _, v := range values {
			got[v.Metric] = append(got[v.Metric], v)
		}
		require.Len(t, got[metrics.Speed], 4)
		require.InDelta(t, 20, got[metrics.Speed][0].Value, 1e-9)
		for metric, want := range map[string]metrics.Value{
			metrics.Gap: {Object: 2, Value: 30}, metrics.TimeToCollision: {Object: 2, Value: 3},
			metrics.Headway: {Object: 1, Value: 1.5},
		} {
			require.Len(t, got[metric], 1, metric)
			require.Equal(t, want.Object, got[metric][0].Object)
			require.InDelta(t, want.Value, got[metric][0].Value, 1e-9, metric)
		}
	}
}

// TestMeasure_OpeningGap: there is no collision with a car that is faster or equally fast.
func TestMeasure_OpeningGap(t *testing.T) {
	for _, speed := range []float64{20, 25} {
		r, _ := measure(t, drive(t, 100*ms, car{id: 1, v: 20}, car{id: 2, x: 34, v: speed}),
			metrics.Options{})
		_, found := r.Metric(metrics.TimeToCollision)
		require.False(t, found)
		s, _ := r.Metric(metrics.Gap)
		require.EqualValues(t, 6, s.Count)
		require.Equal(t, 30.0, s.Least.Value)
	}
}

// TestMeasure_CrossingCars: the host crosses the path of another car at (0, 0). It leaves a place
// there once its rear has passed, and the other car enters it with its front.
func TestMeasure_CrossingCars(t *testing.T) {
	const v = 10.0
	// how much later the other car is at the crossing
	for _, late := range []float64{1, 2.5, -1.5} {
		host := car{id: 1, x: -30, v: v}
		other := car{id: 7, y: -30 - v*late, yaw: math.Pi / 2, v: v}
		r, _ := measure(t, drive(t, 8*second, host, other), metrics.Options{})
		pet, found := r.Metric(metrics.PostEncroachmentTime)
		require.True(t, found)
		// The places that both cars pass form a square of 2 m. The first car leaves its last place
		// when its center is 2 m + 1 m past the crossing; the other one enters when its center is 2
		// m + 1 m before it.
		want := late - math.Copysign((2+2+2)/v, late)
		require.InDelta(t, want, pet.Least.Value, 2*0.25/v+0.02, "late by %v", late)
		require.EqualValues(t, 7, pet.Least.Object)
	}
	r, _ := measure(t, drive(t, 8*second, car{id: 1, x: -30, v: v}, car{id: 7, y: -30,
		yaw: math.Pi / 2, v: v}), metrics.Options{})
	pet, _ := r.Metric(metrics.PostEncroachmentTime)
	require.Zero(t, pet.Least.Value, "a crash")
	r, _ = measure(t, drive(t, 8*second, car{id: 1, x: -30, v: v}, car{id: 7, x: -30, y: 4, v: v}),
		metrics.Options{})
	_, found := r.Metric(metrics.PostEncroachmentTime)
	require.False(t, found, "side by side")
}

// TestMeasure_FollowingHasAPostEncroachmentTime: the time is the gap divided by the speed, and
// negative because the other object was there first.
func TestMeasure_FollowingHasAPostEncroachmentTime(t *testing.T) {
	r, _ := measure(t, drive(t, 10*second, car{id: 1, v: 10}, car{id: 2, x: 24, v: 10}),
		metrics.Options{})
	pet, _ := r.Metric(metrics.PostEncroachmentTime)
	require.InDelta(t, -2, pet.Least.Value, 0.07)
}

// sensed returns what a sensor detects in a scene, without errors other than those of the cars.
// Extra detections are nowhere near a car. Detections name true objects if naming is set.
func sensed(t timebase.Time, naming bool, extra int, cars ...car) *osi3.SensorData {
	d := &osi3.SensorData{Timestamp: message.Time(t), LastMeasurementTime: message.Time(t)}
	host := cars[0].at(t).Base
	sin, cos := math.Sincos(host.GetOrientation().GetYaw())
	for _, c := range cars[1:] {
		if math.IsNaN(c.detectedX) {
			continue
		}
		o := c.at(t).Base
		dx, dy := o.GetPosition().GetX()-host.GetPosition().GetX(),
			o.GetPosition().GetY()-host.GetPosition().GetY()
		m := &osi3.DetectedMovingObject{Header: &osi3.DetectedItemHeader{}, Base: &osi3.BaseMoving{
			Position: &osi3.Vector3D{X: proto.Float64(dx*cos + dy*sin + 1.5 + c.detectedX),
				Y: proto.Float64(dy*cos - dx*sin + c.detY)},
			Orientation: &osi3.Orientation3D{Yaw: proto.Float64(o.GetOrientation().GetYaw() -
				host.GetOrientation().GetYaw() + 2*math.Pi - 0.1)},
			Dimension: &osi3.Dimension3D{Length: proto.Float64(4.5), Width: proto.Float64(1.9)},
		}}
		if naming {
			m.Header.GroundTruthId = []*osi3.Identifier{message.ID(c.id)}
		}
		d.MovingObject = append(d.MovingObject, m)
	}
	for k := range extra {
		d.MovingObject = append(d.MovingObject, &osi3.DetectedMovingObject{Base: &osi3.BaseMoving{
			Position: &osi3.Vector3D{X: proto.Float64(-500), Y: proto.Float64(float64(100 * k))}}})
	}
	return d
}

// TestMeasure_Sensor: three of four cars are detected, one of them 0.5 m off; two detections are
// ghosts.
func TestMeasure_Sensor(t *testing.T) {
	cars := []car{{id: 1, x: 3, y: 4, yaw: 1}, {id: 2, x: 30, y: 5, yaw: 1.2}, {id: 3, x: 60,
		detectedX: 0.3, detY: 0.4}, {id: 4, x: -20, y: 9},
		{id: 5, x: 200, detectedX: math.NaN()}}
	for _, naming := range []bool{true, false} {
		// the truth is in the SensorData, or in its own channel
		for _, carried := range []bool{true, false} {
			s := newSink(t)
			d := sensed(second, naming, 2, cars...)
			if carried {
				d.SensorView = []*osi3.SensorView{{GlobalGroundTruth: truth(second, cars...)}}
			} else {
				s.put("truth", "gt", truth(second, cars...))
			}
			d.Timestamp = message.Time(second + 20*ms)
			s.put("radar", "sd", d)
			r, values := measure(t, s.source(), metrics.Options{})
			errors := map[uint64]float64{}
			for _, v := range values {
				if v.Metric == metrics.PositionError {
					errors[v.Object] = v.Value
				}
			}
			require.Len(t, errors, 3)
			require.InDelta(t, 0, errors[2], 1e-9)
			require.InDelta(t, 0.5, errors[3], 1e-9)
			for metric, want := range map[string]float64{metrics.DetectionRate: 0.75,
				metrics.FalseDetections: 2, metrics.YawError: 0.1,
				metrics.LengthError: 0.5, metrics.WidthError: -0.1} {
				got, _ := r.Metric(metric)
				require.InDelta(t, want, got.Least.Value, 1e-9, metric)
				require.InDelta(t, want, got.Mean, 1e-9, metric)
			}
			require.Equal(t, "radar", r.Data)
		}
	}
	s := newSink(t)
	s.put("truth", "gt", truth(second, cars...))
	s.put("radar", "sd", sensed(second, false, 0, cars...))
	r, _ := measure(t, s.source(), metrics.Options{Range: 100, Gate: 0.4})
	rate, _ := r.Metric(metrics.DetectionRate)
	require.InDelta(t, 2.0/3, rate.Mean, 1e-9,
		"car 5 is too far away, and the detection of car 3 too far off")
	false_, _ := r.Metric(metrics.FalseDetections)
	require.Equal(t, 1.0, false_.Mean)
}

// TestMeasure_SkipsViewsWithoutTruth: a SensorView may contain only reflections.
func TestMeasure_SkipsViewsWithoutTruth(t *testing.T) {
	source := func(later bool) trace.Source {
		s := newSink(t)
		s.put("reflections", "sv", &osi3.SensorView{Timestamp: message.Time(second)})
		if later {
			s.put("world", "gt", truth(second, car{id: 1, v: 3}))
		}
		return s.source()
	}
	r, values := measure(t, source(true), metrics.Options{})
	require.Equal(t, "world", r.Truth)
	require.Len(t, values, 1)
	r, values = measure(t, source(true), metrics.Options{Truth: "reflections"})
	require.Equal(t, "reflections", r.Truth)
	require.Empty(t, values)
	r, _ = measure(t, source(false), metrics.Options{})
	require.Equal(t, "reflections", r.Truth)
}

// TestMeasure_EachSensor: each sensor has figures of its own, which name its channel.
func TestMeasure_EachSensor(t *testing.T) {
	near, far := car{id: 2, x: 20, detectedX: 0.3}, car{id: 3, x: 60, detectedX: 0.8}
	blind := car{id: 3, x: 60, detectedX: math.NaN()}
	source := func() trace.Source {
		s := newSink(t)
		s.put("truth", "gt", truth(second, car{id: 1}, near, far))
		s.put("front", "sd", sensed(second, true, 0, car{id: 1}, near, blind))
		s.put("fused", "sd", sensed(second, true, 1, car{id: 1}, near, far))
		return s.source()
	}
	r, values := measure(t, source(), metrics.Options{Each: true})
	require.Equal(t, []string{"front", "fused"}, r.Sensors)
	require.Equal(t, "front", r.Data)
	got := map[string]float64{}
	for _, m := range r.Metrics {
		got[m.Name+" of "+m.Channel] = m.Mean
	}
	for name, want := range map[string]float64{"detection_rate of front": 0.5,
		"detection_rate of fused": 1, "false_detections of front": 0,
		"false_detections of fused": 1, "position_error of front": 0.3,
		"position_error of fused": 0.55} {
		require.InDelta(t, want, got[name], 1e-9, name)
	}
	require.NotContains(t, got, "speed of front")
	count := map[string]int{}
	for _, v := range values {
		count[v.Metric+" of "+v.Channel]++
	}
	require.Equal(t, 1, count["position_error of front"])
	require.Equal(t, 2, count["position_error of fused"])

	r, values = measure(t, source(), metrics.Options{})
	require.Equal(t, []string{"front"}, r.Sensors, "only the first one by default")
	for _, v := range values {
		require.NotEqual(t, "fused", v.Channel)
	}
	r, _ = measure(t, source(), metrics.Options{Each: true, Data: "fused"})
	require.Equal(t, []string{"fused"}, r.Sensors)
}

// TestMeasure_NoFigureForWhatIsNotThere: an IMU replay contains only a host vehicle, and a lidar
// gives points but no objects.
func TestMeasure_NoFigureForWhatIsNotThere(t *testing.T) {
	sensor := func(cars, detected []car, points bool) *osi3.SensorData {
		d := sensed(second, false, 0, append([]car{{id: 1}}, detected...)...)
		d.SensorView = []*osi3.SensorView{{GlobalGroundTruth: truth(second, cars...)}}
		if points {
			d.FeatureData = &osi3.FeatureData{LidarSensor: []*osi3.LidarDetectionData{{}}}
		}
		return d
	}
	host, other := car{id: 1}, car{id: 2, x: 20}
	for name, c := range map[string]struct {
		messages []*osi3.SensorData
		rates    int64
		mean     float64
	}{
		"host alone":  {[]*osi3.SensorData{sensor([]car{host}, nil, false)}, 0, 0},
		"points only": {[]*osi3.SensorData{sensor([]car{host, other}, nil, true)}, 0, 0},
		"blind":       {[]*osi3.SensorData{sensor([]car{host, other}, nil, false)}, 1, 0},
		"points, then object": {[]*osi3.SensorData{sensor([]car{host, other}, nil, true),
			sensor([]car{host, other}, []car{other}, true)}, 2, 0.5},
	} {
		s := newSink(t)
		for _, d := range c.messages {
			s.put("sensor", "sd", d)
		}
		r, values := measure(t, s.source(), metrics.Options{})
		rate, _ := r.Metric(metrics.DetectionRate)
		require.Equal(t, c.rates, rate.Count, name)
		require.InDelta(t, c.mean, rate.Mean, 1e-9, name)
		false_, _ := r.Metric(metrics.FalseDetections)
		require.Equal(t, c.rates, false_.Count, name)
		require.Equal(t, c.rates == 0, len(values) == 0, name)
	}
}

func TestMeasure_RefusesWhatItCannotMeasure(t *testing.T) {
	s := newSink(t)
	s.put("other", "tc", &osi3.TrafficCommand{Timestamp: message.Time(0)})
	_, err := metrics.Measure(s.source(), metrics.Options{}, nil)
	require.ErrorIs(t, err, trace.ErrChannel)
	_, err = metrics.Measure(drive(t, 0, car{id: 1}), metrics.Options{Data: "radar"},
		func(metrics.Value) error { return nil })
	require.ErrorContains(t, err,
		`found no message in channel "radar", expected a channel of SensorData`)
	_, err = metrics.Measure(drive(t, 0, car{id: 1}), metrics.Options{Gate: math.NaN()}, nil)
	require.ErrorIs(t, err, metrics.ErrOption)
	full := errors.New("full")
	_, err = metrics.Measure(drive(t, 0, car{id: 1}), metrics.Options{},
		func(metrics.Value) error { return full })
	require.ErrorIs(t, err, full)
}

// TestMeasure_WildNumbers: extreme numbers do not slow down the metrics, and never give NaN.
func TestMeasure_WildNumbers(t *testing.T) {
	for _, wild := range []float64{math.NaN(), math.Inf(1), 1e300, 9e7} {
		s := newSink(t)
		for k := range timebase.Time(3) {
			g := truth(k*ms, car{id: 1, v: 5}, car{id: 2, x: wild}, car{id: 3, x: float64(k) * wild,
				v: wild})
			g.MovingObject[0].Base.Dimension.Length = proto.Float64(wild)
			s.put("truth", "gt", g)
		}
		_, values := measure(t, s.source(), metrics.Options{})
		for _, v := range values {
			require.False(t, math.IsNaN(v.Value) || math.IsInf(v.Value, 0))
		}
	}
}

func TestWriteCSV(t *testing.T) {
	var b strings.Builder
	_, err := metrics.WriteCSV(&b, drive(t, 0, car{id: 1, v: 20}, car{id: 2, x: 34, v: 10}),
		metrics.Options{})
	require.NoError(t, err)
	require.Equal(t,
		"time,metric,object,value,unit,channel\n0,speed,1,20,m/s,\n0,speed,2,10,m/s,\n"+
			"0,gap,2,30,m,\n0,time_to_collision,2,3,s,\n0,headway,1,1.5,s,\n", b.String())
}

// An ideal sensor, mounted anywhere on a turning host, has no measured errors. OSMPDummySensor
// creates the SensorData, in three dimensions using its own formulas.
func TestMeasure_AMountedSensorOnATurningHost(t *testing.T) {
	cars := []car{{id: 1, x: 3, y: 4, yaw: 1, v: 12}, {id: 2, x: 30, y: 5, yaw: 1.2, v: 20},
		{id: 3, x: 60, yaw: -2, v: 5}, {id: 4, x: -20, y: 9}}
	g := truth(second, cars...)
	for k, o := range g.MovingObject {
		o.Base.OrientationRate = &osi3.Orientation3D{Yaw: proto.Float64(0.3 * float64(k+1))}
	}
	rig := modeltest.Host{}.Instantiate(t, dummysensor.Definition())
	for name, value := range map[string]any{"replay.enabled": false, "nominalrange": 500.0,
		"objects.halfAngle": math.Pi, "mounting.x": 3.5,
		"mounting.y": -0.8, "mounting.yaw": 0.7} {
		rig.Set(name, value)
	}
	rig.Start()
	rig.Write("OSMPSensorViewIn",
		&osi3.SensorView{Version: osi3.Version(), Timestamp: message.Time(second),
			GlobalGroundTruth: g, HostVehicleId: g.HostVehicleId})
	rig.Step(0.02)
	var d osi3.SensorData
	require.True(t, rig.Decode("OSMPSensorDataOut", &d))
	s := newSink(t)
	s.put("radar", "sd", &d)
	r, _ := measure(t, s.source(), metrics.Options{})
	for _, name := range []string{metrics.PositionError, metrics.VelocityError, metrics.YawError} {
		m, found := r.Metric(name)
		require.True(t, found, name)
		require.EqualValues(t, 3, m.Count, name)
		require.InDelta(t, 0, m.Greatest.Value, 1e-9, name)
	}
	for _, o := range d.MovingObject {
		*o.Base.Velocity.X += 3
		*o.Base.Velocity.Y -= 4
	}
	s = newSink(t)
	s.put("radar", "sd", &d)
	r, _ = measure(t, s.source(), metrics.Options{})
	m, _ := r.Metric(metrics.VelocityError)
	require.InDelta(t, 5, m.Mean, 1e-9)
}

// TestMeasure_AnotherHostVehicle: paths from before a change of the host vehicle, its own or
// others', are not encounters.
func TestMeasure_AnotherHostVehicle(t *testing.T) {
	crossing := func(change timebase.Time) bool {
		s := newSink(t)
		first, second := car{id: 1, x: -30, v: 10}, car{id: 7, y: -50, yaw: math.Pi / 2, v: 10}
		for at := timebase.Time(0); at <= 8000*ms; at += 20 * ms {
			cars := []car{first, second}
			if at >= change {
				cars = []car{second, first}
			}
			s.put("truth", "gt", truth(at, cars...))
		}
		r, _ := measure(t, s.source(), metrics.Options{})
		_, found := r.Metric(metrics.PostEncroachmentTime)
		return found
	}
	require.True(t, crossing(20*second), "the host does not change")
	require.True(t, crossing(0), "the other one is the host")
	// the first one has passed at 3.4 s, and the second one enters at 4.6 s
	require.False(t, crossing(4000*ms), "the host changes between the two")
	require.True(t, crossing(7000*ms), "what was found before stays")
}

// MCAP from a pipe cannot be sorted: a channel whose times go backwards is refused. In an .osi
// file, times go backwards where a run was restarted.
func TestMeasure_TimesThatGoBack(t *testing.T) {
	s := newSink(t)
	for _, at := range []timebase.Time{0, 40 * ms, 20 * ms} {
		s.put("truth", "gt", truth(at, car{id: 1, v: 5}, car{id: 2, x: 20}))
	}
	indexed := s.source()
	_, values := measure(t, indexed, metrics.Options{})
	require.NotEmpty(t, values)
	content := s.b.Bytes()
	piped, err := trace.OpenStream("pipe", bytes.NewReader(content), trace.Options{})
	require.NoError(t, err)
	_, err = metrics.Measure(piped, metrics.Options{}, func(metrics.Value) error { return nil })
	require.ErrorIs(t, err, trace.ErrTime)
	require.ErrorContains(t, err, "a message at 0.020000000s after one at 0.040000000s")

	again, err := trace.OpenStream("pipe", bytes.NewReader(content), trace.Options{})
	require.NoError(t, err)
	var b bytes.Buffer
	to, err := trace.Create(&b, trace.OSIFile, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := to.Add(trace.OSI("truth", "gt"))
	require.NoError(t, err)
	for m, err := again.Next(); err == nil; m, err = again.Next() {
		m.Channel = c
		require.NoError(t, to.Write(m))
	}
	file, err := trace.OpenAt("ground_truth.osi", bytes.NewReader(b.Bytes()), int64(b.Len()),
		trace.Options{})
	require.NoError(t, err)
	r, _ := measure(t, file, metrics.Options{})
	require.EqualValues(t, 1, r.WentBack)
}

// TestMeasure_WithoutVelocity: a message without velocities is not used for speeds.
func TestMeasure_WithoutVelocity(t *testing.T) {
	s := newSink(t)
	for at := timebase.Time(0); at <= 100*ms; at += 20 * ms {
		g := truth(at, car{id: 1, v: 20}, car{id: 2, x: 30, v: 10})
		for k, o := range g.GetMovingObject() {
			if k == 1 || at < 60*ms {
				o.Base.Velocity = nil
			}
		}
		s.put("truth", "gt", g)
	}
	r, values := measure(t, s.source(), metrics.Options{})
	for _, v := range values {
		if v.Metric == metrics.Speed {
			require.EqualValues(t, 1, v.Object)
			require.GreaterOrEqual(t, v.Time, 60*ms)
		}
	}
	_, collides := r.Metric(metrics.TimeToCollision)
	require.False(t, collides, "the speed of the object ahead is unknown")
	speed, _ := r.Metric(metrics.Speed)
	require.EqualValues(t, 3, speed.Count)
	gap, _ := r.Metric(metrics.Gap)
	require.EqualValues(t, 6, gap.Count)
}

// TestMeasure_MessagesInPieces: an encoder may write a message in several pieces, which protobuf
// merges, and add fields that are unknown to us.
func TestMeasure_MessagesInPieces(t *testing.T) {
	cars := []car{{id: 1, x: 3, y: 4, yaw: 1, v: 5}, {id: 200, x: 30, y: 5, yaw: 1.2, v: 3}}
	d := sensed(second, true, 1, cars...)
	d.MovingObject[0].Base.Velocity = &osi3.Vector3D{X: proto.Float64(1), Y: proto.Float64(-2)}
	d.MountingPosition = &osi3.MountingPosition{
		Position:    &osi3.Vector3D{X: proto.Float64(0.4), Y: proto.Float64(-0.2)},
		Orientation: &osi3.Orientation3D{Yaw: proto.Float64(0.1)}}
	d.SensorView = []*osi3.SensorView{{}, {GlobalGroundTruth: truth(second, cars...)},
		{GlobalGroundTruth: truth(second, cars[0])}}
	values := func(data []byte) (list []metrics.Value) {
		s := newSink(t)
		c, err := s.Add(trace.OSI("radar", "sd"))
		require.NoError(t, err)
		require.NoError(t, s.Write(&trace.Message{Channel: c, Time: second, Data: data}))
		_, list = measure(t, s.source(), metrics.Options{})
		return list
	}
	whole, err := proto.Marshal(d)
	require.NoError(t, err)
	want := values(whole)
	require.Len(t, want, 7, "five for the detected car, two for the message")
	split := inPieces(t, d.ProtoReflect())
	var again osi3.SensorData
	require.NoError(t, proto.Unmarshal(split, &again))
	removeUnknown(again.ProtoReflect())
	require.True(t, proto.Equal(d, &again))
	require.Equal(t, want, values(split))
}

// inPieces encodes a message with an unknown field before each of its fields, and each singular
// message as one piece per field, after an empty piece.
func inPieces(t *testing.T, m protoreflect.Message) (b []byte) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		b = protowire.AppendBytes(protowire.AppendTag(b, 50000, protowire.BytesType), []byte("?"))
		switch {
		case f.IsList() && f.Message() != nil:
			for k := range v.List().Len() {
				b = protowire.AppendTag(b, f.Number(), protowire.BytesType)
				b = protowire.AppendBytes(b, inPieces(t, v.List().Get(k).Message()))
			}
		case f.Message() != nil:
			b = protowire.AppendBytes(protowire.AppendTag(b, f.Number(), protowire.BytesType), nil)
			v.Message().Range(func(g protoreflect.FieldDescriptor, w protoreflect.Value) bool {
				part := v.Message().New()
				part.Set(g, w)
				b = protowire.AppendTag(b, f.Number(), protowire.BytesType)
				b = protowire.AppendBytes(b, inPieces(t, part))
				return true
			})
		default:
			one := m.New()
			one.Set(f, v)
			data, err := proto.Marshal(one.Interface())
			require.NoError(t, err)
			b = append(b, data...)
		}
		return true
	})
	return b
}

// removeUnknown removes the unknown fields of a message and all its parts.
func removeUnknown(m protoreflect.Message) {
	m.SetUnknown(nil)
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsList() && f.Message() != nil:
			for k := range v.List().Len() {
				removeUnknown(v.List().Get(k).Message())
			}
		case f.Message() != nil:
			removeUnknown(v.Message())
		}
		return true
	})
}

// TestMeasure_CutMessages: a message is left out if a field that the metrics need is truncated at
// any point, and all other messages count.
func TestMeasure_CutMessages(t *testing.T) {
	cars := []car{{id: 1, v: 5}, {id: 2, x: 20}}
	d := sensed(second, true, 1, cars...)
	d.SensorView = []*osi3.SensorView{{GlobalGroundTruth: truth(second, cars...)}}
	for kind, m := range map[string]proto.Message{"gt": truth(second, cars...),
		"sv": &osi3.SensorView{GlobalGroundTruth: truth(second, cars...)}, "sd": d} {
		whole, err := proto.Marshal(m)
		require.NoError(t, err)
		refused := 0
		for cut := range whole {
			s := newSink(t)
			c, err := s.Add(trace.OSI("channel", kind))
			require.NoError(t, err)
			for _, data := range [][]byte{whole[:cut], whole} {
				require.NoError(t, s.Write(&trace.Message{Channel: c, Time: second, Data: data}))
			}
			var missing []error
			r, _ := measure(t, s.source(), metrics.Options{Missing: func(err error) {
				missing = append(missing, err)
			}})
			decodes := proto.Unmarshal(whole[:cut], m.ProtoReflect().New().Interface()) == nil
			require.Equal(t, decodes, len(missing) == 0, "%s cut at %d", kind, cut)
			require.EqualValues(t, 2-len(missing), r.Messages)
			refused += len(missing)
			for _, err := range missing {
				require.ErrorIs(t, err, trace.ErrContent)
			}
		}
		require.Greater(t, refused, len(whole)/2)
	}
}

// TestMeasure_SlowMessages: an object that stays at a place from one message to the next has been
// there since it arrived, however far apart the messages are.
func TestMeasure_SlowMessages(t *testing.T) {
	s := newSink(t)
	host := car{id: 1, x: -40, v: 10}
	parked := car{id: 2}
	for at := timebase.Time(0); at <= 8*second; at += second {
		cars := []car{host}
		if at <= 2*second {
			cars = append(cars, parked) // gone when the host arrives, at 3.6 s
		}
		s.put("truth", "gt", truth(at, cars...))
	}
	r, _ := measure(t, s.source(), metrics.Options{})
	pet, _ := r.Metric(metrics.PostEncroachmentTime)
	require.InDelta(t, -(3.6 - 2), pet.Least.Value, 0.02)
	require.InDelta(t, 3.6, pet.Least.Time.Seconds(), 0.02)
}

// TestMeasure_ATurningCar: a car that turns on the spot sweeps a circle, even between two messages.
func TestMeasure_ATurningCar(t *testing.T) {
	s := newSink(t)
	host := car{id: 1, x: -40, y: 2.1, v: 10} // its right side passes at y = 1.1, the other at 3.1
	for at := timebase.Time(0); at <= 8*second; at += 500 * ms {
		turning := car{id: 2} // 4 m by 2 m: reaches y = 1, and 2.2 when it turns
		if at >= second {
			turning.yaw = math.Pi
		}
		s.put("truth", "gt", truth(at, host, turning))
	}
	r, _ := measure(t, s.source(), metrics.Options{})
	pet, found := r.Metric(metrics.PostEncroachmentTime)
	require.True(t, found)
	// turned back at 1 s; the host's front is at x = -2 at 3.6 s
	require.InDelta(t, -2.6, pet.Least.Value, 0.3)
}
