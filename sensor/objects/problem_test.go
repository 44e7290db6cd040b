package objects_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

// TestProblem_EachKind causes one problem at a time and checks what is reported and still detected.
func TestProblem_EachKind(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	type truth = osi3.GroundTruth
	host := func(g *truth) *osi3.MovingObject { return g.MovingObject[0] }
	first := func(g *truth) *osi3.MovingObject { return g.MovingObject[1] }
	for _, c := range []struct {
		want  objects.Problem
		count int // of three cars
		text  string
		lie   func(v *osi3.SensorView, g *truth)
	}{
		{objects.NoGroundTruth, 0, "global_ground_truth", func(v *osi3.SensorView,
			_ *truth) {
			v.GlobalGroundTruth = nil
		}},
		{objects.NoHostID, 0, "host_vehicle_id", func(v *osi3.SensorView,
			g *truth) {
			v.HostVehicleId, g.HostVehicleId = nil, nil
		}},
		{objects.HostNotFound, 0, "host_vehicle_id 3,", func(v *osi3.SensorView,
			g *truth) {
			v.HostVehicleId, g.HostVehicleId = nil, id(3)
		}},
		{objects.HostUnusable, 0, "host vehicle 7", func(_ *osi3.SensorView,
			g *truth) {
			host(g).Base = nil
		}},
		{objects.HostUnusable, 0, "host vehicle 7", func(_ *osi3.SensorView,
			g *truth) {
			host(g).Base.Position.Y = &nan
		}},
		{objects.HostUnusable, 0, "host vehicle 7", func(_ *osi3.SensorView,
			g *truth) {
			host(g).Base.Orientation.Yaw = &inf
		}},
		{objects.HostIDsDiffer, 3, "host_vehicle_id 8,", func(v *osi3.SensorView,
			_ *truth) {
			v.HostVehicleId = id(8)
		}},
		{objects.HostNoOrientation, 0, "host vehicle 7", func(_ *osi3.SensorView,
			g *truth) {
			host(g).Base.Orientation = nil
		}},
		{objects.HostNoRearAxle, 3, "bbcenter_to_rear", func(_ *osi3.SensorView,
			g *truth) {
			host(g).VehicleAttributes = nil
		}},
		{objects.HostNoRearAxle, 3, "bbcenter_to_rear", func(_ *osi3.SensorView,
			g *truth) {
			host(g).VehicleAttributes.BbcenterToRear.X = &nan
		}},
		{objects.HostNoVelocity, 3, "velocity", func(_ *osi3.SensorView,
			g *truth) {
			host(g).Base.Velocity = nil
		}},
		{objects.HostNoVelocity, 3, "velocity", func(_ *osi3.SensorView,
			g *truth) {
			host(g).Base.Velocity.X = &inf
		}},
		{objects.HostNoTurning, 3, "orientation_rate", func(_ *osi3.SensorView,
			g *truth) {
			host(g).Base.OrientationRate = nil
		}},
		{objects.HostBadMotion, 3, "acceleration", func(_ *osi3.SensorView,
			g *truth) {
			host(g).Base.OrientationRate.Yaw = &nan
		}},
		{objects.HostBadMotion, 3, "acceleration", func(_ *osi3.SensorView,
			g *truth) {
			host(g).Base.Acceleration.Y = &nan
		}},
		{objects.NoMounting, 3, "mounting_position", func(v *osi3.SensorView,
			_ *truth) {
			v.MountingPosition = nil
		}},
		{objects.NoMounting, 3, "mounting_position", func(v *osi3.SensorView,
			_ *truth) {
			v.MountingPosition.Position.X = &nan
		}},
		{objects.NoSensorID, 3, "sensor_id", func(v *osi3.SensorView,
			_ *truth) {
			v.SensorId = nil
		}},
		{objects.NoTimestamp, 3, "timestamp", func(v *osi3.SensorView,
			_ *truth) {
			v.Timestamp = nil
		}},
		{objects.NoTimestamp, 3, "nanos", func(v *osi3.SensorView,
			_ *truth) {
			n := uint32(1e9)
			v.Timestamp.Nanos = &n
		}},
		{objects.NoTimestamp, 3, "292 years", func(v *osi3.SensorView,
			_ *truth) {
			n := int64(math.MinInt64)
			v.Timestamp.Seconds = &n
		}},
		{objects.LateTimestamp, 3, "after the end of the step", func(v *osi3.SensorView,
			_ *truth) {
			v.Timestamp = at(step + 1)
		}},
		{objects.ObjectNoID, 2, "GroundTruth.moving_object[1]", func(_ *osi3.SensorView,
			g *truth) {
			first(g).Id = nil
		}},
		{objects.ObjectNoPosition, 2, "moving_object[1] (id 10)", func(_ *osi3.SensorView,
			g *truth) {
			first(g).Base = nil
		}},
		{objects.ObjectNoPosition, 2, "moving_object[1] (id 10)", func(_ *osi3.SensorView,
			g *truth) {
			first(g).Base.Position = nil
		}},
		{objects.ObjectBadPosition, 2, "moving_object[1] (id 10)", func(_ *osi3.SensorView,
			g *truth) {
			first(g).Base.Position.Z = &inf
		}},
		{objects.ObjectNoOrientation, 3, "moving_object[1] (id 10)", func(_ *osi3.SensorView,
			g *truth) {
			first(g).Base.Orientation = nil
		}},
		{objects.ObjectBadNumber, 3, "moving_object[1] (id 10)", func(_ *osi3.SensorView,
			g *truth) {
			first(g).Base.Orientation.Roll = &nan
		}},
		{objects.ObjectBadNumber, 3, "moving_object[1] (id 10)", func(_ *osi3.SensorView,
			g *truth) {
			first(g).Base.Velocity.Y = &nan
		}},
		{objects.ObjectBadNumber, 3, "moving_object[1] (id 10)", func(_ *osi3.SensorView,
			g *truth) {
			first(g).Base.Acceleration.Y = &inf
		}},
		{objects.ObjectBadNumber, 3, "moving_object[1] (id 10)", func(_ *osi3.SensorView,
			g *truth) {
			first(g).Base.OrientationRate.Yaw = &inf
		}},
		{objects.ObjectBadSize, 3, "moving_object[1] (id 10)", func(_ *osi3.SensorView,
			g *truth) {
			n := -1.0
			first(g).Base.Dimension.Width = &n
		}},
		{objects.DuplicateID, 2, "moving_object[1] (id 7)", func(_ *osi3.SensorView,
			g *truth) {
			first(g).Id = id(7)
		}},
		{objects.DuplicateID, 2, "moving_object[2] (id 10)", func(_ *osi3.SensorView,
			g *truth) {
			g.MovingObject[2].Id = id(10)
		}},
	} {
		view := plainView(carAt(10, 100, 90, 1), carAt(11, 105, 100, 1), carAt(math.MaxUint64, 95,
			110, 1))
		c.lie(view, view.GlobalGroundTruth)
		data, p := detect(t, objects.Default(), view)
		require.Equal(t, objects.Problems(0).With(c.want), p.fast.Problems(), "%v, not %v", c.want,
			p.fast.Problems())
		require.Len(t, data.MovingObject, c.count, "%v", c.want)
		require.Contains(t, p.fast.Explain(c.want), c.text)
		require.NotContains(t, p.fast.Explain(c.want), "%!", "%v", c.want)
		checkRules(t, data)
		_, found := p.fast.Host()
		require.Equal(t, c.want > objects.HostUnusable, found)
		if c.want <= objects.HostUnusable {
			require.Equal(t, osi3.DetectedEntityHeader_DATA_QUALIFIER_NOT_AVAILABLE,
				data.MovingObjectHeader.GetDataQualifier())
		}
	}
}

