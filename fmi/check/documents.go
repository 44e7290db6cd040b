package check

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/finding"
	"gosmp/internal/xmldoc"
)

// documents checks documentation, licenses, pictures, terminals, sources (D1 to D6) and manifests
// of layered standards (Z8).
func (x *examiner) documents() {
	x.page()
	x.licences()
	for _, name := range []string{"model.png", "terminalsAndIcons/icon.png"} {
		content, err := x.content(name)
		if err == nil && !bytes.HasPrefix(content, []byte("\x89PNG\r\n\x1a\n")) {
			x.warn("D3", in(name), fact{what: "not a PNG picture", found: begins(content),
				expected: `"\x89PNG" at the beginning`})
		}
	}
	if content, err := x.content("terminalsAndIcons/icon.svg"); err == nil &&
		!bytes.Contains(content, []byte("<svg")) {
		x.warn("D3", in("terminalsAndIcons/icon.svg"), fact{what: "not an SVG picture",
			found: begins(content), expected: "an element <svg>"})
	}
	if x.has("terminalsAndIcons/icon.svg") && !x.has("terminalsAndIcons/icon.png") {
		x.warn("D3", in("terminalsAndIcons/icon.svg"), fact{what: "an SVG icon without a PNG icon",
			expected: "icon.png, which every host can show"})
	}
	x.terminals()
	x.sources()
	x.manifests()
}

func begins(content []byte) string {
	const most = 8
	return fmt.Sprintf("%q at the beginning", content[:min(most, len(content))])
}

var link = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?is)<(?:a|link|img|script|iframe)\s[^>]*?(?:href|src)\s*=\s*["']([^"']*)["']`)
})

var comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<!--.*?-->`) })

// page checks the start page of the documentation and its links (D1).
func (x *examiner) page() {
	d := x.fmu.Documentation
	const wanted = "documentation/index.html"
	switch {
	case d.Entry != "":
	case len(d.Files) > 0:
		x.warn("D1", in("documentation"), fact{what: "no start page", expected: wanted})
		return
	default:
		x.remark("D1", in("documentation"), fact{what: "no documentation", expected: wanted})
		return
	}
	content, err := x.content(d.Entry)
	if err != nil {
		return
	}
	seen := map[string]bool{}
	for _, m := range link().FindAllSubmatch(comment().ReplaceAll(content, nil), -1) {
		target, err := url.Parse(string(m[1]))
		if err != nil || target.Scheme != "" || target.Host != "" || target.Path == "" ||
			seen[target.Path] ||
			strings.HasPrefix(target.Path, "/") || strings.ContainsAny(target.Path, "{$") {
			continue
		}
		seen[target.Path] = true
		if file := path.Join(path.Dir(d.Entry), target.Path); !x.has(file) {
			x.warn("D1", in(d.Entry), fact{what: "a link that leads nowhere",
				found:    quoted(target.Path),
				expected: "a file of the FMU, " + quoted(file)})
		}
	}
}

// licences checks that there is a main license file (D2).
func (x *examiner) licences() {
	d := x.fmu.Documentation
	wanted := "license.txt or license.html"
	if x.major >= fmi.FMI3 {
		wanted = "license.txt, license.html or license.spdx"
	}
	switch {
	case d.LicenseEntry != "":
	case len(d.Licenses) > 0:
		x.note("D2", in("documentation/licenses"), fact{what: "no main licence file",
			expected: wanted})
	case x.model.License != "":
		x.remark("D2", x.at(x.root), fact{what: "a licence without its text",
			found:    quoted(x.model.License),
			expected: "documentation/licenses/" + wanted})
	default:
		x.remark("D2", in("documentation/licenses"), fact{what: "no licence", expected: wanted})
	}
}

// within returns an examiner for another document of the FMU, whose findings all belong to one
// rule.
func (x *examiner) within(document, row string) *examiner {
	other := *x
	other.document, other.row, other.language, other.list = document, row, fmi.FMI3, nil
	return &other
}

