package experiment

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"gosmp/internal/finding"
)

// CheckOptions configure a check.
type CheckOptions struct {
	Options
	// SeedCompatible ignores SCXML machines with a warning, as the platform does (EX13).
	SeedCompatible bool
}

// Check reads a description and everything it names, and reports all problems that can be found
// without running it. The description is nil if the document is not an ExD. The argument files is
// the directory of the description.
func Check(file string, document []byte, files fs.FS, o CheckOptions) (*Description, Findings) {
	d, list := Read(file, document, o.Options)
	if d == nil {
		return nil, list
	}
	c := &checker{scanner: scanner{file: file, space: Namespace, strict: o.Strict}, d: d,
		files: files, options: o}
	c.missing(d.Named())
	c.notExecuted()
	c.cast()
	c.wiring()
	c.world()
	c.machines()
	c.list.Sort()
	return d, append(list, c.list...)
}

type checker struct {
	scanner
	d       *Description
	files   fs.FS
	options CheckOptions
	bibi    *BIBI
	events  []string             // that machines may receive from outside; nil: any
	judged  map[judgedChart]bool // charts already checked
	// of the scenario used as the environment; nil without a scenario
	entities []string
	charts   map[string]inspected // by file
}

// missing reports files that do not exist, as an error if the experiment cannot run without them.
func (c *checker) missing(list []Named) {
	for _, n := range list {
		if err := find(c.files, n.Src); err != nil {
			message := fmt.Sprintf("%s names the file %q: %v", n.What, n.Src, err)
			remedy := "correct the name, or put the file there"
			if n.Rule == "BI04" { // FMUs are also looked up in libraries
				remedy = "correct the name, put the file there, or name its folder with " +
					"--library-path"
			}
			if n.Needed {
				c.broken(n.Rule, n.Position, message, remedy)
			} else {
				c.deviates(n.Rule, n.Position, message, remedy)
			}
		}
	}
}

// notExecuted reports the parts that are only kept and shown, each once (EX23, EX17).
func (c *checker) notExecuted() {
	d := c.d
	if d.Launch != nil {
		c.add("EX17", finding.Warning, d.Launch.Position,
			fmt.Sprintf("rosLaunch %q is ignored: gosmp launches no ROS nodes", d.Launch.Src), "")
	}
	var kept []string
	for name, given := range map[string]bool{"visualModel": d.Visual != nil,
		"skinModel": d.Skin != nil, "cameraPose": d.Camera != nil,
		"gzbridgesettings": d.Bridge != nil, "configuration": len(d.Configurations) > 0} {
		if given {
			kept = append(kept, name)
		}
	}
	if slices.Sort(kept); len(kept) > 0 {
		c.add("EX23", finding.Note, Position{}, strings.Join(kept, ", ")+
			": kept and shown, but not executed", "")
	}
	if src := d.Environment.Src; src != "" && !IsMap(src) && !IsScenario(src) {
		c.add("EX23", finding.Warning, d.Environment.Position,
			fmt.Sprintf("gosmp cannot execute the environment %q", d.Environment.Src),
			"name an OpenDRIVE map (.xodr), or a scenario (.xosc)")
	}
	if n := d.BIBI.Processes; n > 1 {
		c.add("EX23", finding.Note, d.BIBI.Position,
			fmt.Sprintf(
				"processes is %d, which has no effect: gosmp runs each FMU in its own process",
				n), "")
	}
	if d.Physics == "opensim" {
		c.add("EX23", finding.Note, d.PhysicsAt,
			"physicsEngine opensim is passed on, but gosmp's simulator has only one engine", "")
	}
}
