package play

import (
	"slices"
	"strings"
)

// News is something that happened in a run: a transition, a note, or the end of the run.
type News struct {
	// Kind is "event.start", with the kind of the element and start, end, stop or skip; "note"; or
	// "over".
	Kind string
	Time float64 // s
	// Name and Path are the name and the path of the element. For a note, Name is the kind of the
	// note.
	Name, Path string
	// Text is the cause of a transition, the text of a note, or the reason why the run is over.
	Text          string
	Entity, Other string // of a note
}

// Reader reads the news of a run, each item once.
type Reader struct {
	player        *Player
	events, notes int
	over          bool
	list          []News
}

// Reader returns a new reader, which starts with the first item of news.
func (p *Player) Reader() *Reader { return &Reader{player: p} }

// Read returns the news since the last call: transitions, then notes, then the end. The result is
// valid until the next call.
func (r *Reader) Read() []News {
	r.list = r.list[:0]
	result := r.player.result
	for k := range result.Events[r.events:] {
		e := &result.Events[r.events+k]
		x := elementOf(e.Element)
		r.list = append(r.list, News{
			Kind: x.Kind + "." + strings.TrimSuffix(e.Transition, "Transition"), Time: e.Time,
			Name: x.Name, Path: x.Path, Text: e.Cause})
	}
	for k := range result.Notes[r.notes:] {
		n := &result.Notes[r.notes+k]
		r.list = append(r.list, News{Kind: "note", Time: n.Time, Name: n.Kind, Text: n.Text,
			Entity: n.Entity, Other: n.Other})
	}
	r.events, r.notes = len(result.Events), len(result.Notes)
	if result.EndedBy != "" && !r.over {
		r.over = true
		r.list = append(r.list, News{Kind: "over", Time: r.player.board.Now(),
			Text: result.EndedBy})
	}
	return r.list
}

// Reasons returns the texts of the news that a run is over.
func Reasons() []string {
	return []string{exitSuccess, exitFailure, stopTrigger, complete, duration, interruption,
		failure}
}

// Element is an element of the storyboard, with the kind, name and path that it has in [News].
type Element struct{ Kind, Name, Path string }

// elementOf splits the kind and path of an element.
func elementOf(text string) Element {
	kind, path, _ := strings.Cut(text, " ")
	return Element{Kind: kind, Name: path[strings.LastIndex(path, ":")+1:], Path: path}
}

// Elements returns the elements of the storyboard and the actions of Init, all of which may occur
// in the news.
func (p *Player) Elements() (list []Element) {
	for _, e := range slices.Concat(p.board.Elements(), p.board.Init()) {
		list = append(list, elementOf(e.String()))
	}
	return list
}
