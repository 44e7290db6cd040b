package opendrive

import (
	"fmt"

	"gosmp/internal/finding"
)

// objects checks where objects are and how large they are. Their parts are checked as they are
// read.
func (c *checker) objects(r *Road) {
	for _, o := range r.Objects {
		if _, err := r.clip(o.S); err != nil {
			c.add("X-OBJECT", finding.Warning, o.line, o.of(r),
				fmt.Sprintf("s = %g, the road has %g m", o.S, r.Length), "move it onto the road")
		}
		if o.Radius > 0 && (o.Length > 0 || o.Width > 0) {
			c.add("X-OBJECT", finding.Warning, o.line, o.of(r),
				"radius together with length or width", "use only one of them")
		}
	}
}

// orientations counts the objects without an orientation, in one note, because most objects do not
// need one.
func (c *checker) orientations() {
	var first *Object
	var of *Road
	n := 0
	for _, r := range c.m.Roads {
		for _, o := range r.Objects {
			if o.oriented {
				continue
			}
			if n++; n == 1 {
				first, of = o, r
			}
		}
	}
	if n > 0 {
		c.add("X-OBJECT", finding.Note, first.line, first.of(of),
			fmt.Sprintf("%s without orientation, valid for both directions", counted(n, "object")),
			"add orientation if traffic obeys the object")
	}
}
