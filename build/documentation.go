//go:build !fmucore

package build

import (
	"bytes"
	_ "embed" // of the page
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/osmp"
)

//go:embed documentation.tmpl.html
var documentationTemplate string

// page is the data of documentation/index.html.
type page struct {
	*fmu.Definition
	Version3  bool // FMI 3.0
	Icon      string
	Groups    []group
	Messages  []message
	Parts     template.HTML // the author's own sections
	Licences  licences
	Resources []Resource
	Binaries  []binaries
	Bundled   []Bundled // the files that are in the FMU
}

// binaries are the libraries for one platform.
type binaries struct {
	Folder, Name        string
	Loader, Core, Glibc string
	Windows             bool
}

func (p *packing) binaries(v fmi.Version) (list []binaries) {
	for _, t := range p.program.targets {
		list = append(list, binaries{t.folderIn(v), t.name, p.loaderName(t), p.coreName(t, p.guid),
			t.glibc, t.windows()})
	}
	return list
}

// Where describes in words on which platforms the FMU runs.
func (p page) Where() string {
	text := ""
	for k, b := range p.Binaries {
		switch {
		case k > 0 && k == len(p.Binaries)-1:
			text += " and "
		case k > 0:
			text += ", "
		}
		text += b.Name
	}
	return text
}

// Windows reports whether the FMU runs there.
func (p page) Windows() bool {
	return slices.ContainsFunc(p.Binaries, func(b binaries) bool { return b.Windows })
}

// message is a notional binary variable of OSI Sensor Model Packaging.
type message struct {
	Name, MIMEType string
	Causality      fmi.Causality
	References     []fmi.ValueReference // base.lo, base.hi and size; only one in FMI 3.0
	variables      []*fmu.Variable
}

// Triple lists the references as Python would.
func (m message) Triple() string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(m.References)), ", "), "[]")
}

// documentation creates the FMU's index.html. The page is self-contained: no script, font or
// picture from elsewhere.
func (p *packing) documentation(e *edition, licences licences) ([]byte, error) {
	d := e.definition
	t, err := template.New("documentation").Funcs(template.FuncMap{
		"start": startOf, "limits": rangeOf,
	}).Parse(documentationTemplate)
	if err != nil {
		return nil, fmt.Errorf("documentation.tmpl.html: %w", err)
	}
	var b bytes.Buffer
	err = t.Execute(&b, page{
		Definition: d, Version3: e.version >= fmi.FMI3, Icon: iconName(e.version),
		Groups: groups(d), Messages: messages(d), Parts: template.HTML(p.Documentation),
		Licences: licences, Resources: p.Resources, Binaries: p.binaries(e.version),
		Bundled: p.carried(),
	})
	return b.Bytes(), err
}

// messages finds the binary variables by their annotations, in the order of their first integer.
func messages(d *fmu.Definition) (list []message) {
	for _, v := range d.Variables.All() {
		part, is := osmp.PartOf(v.Annotations)
		if !is {
			continue
		}
		k := slices.IndexFunc(list, func(m message) bool { return m.Name == part.Name })
		if k < 0 {
			k = len(list)
			list = append(list,
				message{Name: part.Name, MIMEType: part.MIMEType, Causality: v.Causality})
		}
		list[k].References = append(list[k].References, v.Reference(d.Standard()))
		list[k].variables = append(list[k].variables, v)
	}
	return list
}

// Reference returns the value reference of a variable.
func (p page) Reference(v *fmu.Variable) fmi.ValueReference { return v.Reference(p.Standard()) }

// TypeName returns the type of a variable, as named in the version of FMI.
func (p page) TypeName(v *fmu.Variable) string { return typeName(p.Definition, v) }

// FMI returns the name of the version.
func (p page) FMI() string { return p.Standard().String() }

// Output returns the first binary output, which the example reads; nil if there is none.
func (p page) Output() *message {
	for k := range p.Messages {
		if p.Messages[k].Causality == fmi.Output {
			return &p.Messages[k]
		}
	}
	return nil
}

// carried returns the bundled files that are packed into the FMU, original or replaced.
func (p *packing) carried() (list []Bundled) {
	for _, b := range p.Bundled {
		if slices.ContainsFunc(p.Resources, func(r Resource) bool { return r.Name == b.Name }) {
			list = append(list, b)
		}
	}
	return list
}
