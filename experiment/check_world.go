package experiment

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"gosmp/frames"
	"gosmp/internal/finding"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
)

// wiring checks the BIBI document and whether it matches the description.
func (c *checker) wiring() {
	src := c.d.BIBI.Src
	if src == "" || IsSystem(src) || find(c.files, src) != nil {
		return
	}
	document, err := ReadFile(c.files, src)
	if err != nil {
		c.broken("EX10", c.d.BIBI.Position, fmt.Sprintf("%s cannot be read: %v", src, err), "")
		return
	}
	b, list := ReadBIBI(src, document, c.options.Options)
	c.list = append(c.list, list...)
	if b == nil {
		return
	}
	c.bibi = b
	sub := &checker{scanner: scanner{file: src, strict: c.strict}, d: c.d, files: below(c.files,
		src), bibi: b, entities: c.entities}
	sub.missing(b.Named())
	sub.bodies()
	sub.ends()
	c.list = append(c.list, sub.list...)
}

// below returns the directory of a file, to which the names in the file are relative.
func below(files fs.FS, src string) fs.FS {
	name, err := clean(src)
	if err != nil || path.Dir(name) == "." {
		return files
	}
	sub, err := fs.Sub(files, path.Dir(name))
	if err != nil {
		return files
	}
	return sub
}

// bodies compares the robots of the two documents.
func (c *checker) bodies() {
	robots := map[string]bool{}
	for _, b := range c.bibi.Bodies {
		robots[b.Robot] = true
		if slices.Contains(c.entities, b.Robot) {
			c.add("BI03", finding.Warning, b.Position, fmt.Sprintf(
				"the body of %q has no effect: the scenario defines it", b.Robot), "remove it")
			continue
		}
		if _, err := mocksim.ParseKind(b.Model); err != nil {
			c.add("BI03", finding.Warning, b.Position,
				fmt.Sprintf("gosmp cannot execute the body %q of %q", b.Model, b.Robot),
				"name a kind of vehicle, such as car")
		}
	}
	for _, p := range c.d.Environment.Poses {
		if !robots[p.Robot] && p.Robot != "" && c.entities == nil {
			c.deviates("BI04", Position{}, fmt.Sprintf("the robot %q of %s has no body", p.Robot,
				c.d.File), "add <bodyModel robotId=…>")
		}
	}
}

// ends checks that connections name participants.
func (c *checker) ends() {
	const most = 50 // names in a finding
	known, names := map[string]bool{}, []string{}
	for _, p := range c.bibi.FMUs {
		known[p.Name] = true
		names = append(names, p.Name)
	}
	for _, name := range c.entities {
		known[name] = true
		names = append(names, name)
	}
	for _, b := range c.bibi.Bodies {
		if !known[b.Robot] {
			known[b.Robot] = true
			names = append(names, b.Robot)
		}
	}
	expected := "write participant.variable, with one of " +
		strings.Join(names[:min(most, len(names))], ", ")
	for _, p := range c.bibi.FMUs {
		drives := func(q RobotPose) bool { return q.Robot == p.Drives }
		switch {
		case p.Drives == "" || slices.Contains(c.entities, p.Drives):
		case c.entities != nil:
			c.broken("BI04", p.Position, fmt.Sprintf("%s drives %q, which is not an entity of %s",
				p.Name, p.Drives, c.d.Environment.Src), "expected one of "+
				strings.Join(c.entities, ", "))
		case !slices.ContainsFunc(c.d.Environment.Poses, drives):
			c.broken("BI04", p.Position, fmt.Sprintf("%s drives %q, which is not a vehicle of %s",
				p.Name, p.Drives, c.d.File), "write the robotId of a <robotPose>")
		}
	}
	for _, x := range c.bibi.Connections {
		for _, end := range []string{x.From, x.To} {
			_, variable, found := CutOwner(end, func(name string) bool { return known[name] })
			if !found || variable == "" {
				c.broken("BI04", x.Position, fmt.Sprintf("%q is not a variable of a participant",
					end), expected)
			}
		}
	}
}

// world checks the map and that vehicles start on it.
func (c *checker) world() {
	src := c.d.Environment.Src
	if !IsMap(src) || find(c.files, src) != nil {
		return
	}
	document, err := ReadFile(c.files, src)
	if err != nil {
		c.broken("EX08", c.d.Environment.Position, fmt.Sprintf("%s cannot be read: %v", src,
			err), "")
		return
	}
	m, err := opendrive.Read(src, bytes.NewReader(document))
	if err != nil {
		c.broken("EX08", c.d.Environment.Position, fmt.Sprintf("%s is not a map: %v", src, err),
			"run gosmp check on it")
		return
	}
	for _, f := range m.Check() {
		if f.Severity >= finding.Warning {
			c.list = append(c.list, f)
		}
	}
	for _, p := range c.d.Environment.Poses {
		if place := m.Locate(frames.Vector{X: p.X, Y: p.Y}); !place.OnRoad() {
			c.add("EX08", finding.Warning, p.Position,
				fmt.Sprintf("the robot %q starts at (%g, %g), off the roads of %s", p.Robot, p.X,
					p.Y, src), "correct the pose")
		}
	}
}
