package livepage_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/proto/osi3"
	"gosmp/report/livepage"
)

// data is the data of a page, read as its script does.
type data struct {
	First, Last float64
	Live        bool
	Scene       *struct {
		Bodies []struct{ ID, Kind string }
		Lines  [][]float64
		Styles []string
		Frames []struct {
			T       float64
			Host    int
			Objects []float64
		}
	}
	Curves *struct {
		Times []float64
		List  []struct {
			Path   string
			Values []*float64
		}
	}
}

type added struct {
	Bodies []struct{ ID, Kind string }
	Frames []struct {
		T       float64
		Host    int
		Objects []float64
	}
	Times  []float64
	Values [][]*float64
}

// Regardless of the data that a page already has, adding the news results in the same data as in a
// newly opened page.
func TestCourse_SinceAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := livepage.New([]livepage.Variable{{Name: "a", Unit: "m"}, {Name: "b"}})
		var page *data
		had, n := -1, rapid.IntRange(1, 60).Draw(t, "moments")
		pictures := rapid.Bool().Draw(t, "pictures")
		for k := range n {
			var p livepage.Picture
			if pictures {
				p = livepage.Picture{}
				for range rapid.IntRange(0, 3).Draw(t, "objects") {
					id := rapid.StringMatching(`[a-d]`).Draw(t, "id")
					p = append(p, livepage.Object{ID: id, X: float64(k), Host: id == "a"})
				}
			}
			b := rapid.SampledFrom([]float64{1, math.NaN(), math.Inf(1)}).Draw(t, "b")
			c.Add(float64(k)/10, []float64{float64(k), b}, p)
			if rapid.IntRange(0, 3).Draw(t, "look") > 0 {
				continue
			}
			if had < 0 {
				page = &data{}
				require.NoError(t, json.Unmarshal(c.All(), page))
			} else {
				add(t, page, c.Since(had))
			}
			had = c.Len()
		}
		if had < 0 {
			return
		}
		add(t, page, c.Since(had))
		fresh := &data{}
		require.NoError(t, json.Unmarshal(c.All(), fresh))
		page.Last = fresh.Last
		require.Equal(t, fresh, page)
		require.True(t, fresh.Live)
	})
}

// add does the same as the page's script.
func add(t require.TestingT, page *data, text []byte) {
	more := &added{}
	require.NoError(t, json.Unmarshal(text, more))
	if page.Scene != nil {
		page.Scene.Bodies = more.Bodies
		page.Scene.Frames = append(page.Scene.Frames, more.Frames...)
	}
	page.Curves.Times = append(page.Curves.Times, more.Times...)
	for k := range page.Curves.List {
		for _, row := range more.Values {
			page.Curves.List[k].Values = append(page.Curves.List[k].Values, row[k])
		}
	}
}

// The oldest moments are dropped. A page that had only these receives all remaining data.
func TestCourse_IsBounded(t *testing.T) {
	c := livepage.New([]livepage.Variable{{Name: "a"}})
	for k := range 10_000 {
		c.Add(float64(k), []float64{float64(k)}, nil)
	}
	require.Equal(t, 10_000, c.Len())
	require.Nil(t, c.Since(5))
	all := &data{}
	require.NoError(t, json.Unmarshal(c.All(), all))
	require.LessOrEqual(t, len(all.Curves.Times), 4000)
	require.Equal(t, 9999.0, all.Last)
	require.Equal(t, all.First, *all.Curves.List[0].Values[0])
	require.Nil(t, all.Scene)
	require.NotNil(t, c.Since(9990))
}

// Moments with many objects are dropped earlier, so that the page does not need gigabytes.
func TestCourse_ManyObjects(t *testing.T) {
	c := livepage.New(nil)
	p := make(livepage.Picture, 20_000)
	for k := range p {
		p[k] = livepage.Object{ID: strconv.Itoa(k), X: float64(k)}
	}
	const moments = 60
	for k := range moments {
		c.Add(float64(k), nil, p)
	}
	require.Equal(t, moments, c.Len())
	require.Nil(t, c.Since(5))
	require.NotNil(t, c.Since(15))
	require.NotNil(t, c.Since(moments-1))
}

