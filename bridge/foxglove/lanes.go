package foxglove

import (
	"math"

	"gosmp/frames"
	"gosmp/proto/foxglove"
	"gosmp/proto/osi3"
)

func strip(line []*foxglove.Point3, width float64, c *foxglove.Color) *foxglove.LinePrimitive {
	return &foxglove.LinePrimitive{Type: foxglove.LinePrimitive_LINE_STRIP,
		Pose: poseOf(frames.Pose{}), Thickness: width, Points: line, Color: c}
}

// trueLanes draws the lane lines if they changed. A GroundTruth without lanes does not mean that
// there are none, because simulators send lanes only once.
func (k *Maker) trueLanes(g *osi3.GroundTruth) error {
	scene := &foxglove.SceneUpdate{}
	add := func(kind string, id *osi3.Identifier, lines ...*foxglove.LinePrimitive) {
		if len(lines) == 0 || len(lines[0].Points) < 2 {
			return
		}
		e := k.entity(World, kind, id)
		e.Timestamp, e.Lines = nil, lines
		scene.Entities = append(scene.Entities, e)
	}
	for _, b := range g.GetLaneBoundary() {
		add("lane_boundary", b.GetId(), boundary(b))
	}
	if len(scene.Entities) == 0 {
		for _, b := range g.GetLogicalLaneBoundary() {
			add("logical_lane_boundary", b.GetId(), strip(lineOf(b.GetBoundaryLine()), lineWidth,
				unknownLineColor))
		}
	}
	for _, l := range g.GetLane() {
		var line []*foxglove.Point3
		for _, p := range l.GetClassification().GetCenterline() {
			line = append(line, point(vector(p)))
		}
		add("lane", l.GetId(), strip(line, lineWidth/2, centerLineColor))
	}
	if len(scene.Entities) == 0 {
		return nil
	}
	changed, err := k.once(k.topic, scene)
	if err != nil || !changed {
		return err
	}
	for _, e := range scene.Entities {
		e.Timestamp = k.stamp
	}
	scene.Deletions = k.scene().Deletions
	if err := k.emit(k.topic+"/lanes", scene); err != nil {
		return err
	}
	return k.lanesOnEarth(g)
}

// lineWidth is the default width of lines, in m.
const lineWidth = 0.15

// lineOf returns the points of a line.
func lineOf[P interface{ GetPosition() *osi3.Vector3D }](from []P) (line []*foxglove.Point3) {
	for _, p := range from {
		line = append(line, point(vector(p.GetPosition())))
	}
	return line
}

var boundaryColors = map[osi3.LaneBoundary_Classification_Color]uint32{
	osi3.LaneBoundary_Classification_COLOR_WHITE:  0xffffff,
	osi3.LaneBoundary_Classification_COLOR_YELLOW: 0xffd23f,
	osi3.LaneBoundary_Classification_COLOR_RED:    0xff4d4d,
	osi3.LaneBoundary_Classification_COLOR_BLUE:   0x4d8dff,
	osi3.LaneBoundary_Classification_COLOR_GREEN:  0x4dd07a,
	osi3.LaneBoundary_Classification_COLOR_VIOLET: 0xb07aff,
	osi3.LaneBoundary_Classification_COLOR_ORANGE: 0xff9f45,
}

// boundary returns a lane boundary as a painted line, or as the edge that it stands for.
func boundary(b *osi3.LaneBoundary) *foxglove.LinePrimitive {
	c := b.GetClassification()
	color := unknownLineColor
	if hex, known := boundaryColors[c.GetColor()]; known {
		color = rgb(hex, 0.95)
	}
	width := lineWidth
	if line := b.GetBoundaryLine(); len(line) > 0 && line[0].GetWidth() > 0 {
		width = min(line[0].GetWidth(), 1)
	}
	line := lineOf(b.GetBoundaryLine())
	switch c.GetType() {
	case osi3.LaneBoundary_Classification_TYPE_NO_LINE:
		return strip(line, width/3, rgb(0x808080, 0.4))
	case osi3.LaneBoundary_Classification_TYPE_DASHED_LINE:
		l := strip(dashes(line), width, color)
		l.Type = foxglove.LinePrimitive_LINE_LIST
		return l
	}
	return strip(line, width, color)
}

// dashes returns strokes of 3 m along a line, with gaps of 3 m. They are symbolic, because OSI does
// not state where the strokes of most lines are.
func dashes(line []*foxglove.Point3) (strokes []*foxglove.Point3) {
	const stroke, most = 3.0, 20_000
	at := func(k int) frames.Vector {
		return frames.Vector{X: line[k].X, Y: line[k].Y, Z: line[k].Z}
	}
	way, drawn := 0.0, true // distance to the end of the stroke or gap
	for k := 0; k+1 < len(line); k++ {
		from, to := at(k), at(k+1)
		length := to.Sub(from).Length()
		for done := 0.0; done < length && len(strokes) < most; {
			part := math.Min(stroke-way, length-done)
			if drawn {
				a := from.Add(to.Sub(from).Scale(done / length))
				b := from.Add(to.Sub(from).Scale((done + part) / length))
				strokes = append(strokes, point(a), point(b))
			}
			done, way = done+part, way+part
			if way >= stroke-1e-9 {
				way, drawn = 0, !drawn
			}
		}
	}
	return strokes
}
