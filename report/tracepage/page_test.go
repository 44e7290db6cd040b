package tracepage_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/mocksim/scene"
	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/report/tracepage"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// record writes n messages of a drive on a motorway with a sensor that sees the first three
// objects.
func record(t *testing.T, n int, topic string) []byte {
	t.Helper()
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{Compression: mcap.Zstd})
	require.NoError(t, err)
	views, err := sink.Add(trace.OSI(topic, "sv"))
	require.NoError(t, err)
	data, err := sink.Add(trace.OSI("radar", "sd"))
	require.NoError(t, err)
	put := func(c *trace.Channel, at timebase.Time, m proto.Message) {
		content, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at,
			Data: content}))
	}
	for k := range n {
		at := timebase.Time(k) * 40 * timebase.Millisecond
		view := scene.Motorway(at)
		view.GlobalGroundTruth.LaneBoundary = []*osi3.LaneBoundary{{BoundaryLine: []*osi3.LaneBoundary_BoundaryPoint{
			{Position: &osi3.Vector3D{X: proto.Float64(-100)}},
			{Position: &osi3.Vector3D{X: proto.Float64(500)}}}}}
		put(views, at, view)
		put(data, at, detected(at, view.GetGlobalGroundTruth()))
	}
	require.NoError(t, sink.Close())
	return b.Bytes()
}

// detected returns the SensorData of a sensor that sees three objects.
func detected(at timebase.Time, g *osi3.GroundTruth) *osi3.SensorData {
	d := &osi3.SensorData{Version: message.Version(), Timestamp: message.Time(at),
		LastMeasurementTime: message.Time(at)}
	var host *osi3.MovingObject
	for _, o := range g.GetMovingObject() {
		if o.GetId().GetValue() == g.GetHostVehicleId().GetValue() {
			host = o
		}
	}
	h := host.GetBase()
	sin, cos := math.Sincos(h.GetOrientation().GetYaw())
	for _, o := range g.GetMovingObject()[:4] {
		p := o.GetBase().GetPosition()
		dx, dy := p.GetX()-h.GetPosition().GetX(), p.GetY()-h.GetPosition().GetY()
		if o == host || len(d.MovingObject) == 3 {
			continue
		}
		d.MovingObject = append(d.MovingObject, &osi3.DetectedMovingObject{
			Header: &osi3.DetectedItemHeader{GroundTruthId: []*osi3.Identifier{o.GetId()}},
			Base: &osi3.BaseMoving{Position: &osi3.Vector3D{
				X: proto.Float64(dx*cos +
					dy*sin - host.GetVehicleAttributes().GetBbcenterToRear().GetX()),
				Y: proto.Float64(dy*cos - dx*sin)}}})
	}
	return d
}

func write(t *testing.T, name string, content []byte, o tracepage.Options) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, tracepage.Write(&b, name, bytes.NewReader(content), int64(len(content)), o))
	return b.String()
}

// shown is the part of the page's data that the test examines.
type shown struct {
	Scene struct {
		Lines   [][]float64
		Thinned bool
		Sensors []struct {
			Topic  string
			Clouds []struct {
				Kind      string
				Fields    []string
				Low, High []float64
			}
		}
		Fixed  []struct{ X float64 }
		Bodies []struct {
			ID            string
			Length, Width float64
		}
		Origin []float64
		Frames []struct {
			T       float64
			Host    int
			Pose    []float64
			Objects []float64
			Lights  []int
			Seen    []struct {
				Sensor      int
				Boxes, Arcs []float64
				Lines       [][]float64
				Clouds      []struct {
					Cloud int
					Data  string
				}
			}
		}
	}
	Curves struct {
		Times []float64
		List  []struct {
			Channel, Path string
			Times         []float64
			Values        []any
		}
	}
	First, Last float64
}

func dataOf(t *testing.T, page string) (d shown) {
	t.Helper()
	match := regexp.MustCompile(`(?m)<script type="application/json" id="data">(.*)</script>`).
		FindStringSubmatch(
			page)
	require.Len(t, match, 2)
	require.NoError(t, json.Unmarshal([]byte(match[1]), &d))
	return d
}

func TestWrite_ShowsWhatIsInTheTrace(t *testing.T) {
	content := record(t, 20, "front")
	page := write(t, "drive.mcap", content, tracepage.Options{})
	for _, want := range []string{"<title>drive.mcap</title>",
		"<td>front<td>SensorView<td>3.8.0<td>20<td>25 Hz", "<td>radar<td>SensorData",
		"<td>time to collision<td>front<td>s", "<td>position error<td>radar<td>m<td>",
		"metrics\",\"path\":\"Detection rate of radar\"", "osirules.",
		"Truth of channel front; seen by channel radar"} {
		require.Contains(t, page, want)
	}
	require.NotRegexp(t, `https?://`, page, "it works offline")
	d := dataOf(t, page)
	require.Len(t, d.Scene.Frames, 20)
	require.Len(t, d.Scene.Lines, 1)
	require.InDelta(t, 0.76, d.Last, 1e-9)
	f := d.Scene.Frames[10]
	require.InDelta(t, 0.4, f.T, 1e-9)
	require.GreaterOrEqual(t, f.Host, 0)
	require.Len(t, f.Seen, 1)
	boxes := f.Seen[0].Boxes
	require.Len(t, boxes, 18)
	at := map[[2]float64]bool{}
	for k := 0; k < len(f.Objects); k += 5 {
		at[[2]float64{f.Objects[k+1], f.Objects[k+2]}] = true
	}
	sin, cos := math.Sincos(f.Pose[2])
	for k := 0; k < len(boxes); k += 6 {
		x, y := f.Pose[0]+boxes[k]*cos-boxes[k+1]*sin, f.Pose[1]+boxes[k]*sin+boxes[k+1]*cos
		found := false
		for p := range at {
			found = found || math.Hypot(p[0]-x, p[1]-y) < 0.1
		}
		require.True(t, found, "a detection without an error is drawn on its object")
	}
	require.Equal(t, page, write(t, "drive.mcap", content, tracepage.Options{}),
		"the same trace gives the same bytes")
	if to := os.Getenv("GOSMP_REPORT"); to != "" { // to view it in a browser
		require.NoError(t, os.WriteFile(to, []byte(page), 0o600))
	}
}