// TestProblem_MissingHostID: SensorView.host_vehicle_id replaces the GroundTruth's.
func TestProblem_MissingHostID(t *testing.T) {
	view := plainView(carAt(10, 100, 90, 1))
	view.GlobalGroundTruth.HostVehicleId = nil
	data, p := detect(t, objects.Default(), view)
	require.Len(t, data.MovingObject, 1)
	require.Zero(t, p.fast.Problems())
}

func TestProblem_Texts(t *testing.T) {
	d, err := objects.New(objects.Default())
	require.NoError(t, err)
	all := objects.Problems(0)
	for p := objects.NoGroundTruth; p <= objects.TooManyObstacles; p++ {
		require.NotEmpty(t, p.String())
		require.False(t, all.Has(p))
		all = all.With(p)
		require.True(t, all.Has(p))
		require.Regexp(t, `^.+: found .+, expected .+; .+$`, d.Explain(p))
	}
	n := 0
	for p := range all.All() {
		require.EqualValues(t, n, p)
		if n++; n == 5 {
			break
		}
	}
	require.Equal(t, "Problem(200)", objects.Problem(200).String())
	require.Equal(t, "Problem(200)", d.Explain(200))
}

// checkRules checks the OSI rules for a SensorData.
func checkRules(t require.TestingT, data *osi3.SensorData) {
	require.EqualValues(t, 3, data.Version.GetVersionMajor())
	require.NotNil(t, data.Timestamp)
	require.NotNil(t, data.SensorId)
	require.NotNil(t, data.MountingPosition)
	require.NotNil(t, data.LastMeasurementTime)
	require.LessOrEqual(t, data.LastMeasurementTime.GetNanos(), uint32(999_999_999))
	tracking := map[uint64]bool{}
	header := func(h *osi3.DetectedItemHeader) {
		require.NotNil(t, h.TrackingId)
		require.False(t, tracking[h.TrackingId.GetValue()], "tracking ids are unique")
		tracking[h.TrackingId.GetValue()] = true
		require.Len(t, h.GroundTruthId, 1)
		require.Len(t, h.SensorId, 1)
		require.GreaterOrEqual(t, h.GetExistenceProbability(), 0.0)
		require.LessOrEqual(t, h.GetExistenceProbability(), 1.0)
		require.GreaterOrEqual(t, h.GetAge(), 0.0)
	}
	for _, o := range data.MovingObject {
		header(o.Header)
		require.NotNil(t, o.Base.Position)
		require.Len(t, o.Candidate, 1)
		c := o.Candidate[0]
		require.Equal(t, 1.0, c.GetProbability())
		require.NotNil(t, c.Type)
		require.Equal(t, c.GetType() == osi3.MovingObject_TYPE_VEHICLE,
			c.VehicleClassification != nil)
		if o.Base.Orientation != nil {
			require.LessOrEqual(t, math.Abs(o.Base.Orientation.GetYaw()), math.Pi)
			require.LessOrEqual(t, math.Abs(o.Base.Orientation.GetRoll()), math.Pi)
			require.LessOrEqual(t, math.Abs(o.Base.Orientation.GetPitch()), math.Pi/2)
		}
	}
	for _, o := range data.StationaryObject {
		header(o.Header)
		require.NotNil(t, o.Base.Position)
		require.Len(t, o.Candidate, 1)
	}
	if len(data.MovingObject) > 0 {
		require.NotNil(t, data.MovingObjectHeader.GetMeasurementTime())
	}
}