// tree reads the document, or reports why it is not XML. It returns nil if there is none.
func (x *examiner) tree() *xmldoc.Node {
	content, err := x.content(x.document)
	if err != nil {
		return nil
	}
	n, err := archive.ReadTree(bytes.NewReader(content))
	if err != nil {
		x.unreadable(err)
		return nil
	}
	return n
}

// read reads another XML document of the FMU and checks its grammar.
func (x *examiner) read(root string) *xmldoc.Node {
	n := x.tree()
	if n == nil {
		return nil
	}
	if n.Name != root {
		x.error(x.row, x.at(n), fact{what: "root element", found: "<" + n.Name + ">",
			expected: "<" + root + ">"})
		return nil
	}
	x.schema(n)
	if version := n.Value("fmiVersion"); version != "" && !isVersion3(version) {
		x.error(x.row, x.at(n), fact{what: "fmiVersion", found: quoted(version), expected: "3.0"})
	}
	return n
}

// sources checks that all source files exist (D5).
func (x *examiner) sources() {
	if x.major == fmi.FMI2 {
		x.sourceFiles()
	}
	y := x.within("sources/buildDescription.xml", "D5")
	if n := y.read("fmiBuildDescription"); n != nil {
		y.configurations(n)
	}
	x.list = append(x.list, y.list...)
	if x.major >= fmi.FMI3 && len(x.fmu.Sources) > 0 &&
		x.entries["sources/buildDescription.xml"] == nil {
		x.warn("D5", in("sources"), fact{what: "sources without sources/buildDescription.xml",
			expected: "this file, which describes how to compile them"})
	}
	if len(x.fmu.Platforms) == 0 && len(x.fmu.Sources) > 0 {
		x.add(finding.Note, "C2", in("binaries"), fact{what: "sources only",
			remedy: "hosts that do not compile cannot run this FMU"})
	}
}

func (x *examiner) sourceFiles() {
	for _, n := range x.root.Children("ModelExchange", "CoSimulation") {
		x.sourceList(n.Child("SourceFiles").Children("File"))
	}
}

// sourceList checks a list of files, whose paths are relative to sources/. All missing files are
// reported in one finding, because usually either all or none are missing.
func (x *examiner) sourceList(list []*xmldoc.Node) {
	var missing []string
	var first *xmldoc.Node
	for _, n := range list {
		name := n.Value("name")
		full := path.Join("sources", name)
		if name == "" || x.has(full) && strings.HasPrefix(full, "sources/") {
			continue
		}
		if missing = append(missing, name); first == nil {
			first = n
		}
	}
	if first != nil {
		x.error("D5", x.at(first), fact{what: "missing source files",
			found:    listed(missing),
			expected: "them in sources/"})
	}
}

// configurations checks the content of buildDescription.xml (D5).
func (x *examiner) configurations(n *xmldoc.Node) {
	if version := n.Value("fmiVersion"); isVersion3(version) && x.major == fmi.FMI3 &&
		isVersion3(x.model.FMIVersion) && minor(version) != minor(x.model.FMIVersion) {
		x.error("D5", x.at(n), fact{what: "fmiVersion", found: quoted(version),
			expected: quoted(x.model.FMIVersion) + ", as in the model description"})
	}
	identifiers := x.model.ModelIdentifiers()
	for _, c := range n.Children("BuildConfiguration") {
		if name, stated := c.Attribute("modelIdentifier"); stated && len(identifiers) > 0 &&
			!slices.Contains(identifiers, name) {
			x.error("D5", x.at(c), fact{what: "modelIdentifier", found: quoted(name),
				expected: orList(identifiers)})
		}
		for _, set := range c.Children("SourceFileSet") {
			x.sourceList(set.Children("SourceFile", "IncludeDirectory"))
		}
	}
}

// minor returns the part of a version that determines the allowed content of a document, such as
// 3.0 for 3.0.2.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}