func TestWrite_BoundsTheMoments(t *testing.T) {
	d := dataOf(t, write(t, "a.mcap", record(t, 20, "front"), tracepage.Options{Frames: 10}))
	require.LessOrEqual(t, len(d.Scene.Frames), 11)
	require.GreaterOrEqual(t, len(d.Scene.Frames), 9)
}

// TestWrite_NoMarkupFromTheTrace covers topics and file names.
func TestWrite_NoMarkupFromTheTrace(t *testing.T) {
	page := write(t, "<b>.mcap", record(t, 2, "</script><script>alert(1)"), tracepage.Options{})
	require.NotContains(t, page, "<script>alert")
	require.NotContains(t, page, "<b>")
}

// TestWrite_WithoutTruthAndDamaged: such a trace still results in a report of the readable
// messages.
func TestWrite_WithoutTruthAndDamaged(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("commands", "tc"))
	require.NoError(t, err)
	require.NoError(t, sink.Write(&trace.Message{Channel: c, Data: []byte{}}))
	require.NoError(t, sink.Close())
	page := write(t, "a.mcap", b.Bytes(), tracepage.Options{})
	require.Contains(t, page, "the trace has no GroundTruth, SensorView or SensorData")
	require.NotContains(t, page, "<canvas")

	content := record(t, 20, "front")
	page = write(t, "cut.mcap", content[:len(content)*2/3], tracepage.Options{})
	require.Contains(t, page, "trace.damaged")
	require.Error(t, tracepage.Write(&b, "a.txt", strings.NewReader("hello, this is text"), 19,
		tracepage.Options{}))
}

// TestWrite_CalendarTimesAndDistantLanes covers times since 1970, and lanes that precede the first
// object.
func TestWrite_CalendarTimesAndDistantLanes(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("truth", "gt"))
	require.NoError(t, err)
	const begin = 1_700_000_000 * timebase.Second
	lane := &osi3.LaneBoundary{}
	for k := range 2 {
		position := &osi3.Vector3D{X: proto.Float64(500_000 + 100*float64(k)),
			Y: proto.Float64(4_000_000)}
		lane.BoundaryLine = append(lane.BoundaryLine,
			&osi3.LaneBoundary_BoundaryPoint{Position: position})
	}
	for k := range timebase.Time(3) {
		at := begin + k*timebase.Second
		g := &osi3.GroundTruth{Version: message.Version(), Timestamp: message.Time(at),
			HostVehicleId: message.ID(1), LaneBoundary: []*osi3.LaneBoundary{lane}}
		if k > 0 {
			position := &osi3.Vector3D{X: proto.Float64(500_040), Y: proto.Float64(4_000_000)}
			g.MovingObject = []*osi3.MovingObject{{Id: message.ID(1),
				Base: &osi3.BaseMoving{Position: position,
					Velocity: &osi3.Vector3D{X: proto.Float64(3)}}}}
		}
		content, err := proto.Marshal(g)
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at,
			Data: content}))
	}
	require.NoError(t, sink.Close())
	page := write(t, "a.mcap", b.Bytes(), tracepage.Options{})
	d := dataOf(t, page)
	require.Equal(t, []float64{1_700_000_000, 1_700_000_002}, []float64{d.First, d.Last})
	require.Equal(t, 1_700_000_001.0, d.Scene.Frames[1].T)
	require.Equal(t, [][]float64{{0, 0, 100, 0}}, d.Scene.Lines)
	require.Equal(t, []float64{40, 0}, d.Scene.Frames[1].Objects[1:3])
}

// TestWrite_LogicalLaneBoundaries: logical lane boundaries are drawn if there are no others. Lines
// with a single point are left out.
func TestWrite_LogicalLaneBoundaries(t *testing.T) {
	points := func(x ...float64) (list []*osi3.LogicalLaneBoundary_LogicalBoundaryPoint) {
		for _, x := range x {
			list = append(list,
				&osi3.LogicalLaneBoundary_LogicalBoundaryPoint{
					Position: &osi3.Vector3D{X: proto.Float64(x), Y: proto.Float64(2)}})
		}
		return list
	}
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("truth", "gt"))
	require.NoError(t, err)
	content, err := proto.Marshal(&osi3.GroundTruth{Version: message.Version(),
		Timestamp: message.Time(0),
		LogicalLaneBoundary: []*osi3.LogicalLaneBoundary{{BoundaryLine: points(1)},
			{BoundaryLine: points(1, 4, 9)}}})
	require.NoError(t, err)
	require.NoError(t, sink.Write(&trace.Message{Channel: c, Data: content}))
	require.NoError(t, sink.Close())
	require.Equal(t, [][]float64{{0, 0, 3, 0, 8, 0}}, dataOf(t, write(t, "a.mcap", b.Bytes(),
		tracepage.Options{})).Scene.Lines)
}
