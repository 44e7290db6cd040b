package truth

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// box is the bounding box of an outline.
type box struct {
	pose                  frames.Pose
	length, width, height float64
}

// outlined returns the bounding box of an object's first outline, along the object's axes.
func outlined(r *opendrive.Road, o *opendrive.Object, pose frames.Pose) (b box, ok bool) {
	if len(o.Outlines) == 0 || len(o.Outlines[0].Corners) < 2 {
		return b, false
	}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	sin, cos := portable.Sincos(pose.Orientation.Yaw)
	for _, c := range o.Outlines[0].Corners {
		u, v := c.U, c.V
		if !c.Local {
			st, err := r.Station(c.S)
			if err != nil {
				return b, false
			}
			d := st.Surface(c.T).Sub(pose.Position)
			u, v = float64(d.X*cos)+float64(d.Y*sin), float64(d.Y*cos)-float64(d.X*sin)
		}
		low, high = [2]float64{min(low[0], u), min(low[1], v)}, [2]float64{max(high[0], u),
			max(high[1], v)}
		b.height = max(b.height, c.Height)
	}
	b.length, b.width = high[0]-low[0], high[1]-low[1]
	u, v := (low[0]+high[0])/2, (low[1]+high[1])/2
	b.pose = pose
	b.pose.Position.X += float64(u*cos) - float64(v*sin)
	b.pose.Position.Y += float64(u*sin) + float64(v*cos)
	if o.Height <= 0 {
		b.pose.Position.Z += b.height / 2
	}
	return b, true
}
