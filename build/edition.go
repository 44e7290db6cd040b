//go:build !fmucore

package build

import (
	"bytes"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/fmu/modeldescription"
	"gosmp/internal/fault"
)

// TwinSuffix ends the name, before the extension, of an FMU for FMI 3.0 that is packed together
// with one for FMI 2.0.
const TwinSuffix = "-fmi3"

// edition is the FMU for one version of FMI. The editions of a model have the same core and the
// same guid, so that editions in one process share the core.
type edition struct {
	version    fmi.Version
	output     string
	definition *fmu.Definition
	entries    []entry
}

// newPacking determines the definitions for the versions to pack.
func newPacking(d *fmu.Definition, c Config, work string) (*packing, error) {
	p := &packing{Config: c, work: work, definition: d}
	if d.Twin != nil {
		p.twin = d.Twin()
	}
	if len(c.Versions) == 0 {
		p.Versions = []fmi.Version{fmi.FMI2}
	}
	for _, v := range []fmi.Version{fmi.FMI2, fmi.FMI3} {
		if !slices.Contains(p.Versions, v) {
			continue
		}
		e := &edition{version: v, output: c.Output, definition: d}
		if v >= fmi.FMI3 {
			if e.definition = p.twin; e.definition == nil {
				return nil, fault.New(ErrUsage, fault.At("-fmi"), d.ModelName+
					", which is declared only for FMI 2.0", "").
					WithHint("declare it with model.Definition, which supports both versions")
			}
			if len(p.editions) > 0 {
				e.output = strings.TrimSuffix(c.Output, ".fmu") + TwinSuffix + ".fmu"
			}
		}
		p.editions = append(p.editions, e)
	}
	return p, nil
}

func (p *packing) definitions() (list []*fmu.Definition) {
	for _, e := range p.editions {
		list = append(list, e.definition)
	}
	return list
}

// fill collects the entries of the zip file.
func (p *packing) fill(e *edition, l licences, icon []byte) error {
	xml, err := modelDescription(e.definition, p.guid)
	if err != nil {
		return err
	}
	html, err := p.documentation(e, l)
	if err != nil {
		return err
	}
	e.entries = append(p.libraries(e.version), l.entries()...)
	e.entries = append(e.entries, entry{name: "modelDescription.xml", data: xml},
		entry{name: iconName(e.version), data: icon},
		entry{name: "documentation/index.html", data: html})
	if t := terminals(e.definition); t != nil {
		e.entries = append(e.entries,
			entry{name: terminalsFolder + "terminalsAndIcons.xml", data: t})
	}
	for _, r := range p.Resources {
		e.entries = append(e.entries, entry{name: "resources/" + r.Name, path: r.Path})
	}
	return nil
}

// iconName returns the path at which a version of FMI keeps the icon.
func iconName(v fmi.Version) string {
	if v >= fmi.FMI3 {
		return terminalsFolder + "icon.png"
	}
	return "model.png"
}

func modelDescription(d *fmu.Definition, guid string) ([]byte, error) {
	named := *d
	named.GUID = fmu.Token(guid, d.Standard())
	var b bytes.Buffer
	err := modeldescription.Render(&b, &named)
	return b.Bytes(), err
}