// TestDetect_NoBytes: a missing view is a distinct error and leaves nothing to append.
func TestDetect_NoBytes(t *testing.T) {
	d, err := objects.New(objects.Default())
	require.NoError(t, err)
	_, err = d.Detect(marshal(t, plainView(carAt(10, 100, 90, 1))), until(step))
	require.NoError(t, err)
	for _, b := range [][]byte{nil, {}} {
		r, err := d.Detect(b, until(2*step))
		require.ErrorIs(t, err, objects.ErrEmpty)
		require.Zero(t, r)
		require.Empty(t, d.AppendMovingObjects(d.AppendStationaryObjects(nil)))
		require.Empty(t, d.Detections(objects.MovingObject))
		require.EqualValues(t, 1, d.Cycle(), "a cycle without data does not count")
	}
}

// TestDetect_Truncated truncates a view at every byte; each cut gives an error or a result.
func TestDetect_Truncated(t *testing.T) {
	view := marshal(t, plainView(carAt(10, 100, 90, 1), carAt(11, 100, 95, 1)))
	refused := 0
	for n := 1; n < len(view); n++ {
		p := newPair(t, objects.Default())
		if data := p.step(t, view[:n:n], step); data == nil {
			refused++
			_, err := p.fast.Detect(view[:n:n], until(step))
			require.ErrorIs(t, err, objects.ErrUndecodable, "cut at byte %d", n)
			require.ErrorContains(t, err, "byte")
		}
	}
	require.Greater(t, refused, len(view)*9/10)
}

