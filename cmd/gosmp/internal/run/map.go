package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/fmi"
	"gosmp/importer/system"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/participant"
	"gosmp/mocksim/truth"
	"gosmp/run/kind"
)

// trafficFlags are the flags of run that only a map has.
type trafficFlags struct {
	Actors  int     `group:"Map" default:"${actors}" placeholder:"N" help:"Vehicles beside the host vehicle, placed on the lanes by --seed."`
	Speed   float64 `group:"Map" name:"traffic-speed" placeholder:"M/S" help:"Desired speed of all vehicles; by default the speed limits of the lanes."`
	Changes bool    `group:"Map" name:"lane-changes" help:"Vehicles change lanes where it pays."`
	Range   float64 `group:"Map" default:"${reach}" placeholder:"METRES" help:"Reach of the messages around the host vehicle; 0 is everything."`
}

// What a run proposes for a map if nothing else determines it.
const (
	DefaultActors = 10
	defaultReach  = 200
	mapStep       = 0.02
	mapStop       = 10
)

var defaultTraffic = trafficFlags{Actors: DefaultActors, Range: defaultReach}

// simulated is a map among the files of a run, with its simulator.
type simulated struct {
	part        *system.Part
	file        usedFile
	participant *participant.Participant
}

// isMap reports whether a file is an OpenDRIVE map.
func isMap(file string) bool {
	in := &inputfile.File{Name: file}
	return in.Kind() == kind.Map
}

// hasMap reports whether one of the files is a map.
func (c *Command) hasMap() bool {
	for _, argument := range c.Files {
		if _, file := system.Named(argument); isMap(file) {
			return true
		}
	}
	return false
}

// openMap makes a simulator from a map. It ignores other files.
func (r *Simulation) openMap(file string) (*system.Part, error) {
	if !isMap(file) {
		return nil, nil
	}
	content, err := r.readMapFile(file)
	if err != nil {
		return nil, err
	}
	c := r.Command
	t := mocksim.Traffic{Count: c.Actors, Host: HostName, Driver: mocksim.Driver{Speed: c.Speed}}
	if c.Changes {
		t.Driver.LaneChange = mocksim.ChangeWithMOBIL
	}
	s := &simulated{file: r.inputs[len(r.inputs)-1]}
	s.participant, err = participant.New(participant.Scene{
		Map: content, Options: mocksim.Options{Seed: c.Seed}, Truth: truth.Options{Host: HostName, Static: truth.Every, Range: c.Range},
		Actors: func(w *mocksim.World) error {
			err := w.Populate(t)
			if text := LackOfRoom(w, t); err == nil && text != "" {
				r.console.warn(text)
			}
			return err
		},
		Events: func(list []mocksim.Event) { r.happened(s, list) },
	})
	if err != nil {
		return nil, err
	}
	s.part = &system.Part{Other: s.participant, Units: participantUnits()}
	r.maps = append(r.maps, s)
	return s.part, nil
}

// LackOfRoom is a warning that a map has no room for all vehicles of a traffic that it was populated
// with, "" if it has.
func LackOfRoom(w *mocksim.World, t mocksim.Traffic) string {
	others := w.Len()
	if t.Host != "" {
		others--
	}
	if others >= t.Count {
		return ""
	}
	return fmt.Sprintf("the lanes of this map have room for %d of %d vehicles; ask for %d with --actors", others, t.Count, others)
}

// readMapFile reads a map and notes its hash.
func (r *Simulation) readMapFile(file string) (*opendrive.Map, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	hash := sha256.New()
	m, err := opendrive.Read(file, io.TeeReader(f, hash))
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(hash, f); err != nil { // what follows the last element
		return nil, err
	}
	r.inputs = append(r.inputs, usedFile{file, hex.EncodeToString(hash.Sum(nil))})
	return m, nil
}

// participantUnits are those of the variables of a simulator.
func participantUnits() []fmi.Unit {
	return []fmi.Unit{{Name: "m", M: 1}, {Name: "rad", Rad: 1}, {Name: "m/s", M: 1, S: -1}, {Name: "m/s2", M: 1, S: -2}}
}

// happened logs the events of a simulator.
func (r *Simulation) happened(s *simulated, list []mocksim.Event) {
	for k := range list {
		r.printed(s.part.Name, list[k].String())
	}
}

// proposeForMaps proposes steps and a stop time where no FMU does.
func (r *Simulation) proposeForMaps() {
	if len(r.maps) == 0 {
		return
	}
	for _, v := range []struct {
		value    *system.Value
		proposed float64
	}{{&r.System.Step, mapStep}, {&r.System.Stop, mapStop}} {
		if v.value.Origin == "" {
			*v.value = system.Value{Number: v.proposed, Origin: "the simulator's"}
		}
	}
}

// connectViews connects the messages of a map with the inputs for them that nothing else feeds. Of
// other messages it says which could be connected.
func (r *Simulation) connectViews() error {
	var fed []string
	for _, text := range r.Command.MessageFile {
		p, v, _, err := r.Named("--input-messages", text)
		if err != nil {
			return err
		}
		fed = append(fed, r.System.Label(p, v.Name))
	}
	if len(r.maps) > 0 {
		r.System.ConnectViews(fed...)
	}
	r.System.WarnOfFree(fed...)
	return nil
}

// checkTraffic refuses the flags of maps where there is none.
func (c *Command) checkTraffic() error {
	if flags := given(c.trafficFlags, defaultTraffic); len(flags) > 0 && !c.hasMap() {
		return cli.Unexpected(strings.Join(flags, ", "), strings.Join(c.Files, " "), "a map (OpenDRIVE) among the files")
	}
	return nil
}

// summaryMap is a map in the summary of a run.
type summaryMap struct {
	Name       string `json:"name"`
	Path       string `json:"path"`
	SHA256     string `json:"sha256"`
	Seed       uint64 `json:"seed"`
	Actors     int    `json:"actors"`
	Collisions int64  `json:"collisions"`
}

// summaries describe the maps of a run.
func (r *Simulation) summaries() (list []summaryMap) {
	for _, s := range r.maps {
		list = append(list, summaryMap{s.part.Name, s.file.Path, s.file.SHA256, r.Command.Seed, r.Command.Actors + 1, s.participant.Collisions()})
	}
	return list
}

// printMaps prints the results of the maps.
func (r *Simulation) printMaps() {
	for _, s := range r.maps {
		fmt.Printf("%s: %d actors, %d collisions\n", s.part.Name, r.Command.Actors+1, s.participant.Collisions())
	}
}

// hostName is the actor whose sensors are simulated, and viewName the output with its SensorView.
const (
	HostName = "ego"
	ViewName = "OSMPSensorViewOut"
)
