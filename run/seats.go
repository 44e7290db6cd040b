package run

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gosmp/importer/system"
	"gosmp/mocksim/participant"
	"gosmp/run/usage"
)

// placed is a model that drives an actor of a map, or that is mounted at it as a sensor.
type placed struct {
	option      string // that places it
	world       string // the part of the map
	actor, part string
	drives      bool
}

// place finds the models of --drive and --on among the files, and adds the missing ones.
// It returns all files.
func (r *Simulation) place() (files []string, err error) {
	o := &r.Options
	files = slices.Clone(o.Files)
	taken := map[int]bool{}
	for _, f := range []struct {
		option string
		list   []Assignment
		drives bool
	}{{"--drive", o.Drive, true}, {"--on", o.On, false}} {
		for _, a := range f.list {
			var k int
			if k, files, err = seated(f.option, a, files, taken); err != nil {
				return nil, err
			}
			if r.names, _, err = system.Names(files); err != nil {
				return nil, err
			}
			x := placed{option: f.option, part: r.names[k], drives: f.drives}
			if x.world, x.actor, err = r.actorOf(f.option, a.Variable, files); err != nil {
				return nil, err
			}
			r.placed = append(r.placed, x)
		}
	}
	r.names, _, err = system.Names(files)
	return files, err
}

// seated returns the index of the file that an option places. It adds the file if it is missing.
func seated(option string, a Assignment, files []string, taken map[int]bool) (int, []string,
	error) {
	names, paths, err := system.Names(files)
	if err != nil {
		return 0, nil, err
	}
	for k := range files {
		if (names[k] == a.Value || paths[k] == a.Value) && !isMap(paths[k]) && !taken[k] {
			taken[k] = true
			return k, files, nil
		}
	}
	_, file := system.Named(a.Value)
	if err := usage.Exists(file); err != nil {
		return 0, nil, err
	}
	if isMap(file) || isStructure(file) {
		return 0, nil, usage.Unexpected(option, a.text(), "an FMU, as in ego=driver.fmu")
	}
	taken[len(files)] = true
	return len(files), append(files, a.Value), nil
}

// actorOf splits MAP.ACTOR. With a single map, the name of the actor is enough.
func (r *Simulation) actorOf(option, text string, files []string) (world, actor string, err error) {
	var worlds []string
	for k, argument := range files {
		if _, file := system.Named(argument); isMap(file) {
			worlds = append(worlds, r.names[k])
		}
	}
	for _, name := range worlds {
		if actor, is := strings.CutPrefix(text, name+"."); is {
			return name, actor, nil
		}
	}
	if len(worlds) == 1 {
		return worlds[0], text, nil
	}
	return "", "", usage.Unexpected(option, fmt.Sprintf("%q", text),
		"MAP.ACTOR, as there are the maps "+strings.Join(worlds, ", "))
}

// seats returns the actors of a map that have models or are named by connections.
func (r *Simulation) seats(world string) (list []string) {
	add := func(actor string) {
		if !slices.Contains(list, actor) {
			list = append(list, actor)
		}
	}
	for _, x := range r.placed {
		if x.world == world {
			add(x.actor)
		}
	}
	o := &r.Options
	var texts []string
	for _, c := range o.Connections {
		texts = append(texts, c.From, c.To)
	}
	for _, a := range slices.Concat(o.OutputMessages, o.InputMessages) {
		texts = append(texts, a.Variable)
	}
	for _, text := range texts {
		rest, is := strings.CutPrefix(text, world+".")
		for _, variable := range participant.SeatNames() {
			if actor, _, found := strings.Cut(rest, "."+variable); is && found {
				add(actor)
			}
		}
	}
	slices.Sort(list)
	return list
}

// connectSeats connects models to their actors, and warns of drivers without an actor.
func (r *Simulation) connectSeats() error {
	for _, x := range r.placed {
		seat := r.seat(x.world, x.actor)
		if !x.drives {
			seat.Update, seat.Motion, seat.Command, seat.Answer = "", "", "", ""
		}
		if err := r.System.Place(r.System.Part(x.part), seat); err != nil {
			return usage.Invalid(x.option+" "+x.actor+"="+x.part, err)
		}
	}
	if len(r.maps) == 0 {
		return nil
	}
	r.serveConnected()
	r.System.ConnectInits(participant.InitName)
	for _, p := range r.System.FreeDrivers() {
		r.System.Warnings = append(r.System.Warnings, fmt.Sprintf(
			"%s moves nothing, because its TrafficUpdates are not connected; --drive "+
				"%s=%s lets it drive",
			p.Name, HostName, p.Name))
	}
	return nil
}

// seat returns the place of a driver at an actor.
func (r *Simulation) seat(world, actor string) system.Seat {
	at := func(name string) string { return actor + "." + name }
	view := participant.ViewName
	if actor != HostName {
		view = at(view)
	}
	return system.Seat{World: r.System.Part(world), View: view, Data: at(participant.DataName),
		Stream: at(participant.StreamName), Update: at(participant.UpdateName),
		Motion: at(participant.MotionName), Command: at(participant.CommandName),
		Answer: at(participant.AnswerName)}
}

// serveConnected gives drivers that connections bring to an actor what --drive would give them.
func (r *Simulation) serveConnected() {
	for _, m := range r.maps {
		world := m.part.Name
		for _, actor := range r.seats(world) {
			seat := r.seat(world, actor)
			p := cmp.Or(r.System.DriverOf(m.part, seat.Update),
				r.System.DriverOf(m.part, seat.Motion))
			if p == nil || slices.ContainsFunc(r.placed, func(x placed) bool {
				return x.world == world && x.actor == actor && x.drives
			}) {
				continue
			}
			r.placed = append(r.placed, placed{world: world, actor: actor, part: p.Name,
				drives: true})
			r.System.Serve(p, seat)
		}
	}
}

// driven returns the actors that models drive, for the summary of a map.
func (r *Simulation) driven(world string) (list []Driven) {
	for _, x := range r.placed {
		if x.world == world && x.drives {
			list = append(list, Driven{x.actor, x.part})
		}
	}
	slices.SortFunc(list, func(a, b Driven) int { return cmp.Compare(a.Actor, b.Actor) })
	return list
}

// Driven is an actor of a map with the FMU that drives it.
type Driven struct {
	Actor string `json:"actor"`
	FMU   string `json:"fmu"`
}