// TestDetect_InvalidProtobuf passes bytes that are not protobuf.
func TestDetect_InvalidProtobuf(t *testing.T) {
	d, err := objects.New(objects.Default())
	require.NoError(t, err)
	for name, b := range map[string][]byte{
		"zeros":             make([]byte, 100),
		"text":              []byte("SensorID,Timestamp,X,Y,Z"),
		"ones":              bytes.Repeat([]byte{0xff}, 50),
		"length too long":   {0x3a, 0xff, 0xff, 0xff, 0xff, 0x7f},
		"length of 64 bits": {0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		"varint of 11 bytes": {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			0x01},
		"wire type 6":       {0x0e, 0x00},
		"group without end": {0x0b, 0x08, 0x01},
		"end without group": {0x0c},
		"groups in groups":  bytes.Repeat([]byte{0x0b}, 100_000),
		"broken truth":      {0x3a, 0x02, 0x2a, 0x05},
		"broken object":     {0x3a, 0x04, 0x2a, 0x02, 0x12, 0x05},
		"broken id":         {0x3a, 0x06, 0x2a, 0x04, 0x0a, 0x02, 0x08, 0x80},
	} {
		r, err := d.Detect(b, until(step))
		require.ErrorIs(t, err, objects.ErrUndecodable, name)
		require.ErrorContains(t, err, "SensorView, byte ", name)
		require.Zero(t, r, name)
		require.Empty(t, d.AppendMovingObjects(nil), name)
	}
}

// TestDetect_ForeignFields: unknown fields, groups and known numbers with other wire types change
// nothing on any level.
func TestDetect_ForeignFields(t *testing.T) {
	foreign := protowire.AppendTag(nil, 9000, protowire.StartGroupType)
	foreign = protowire.AppendVarint(protowire.AppendTag(foreign, 1, protowire.VarintType), 5)
	foreign = protowire.AppendTag(foreign, 9000, protowire.EndGroupType)
	foreign = protowire.AppendFixed32(protowire.AppendTag(foreign, 5, protowire.Fixed32Type), 77)
	foreign = protowire.AppendVarint(protowire.AppendTag(foreign, 2, protowire.VarintType), 77)
	foreign = protowire.AppendString(protowire.AppendTag(foreign, 536870911, protowire.BytesType),
		"unknown")

	view := plainView(carAt(10, 100, 90, 1))
	want, _ := detect(t, objects.Default(), view)
	for _, m := range []proto.Message{
		view, view.GlobalGroundTruth, view.GlobalGroundTruth.MovingObject[0],
		view.GlobalGroundTruth.MovingObject[1],
		view.GlobalGroundTruth.MovingObject[1].Base,
		view.GlobalGroundTruth.MovingObject[1].Base.Position, view.MountingPosition,
		view.GlobalGroundTruth.MovingObject[0].VehicleAttributes, view.HostVehicleId,
	} {
		m.ProtoReflect().SetUnknown(foreign)
	}
	got, p := detect(t, objects.Default(), view)
	require.Zero(t, p.fast.Problems())
	require.Equal(t, marshal(t, want.MovingObject[0]), marshal(t, got.MovingObject[0]))
}

// TestDetect_Megabytes uses a view of several MB.
func TestDetect_Megabytes(t *testing.T) {
	view := marshal(t, scene.Crowd(2000, 1500, 50))
	require.Greater(t, len(view), 4_000_000)
	p := newPair(t, objects.Default())
	data := p.step(t, view, step)
	require.Greater(t, len(data.MovingObject), 900)
	checkRules(t, data)
}

// TestDetect_NothingAllocated: no heap allocations once the buffers have grown, regardless of what
// the objects do.
func TestDetect_NothingAllocated(t *testing.T) {
	for name, c := range configs() {
		d, err := objects.New(c)
		require.NoError(t, err)
		var views [][]byte
		for k := range timebase.Time(50) {
			views = append(views, marshal(t, scene.Motorway(k*10*step)))
		}
		var out []byte
		now, k := timebase.Time(0), 0
		run := func() {
			now += 10 * step
			r, err := d.Detect(views[k%len(views)], until(now))
			require.NoError(t, err)
			out = appendSensorData(out[:0], views[k%len(views)], d, r, now)
			k++
		}
		for range 2 * len(views) {
			run()
		}
		require.Zero(t, testing.AllocsPerRun(len(views), run), name)
	}
}
