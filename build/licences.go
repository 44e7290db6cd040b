//go:build !fmucore

package build

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/fault"
	licencefiles "gosmp/internal/licence"
)

// licence is the licence of one part of the core.
type licence struct {
	Part string // name and version, for display
	File string // in documentation/licenses/
	text []byte
}

// licences lists the licences of the FMU: first its own, then the licences of everything that is
// linked into it.
type licences []licence

func (l licences) entries() (list []entry) {
	for _, x := range l {
		list = append(list, entry{name: "documentation/licenses/" + x.File, data: x.text})
	}
	return list
}

// parts returns the components that are linked into the cores: the modules, Go, and the code that
// zig itself adds to a library.
func (p *packing) parts() []module {
	list := slices.Concat(p.program.modules, []module{{Path: "Go standard library and runtime",
		Version: p.program.env.GOVERSION, Dir: p.program.env.GOROOT}})
	if p.zigHome == "" {
		return list
	}
	list = append(list, module{Path: "zig compiler runtime", Version: p.zigVersion, Dir: p.zigHome})
	if slices.ContainsFunc(p.program.targets, func(t *target) bool { return t.windows() }) {
		list = append(list, module{Path: "mingw-w64 runtime", Version: "of zig " + p.zigVersion,
			Dir: filepath.Join(p.zigHome, "lib", "libc", "mingw")})
	}
	return list
}

// licences collects the licence files of the program and of everything that is linked with it.
func (p *packing) licences() (licences, error) {
	var linked licences
	own := licence{Part: p.definition.ModelName, File: "license.txt"}
	for _, m := range p.parts() {
		text, err := licencefiles.Files(m.Dir)
		switch {
		case err != nil:
			return nil, err
		case m.Main:
			own.text = text
			continue
		case text == nil:
			p.say(
				"warning: no licence file in %s, which is linked in: its owner has to choose a "+
					"licence; the licence of your model is a separate matter",
				strings.TrimSpace(m.Path+" "+m.Version))
			text = []byte("This part carries no licence file.\n")
		}
		part := strings.TrimSpace(m.Path + " " + m.Version)
		name := strings.NewReplacer("/", "_", " ", "_").Replace(m.Path) + ".txt"
		linked = append(linked, licence{part, name, append([]byte(part+"\n\n"), text...)})
	}
	if err := p.ownLicence(&own); err != nil {
		return nil, err
	}
	return append(licences{own}, linked...), nil
}

// ownLicence determines the licence of the FMU itself: the chosen file, else the licence of its
// module, or the fact that it has none.
func (p *packing) ownLicence(own *licence) error {
	if p.License != "" {
		text, err := os.ReadFile(p.License)
		if err != nil {
			return fault.Wrap(ErrInput, fault.In(p.License), err).
				WithHint("-license requires the path of a text file")
		}
		own.text = text
	}
	if own.text == nil {
		own.text = []byte("The owner of " + own.Part + " has not chosen a licence.\n\n" +
			"Until then, only the owner may copy, change or distribute it. The third-party parts " +
			"that are linked into it\n" +
			"are covered by the licences in the files next to this one.\n")
	}
	return nil
}
