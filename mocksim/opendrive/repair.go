package opendrive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/xmledit"
	"gosmp/internal/xmltext"
)

// Repaired is a map after correcting the faults whose correction follows from the map itself.
type Repaired struct {
	Name    string   // the name of the map that was read
	Text    []byte   // the text of the repaired map in UTF-8; as read if nothing was changed
	Changes []Change // in file order
	// Left lists what [Map.Check] finds in the repaired map, without notes. Lines refer to Text.
	Left finding.List
}

// Change is one correction.
type Change struct {
	Rule  string      // the rule of [Map.Check] that was broken
	Place fault.Place // its place in the file that was read
	What  string      // what was done
}

// String returns the change as one line: place, correction, and rule in brackets.
func (c *Change) String() string { return c.Place.String() + ": " + c.What + " [" + c.Rule + "]" }

// maxRepairs limits the passes over a map: one correction can make another one possible.
const maxRepairs = 8

// Repair corrects the faults of a map that have only one possible correction:
//
//   - elements and records out of order, and records that another record at the same place
//     overrides;
//   - words that differ from a word of the standard in case or one letter, and missing zeros;
//   - links without a way back, at the wrong end of a road, or to things that do not exist;
//   - lane links that the junction or the geometry implies, or that no traffic can use;
//   - connections that are split or repeated.
//
// The rest of the text is kept. Repair never changes positions, lengths and signs. It fails with
// [ErrMap] if [Read] does.
func Repair(name string, text []byte) (*Repaired, error) {
	r, err := newRepair(name, text)
	if err != nil {
		return nil, err
	}
	for range maxRepairs {
		done := len(r.changes)
		if err := r.once(); err != nil {
			return nil, err
		}
		if len(r.changes) == done {
			break
		}
	}
	out := &Repaired{Name: name, Text: r.text, Changes: r.changes}
	if len(r.changes) == 0 {
		out.Text = text
	}
	for _, f := range r.m.Check() {
		if f.Severity != finding.Note {
			out.Left = append(out.Left, f)
		}
	}
	slices.SortStableFunc(out.Changes, func(a, b Change) int {
		return cmp.Compare(a.Place.Line, b.Place.Line)
	})
	return out, nil
}

// repair is a repair in progress: a map and the document from which it was read.
type repair struct {
	name      string
	doc       *xmledit.Document
	text      []byte // the text of the document
	m         *Map
	roads     map[string]*xmledit.Element
	junctions map[string]*xmledit.Element
	changes   []Change

	sections  map[*Section]*xmledit.Element // of the roads in seen
	seen      map[*Road]bool
	entrances map[string][]entrance // connections by their incoming roads; nil until needed
	ends      map[target][]int      // numbers of ends of roads, two for each; nil until needed
	leading   map[roadEnd]int       // the number of roads that lead to an end; nil until needed
}

func newRepair(name string, text []byte) (*repair, error) {
	r := &repair{name: name}
	if _, err := Read(name, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	utf8, err := xmltext.UTF8(text)
	if err != nil {
		return nil, fault.Wrap(ErrMap, fault.In(name), err)
	}
	expanded, err := xmltext.Expanded(utf8) // elements are corrected as they are read
	if err != nil {
		return nil, fault.Wrap(ErrMap, fault.In(name), err)
	}
	if r.doc, err = xmledit.Parse(expanded); err != nil {
		return nil, fault.Wrap(ErrMap, fault.In(name), err)
	}
	if !bytes.HasSuffix(text, utf8) {
		r.doc.DeclareUTF8()
	}
	return r, r.read()
}

// read reads the map from the document.
func (r *repair) read() (err error) {
	r.text = r.doc.Bytes()
	r.m, err = Read(r.name, bytes.NewReader(r.text))
	r.roads, r.junctions = map[string]*xmledit.Element{}, map[string]*xmledit.Element{}
	r.sections, r.seen = map[*Section]*xmledit.Element{}, map[*Road]bool{}
	r.ends, r.leading, r.entrances = nil, nil, nil
	for _, e := range r.doc.Root.Children() {
		switch e.Name {
		case "road":
			r.roads[e.Get("id")] = e
		case "junction":
			r.junctions[e.Get("id")] = e
		}
	}
	return err
}

// once makes one pass over the map. Corrections of the same kind do not affect each other; the map
// is read again before each kind.
func (r *repair) once() error {
	for _, kind := range []func(){r.schema, r.order, r.roadLinks, r.junctionLinks, r.laneLinks,
		r.connections} {
		done := len(r.changes)
		if kind(); len(r.changes) > done {
			if err := r.read(); err != nil {
				return errors.Join(fmt.Errorf("after the changes %v", r.changes[done:]), err)
			}
		}
	}
	return nil
}

// change records a correction of an element.
func (r *repair) change(rule, object, what string, e *xmledit.Element) {
	r.changes = append(r.changes, Change{Rule: rule, What: what,
		Place: fault.Place{File: r.name, Line: e.Line, Object: object}})
}

// sectionElement returns the element of a section, nil for the second part of a divided one.
func (r *repair) sectionElement(s *Section) *xmledit.Element {
	if !r.seen[s.Road] {
		r.seen[s.Road] = true
		r.findSections(s.Road)
	}
	return r.sections[s]
}

// findSections finds the elements of the sections of a road.
func (r *repair) findSections(road *Road) {
	e := r.roads[road.ID]
	if e == nil {
		return
	}
	var list []*xmledit.Element
	for _, lanes := range e.Named("lanes") {
		list = append(list, lanes.Named("laneSection")...)
	}
	for _, s := range road.Sections {
		if !s.divided && len(list) > 0 {
			r.sections[s], list = list[0], list[1:]
		}
	}
}

// laneElement returns the element of a lane, nil if its section inherits the lane from the previous
// section.
func (r *repair) laneElement(l *Lane) *xmledit.Element {
	section := r.sectionElement(l.Section)
	if section == nil {
		return nil
	}
	for _, side := range section.Children() {
		for _, e := range side.Named("lane") {
			if id, err := parseWhole(e.Get("id")); err == nil && id == l.ID {
				return e
			}
		}
	}
	return nil
}
