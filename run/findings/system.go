package findings

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"gosmp/importer"
	"gosmp/importer/examine"
	"gosmp/importer/ssp"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	osmpcheck "gosmp/osmp/check"
	"gosmp/run/content"
	"gosmp/run/kind"
)

// Part is the examination of an FMU or a connection of a system.
type Part struct {
	Components []string // that use this FMU, or that are connected
	Connection string   // "a.MessageOut -> b.MessageIn"; "" for an FMU
	Report     *examine.Report
	Folder     string // a name for the folder of files about this part
}

// checkSystem checks a System Structure and Parameterization file. With --run, it also runs and
// examines the FMU of each component.
func (c *checker) checkSystem(in *content.File) (*Result, error) {
	if in.Piped {
		return nil, errSystemPiped
	}
	o := ssp.Options{Variant: c.Variant, Library: c.Library, For: c.For, Examine: osmpcheck.Read}
	list, err := ssp.Check(in.Name, o)
	if err != nil {
		return nil, err
	}
	if !c.Examine {
		return c.judge(in, kind.System, list), nil
	}
	read := list
	if c.Found != nil {
		c.Found(read)
	}
	parts, err := c.runComponents(in.Name, o)
	for k := range parts {
		list = append(list, parts[k].findings(in.Name)...)
	}
	result := c.judge(in, kind.System, list)
	result.Parts, result.Read = parts, read
	return result, err
}

// runComponents examines each FMU of a system once, however many components use it. FMUs that
// cannot be read are already among the findings of the system. An FMU that cannot be run here is an
// error, but does not prevent the examination of the others.
func (c *checker) runComponents(name string, o ssp.Options) (parts []Part, err error) {
	s, _, err := ssp.Load(name, o)
	if s == nil {
		return nil, err
	}
	defer func() { _ = s.Close() }() // only read
	folder, err := os.MkdirTemp("", "gosmp-check-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // its files are no longer needed
	if err := s.Unpack(folder); err != nil {
		return nil, err
	}
	var files []string
	components := map[string][]string{}
	for _, component := range s.Components {
		if component.FMU == nil {
			continue
		}
		if components[component.File] == nil {
			files = append(files, component.File)
		}
		components[component.File] = append(components[component.File], component.Name)
	}
	wires := messageWires(s)
	share := &share{end: time.Now().Add(c.Time),
		left: len(files) + len(wires)}
	var refused error
	for k, file := range files {
		p := Part{Components: components[file], Folder: folderName(k+1, components[file][0])}
		p.Report, err = c.examine(file, share.next(), func(f finding.Finding) {
			c.foundIn(&p, name, f)
		})
		switch {
		case errors.Is(err, importer.ErrInvalid):
			refused = errors.Join(refused, p.at(name, err))
			share.left -= len(wires)
			wires = slices.DeleteFunc(wires, func(w *ssp.Connection) bool {
				return slices.Contains(p.Components, w.From.Component) ||
					slices.Contains(p.Components, w.To.Component)
			})
			share.left += len(wires)
		case err != nil:
			return parts, errors.Join(err, refused)
		default:
			parts = append(parts, p)
		}
	}
	parts, err = c.runConnections(name, s, wires, share, parts)
	return parts, errors.Join(err, refused)
}

// at places an error about an unpacked FMU at the components in the system.
func (p *Part) at(system string, err error) error {
	var known *fault.Error
	if !errors.As(err, &known) {
		return err
	}
	placed := *known
	placed.Place = fault.Place{File: system, Object: p.Name()}
	return &placed
}

// foundIn reports findings in a part of a system.
func (c *checker) foundIn(p *Part, system string, list ...finding.Finding) {
	if c.Found == nil || len(list) == 0 {
		return
	}
	for k := range list {
		p.locate(&list[k], system)
	}
	c.Found(list)
}

// share divides the time of an examination among the FMUs and connections of a system. What one
// does not need is left for the others.
type share struct {
	end  time.Time
	left int
}

func (s *share) next() time.Duration {
	part := time.Until(s.end) / time.Duration(max(1, s.left))
	s.left--
	return max(part, time.Nanosecond) // 0 would be the default
}

// messageWires returns the message connections that are transferred in each step.
func messageWires(s *ssp.System) (list []*ssp.Connection) {
	for _, wire := range s.Connections {
		from, to := s.Component(wire.From.Component), s.Component(wire.To.Component)
		if wire.Message && !wire.Initial && from != nil && to != nil && from.FMU != nil &&
			to.FMU != nil {
			list = append(list, wire)
		}
	}
	return list
}

// runConnections examines connections and adds them to the parts.
func (c *checker) runConnections(system string, s *ssp.System, wires []*ssp.Connection,
	share *share, parts []Part) ([]Part, error) {
	for k, wire := range wires {
		from, to := s.Component(wire.From.Component), s.Component(wire.To.Component)
		name := fmt.Sprintf("%s -> %s", wire.From, wire.To)
		report, err := c.connection(name, examine.Handover{From: from.File, To: to.File,
			Out: wire.From.Connector, In: wire.To.Connector}, share.next())
		if err != nil {
			return parts, err
		}
		if len(report.Verdicts) > 0 {
			p := Part{Components: []string{from.Name, to.Name}, Connection: name, Report: report,
				Folder: folderName(len(parts)+k+1, "connection-"+wire.To.Component)}
			c.foundIn(&p, system, p.findings(system)...)
			parts = append(parts, p)
		}
	}
	return parts, nil
}

// folderName returns the name of a folder for the programs about a component, whose own name may
// contain any characters.
func folderName(number int, component string) string {
	return fmt.Sprintf("%d-%s", number, strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, component))
}

// Name returns the names of the components that use the FMU.
func (p *Part) Name() string {
	if p.Connection != "" {
		return "connection " + p.Connection
	}
	word := "component "
	if len(p.Components) > 1 {
		word = "components "
	}
	return word + strings.Join(p.Components, ", ")
}

// findings returns the findings of the examination, located at the components in the system. A
// connection may remain untested if its producer sends no message; its verdicts state this.
func (p *Part) findings(system string) finding.List {
	list := p.Report.Findings()
	if p.Connection != "" {
		list = slices.DeleteFunc(list, func(f finding.Finding) bool {
			return f.ID == examine.Untested
		})
	}
	for k := range list {
		p.locate(&list[k], system)
	}
	return list
}

// locate places a finding at the components in the system.
func (p *Part) locate(f *finding.Finding, system string) {
	f.Place.File, f.Place.Object = system, p.Name()
}
