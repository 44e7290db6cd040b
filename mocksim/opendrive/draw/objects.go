package draw

import (
	"fmt"
	"math"
	"strings"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// mostCopies limits the number of copies in a repetition with a tiny distance.
const mostCopies = 1000

// objects draws what stands on a road and next to it.
func (p *picture) objects(r *opendrive.Road) {
	for _, o := range r.Objects {
		if len(o.Repeats) == 0 {
			p.object(r, o)
			continue
		}
		for k := range o.Repeats {
			p.repeat(r, o, &o.Repeats[k])
		}
	}
}

// repeat draws copies of an object, or a strip along the road if the distance is 0.
func (p *picture) repeat(r *opendrive.Road, o *opendrive.Object, rep *opendrive.Repeat) {
	distance, strip := rep.Distance, rep.Distance <= 0
	if strip {
		distance = p.step
	}
	n := max(1, min(int(math.Floor(rep.Length/distance)), mostCopies))
	var left, right []frames.Vector
	for k := range n + 1 {
		share := float64(k) / float64(n)
		c := *o
		c.S, c.T = rep.S+float64(share*rep.Length), rep.StartT+float64(share*(rep.EndT-rep.StartT))
		if !strip {
			p.object(r, &c)
			continue
		}
		st, err := r.Station(min(c.S, r.Length))
		if err != nil {
			return
		}
		half := max(rep.StartWidth+float64(share*(rep.EndWidth-rep.StartWidth)), o.Width, 0.2) / 2
		left, right = append(left, st.Surface(c.T+half)), append(right, st.Surface(c.T-half))
	}
	p.area(o, append(left, reversed(right)...))
}

func reversed(list []frames.Vector) (turned []frames.Vector) {
	for k := len(list) - 1; k >= 0; k-- {
		turned = append(turned, list[k])
	}
	return turned
}

// object draws the outlines of an object, or else its box or circle.
func (p *picture) object(r *opendrive.Road, o *opendrive.Object) {
	pose, err := o.Pose(r)
	if err != nil {
		return
	}
	sin, cos := portable.Sincos(pose.Orientation.Yaw)
	local := func(u, v float64) frames.Vector {
		return frames.Vector{X: pose.Position.X + float64(u*cos) - float64(v*sin),
			Y: pose.Position.Y + float64(u*sin) + float64(v*cos)}
	}
	for _, outline := range o.Outlines {
		var rim []frames.Vector
		for _, c := range outline.Corners {
			if c.Local {
				rim = append(rim, local(c.U, c.V))
			} else if st, err := r.Station(c.S); err == nil {
				rim = append(rim, st.Surface(c.T))
			}
		}
		p.area(o, rim)
	}
	switch x, y := o.Length/2, o.Width/2; {
	case len(o.Outlines) > 0:
	case o.Radius > 0:
		p.area(o, circle(pose.Position, o.Radius))
	case x > 0 && y > 0:
		p.area(o, []frames.Vector{local(x, y), local(-x, y), local(-x, -y), local(x, -y)})
	}
}

func circle(at frames.Vector, r float64) (rim []frames.Vector) {
	const corners = 24
	for k := range corners {
		sin, cos := portable.Sincos(2 * math.Pi * float64(k) / corners)
		rim = append(rim, frames.Vector{X: at.X + float64(r*cos), Y: at.Y + float64(r*sin)})
	}
	return rim
}

// area draws the ground plan of an object: paint on the road as such, anything else as a body.
func (p *picture) area(o *opendrive.Object, rim []frames.Vector) {
	if len(rim) < 3 {
		return
	}
	class := "object"
	if o.Type == "roadMark" || o.Type == "crosswalk" {
		class = "paint"
	}
	fmt.Fprintf(&p.marks, "<path class=\"%s\" d=\"%sZ\"><title>%s</title></path>\n", class,
		p.line(rim),
		escape(strings.TrimSpace("object "+o.ID+" "+o.Name)))
}