// A message whose content would need gigabytes has no picture.
func TestCourse_Bomb(t *testing.T) {
	const movingObject = 5<<3 | 2
	bomb := bytes.Repeat([]byte{movingObject, 0}, 12<<20)
	c := livepage.New(nil)
	require.Nil(t, c.GroundTruth(bomb))
	view := binary.AppendUvarint([]byte{7<<3 | 2}, uint64(len(bomb)))
	require.Nil(t, c.SensorView(append(view, bomb...)))
	require.NotNil(t, c.GroundTruth(nil))
}

// The picture of a ground truth contains its objects, the host vehicle, and lines on the road.
func TestCourse_Truth(t *testing.T) {
	at := func(x, y float64) *osi3.Vector3D {
		return &osi3.Vector3D{X: proto.Float64(x), Y: proto.Float64(y)}
	}
	object := func(id uint64, x float64, kind osi3.MovingObject_Type) *osi3.MovingObject {
		return &osi3.MovingObject{Id: &osi3.Identifier{Value: &id}, Type: &kind,
			Base: &osi3.BaseMoving{Position: at(x, 2), Velocity: at(3, 4),
				Dimension: &osi3.Dimension3D{Length: proto.Float64(5), Width: proto.Float64(2)}}}
	}
	edge := osi3.LaneBoundary_Classification_TYPE_CURB
	g := &osi3.GroundTruth{HostVehicleId: &osi3.Identifier{Value: proto.Uint64(7)},
		MovingObject: []*osi3.MovingObject{object(7, 1, osi3.MovingObject_TYPE_VEHICLE),
			object(8, 30, osi3.MovingObject_TYPE_PEDESTRIAN), {}},
		LaneBoundary: []*osi3.LaneBoundary{{
			Classification: &osi3.LaneBoundary_Classification{Type: &edge},
			BoundaryLine: []*osi3.LaneBoundary_BoundaryPoint{{Position: at(0, 0)},
				{Position: at(9, 0)}}}}}
	c := livepage.New(nil)
	p := c.Truth(g)
	c.Add(0, nil, p)
	encoded, err := proto.Marshal(g)
	require.NoError(t, err)
	require.Equal(t, p, c.GroundTruth(encoded))
	require.Nil(t, c.GroundTruth([]byte("?")))
	encoded, err = proto.Marshal(&osi3.SensorView{GlobalGroundTruth: g})
	require.NoError(t, err)
	require.Nil(t, c.SensorView([]byte("?")))
	c.Add(1, nil, c.SensorView(encoded))
	require.Equal(t, livepage.Picture{
		{ID: "7", Host: true, Length: 5, Width: 2, X: 1, Y: 2, Speed: 5},
		{ID: "8", Person: true, Length: 5, Width: 2, X: 30, Y: 2, Speed: 5}}, p)
	all := &data{}
	require.NoError(t, json.Unmarshal(c.All(), all))
	require.Equal(t, [][]float64{{0, 0, 9, 0}}, all.Scene.Lines)
	require.Equal(t, []string{"edge"}, all.Scene.Styles)
	require.Equal(t, []float64{0, 1, 2, 0, 5, 1, 30, 2, 0, 5}, all.Scene.Frames[1].Objects)
	require.Equal(t, "person", all.Scene.Bodies[1].Kind)
	require.Nil(t, all.Curves)
}

// The first picture may come after moments without pictures.
func TestCourse_FirstPictureLater(t *testing.T) {
	c := livepage.New([]livepage.Variable{{Name: "a"}})
	c.Add(0, []float64{1}, nil)
	c.Add(1, []float64{1}, livepage.Picture{{ID: "x"}})
	all := &data{}
	require.NoError(t, json.Unmarshal(c.All(), all))
	require.Len(t, all.Scene.Frames, 2)
	require.Empty(t, all.Scene.Frames[0].Objects)
}

// Names of files, events and objects cannot become markup.
func TestWrite_Names(t *testing.T) {
	const evil = `</script><script>alert(1)</script>"'<img src=x onerror=alert(1)>`
	var b bytes.Buffer
	require.NoError(t, livepage.Write(&b, livepage.Form{Title: evil, Events: []string{evil}}))
	require.NotContains(t, b.String(), "<script>alert")
	require.NotContains(t, b.String(), "<img")
	require.Equal(t, 2, strings.Count(b.String(), "<script>"), "the kit and the script of the page")
	c := livepage.New([]livepage.Variable{{Name: evil}})
	c.Add(0, []float64{1}, livepage.Picture{{ID: evil, Name: evil}})
	for _, text := range [][]byte{c.All(), c.Since(0)} {
		require.False(t, slices.Contains(text, '\n'), "an event is one line")
	}
}
