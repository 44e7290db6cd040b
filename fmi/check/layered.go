package check

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/xmldoc"
)

// The file by which an FMU declares that it follows a layered standard, and the namespace of the
// attributes of its root element (FMI 3.0.2, 2.6).
const (
	manifestName      = "fmi-ls-manifest.xml"
	manifestNamespace = "http://fmi-standard.org/fmi-ls-manifest"
)

// isManifest reports whether a file is the manifest of a layered standard.
func isManifest(name string) bool {
	return strings.HasPrefix(name, "extra/") && path.Base(name) == manifestName
}

// manifests checks the manifests of layered standards (Z8). Each standard defines the content of
// its own; common to all are the attributes of the root element.
func (x *examiner) manifests() {
	var names []string
	for name := range x.entries {
		if isManifest(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		y := x.within(name, "Z8")
		if n := y.tree(); n != nil && x.major >= fmi.FMI3 {
			y.manifest(n, name)
		}
		x.list = append(x.list, y.list...)
	}
}

// manifest checks the root element of a manifest, and its place.
func (x *examiner) manifest(n *xmldoc.Node, file string) {
	x.object = "" // several manifests may have a root of the same name
	name := x.manifestAttribute(n, "fmi-ls-name", "the name of the standard, like org.example.name")
	x.manifestAttribute(n, "fmi-ls-version", "the version of the standard, like 1.0.0")
	x.manifestAttribute(n, "fmi-ls-description", "a sentence for users")
	parts := strings.Split(file, "/")
	switch {
	case len(parts) != 3:
		x.warn("Z8", in(file), fact{what: "the place of a manifest", found: quoted(file),
			expected: "extra/<folder of the standard>/" + manifestName,
			remedy:   "importers look for it only there"})
	case name == "":
	case !strings.Contains(name, "."):
		x.warn("Z8", x.at(n), fact{what: "fmi-ls-name", found: quoted(name),
			expected: "a name that begins with a reverse domain, like org.example.name"})
	case parts[1] != name:
		x.note("Z8", x.at(n), fact{what: "fmi-ls-name", found: quoted(name),
			expected: quoted(parts[1]) + ", as the folder of the manifest",
			remedy:   "most layered standards demand a folder with their name"})
	}
}

// manifestAttribute returns an attribute of the root of a manifest, or reports its absence. The
// description is only for display, and public FMUs omit it.
func (x *examiner) manifestAttribute(n *xmldoc.Node, name, expected string) string {
	for _, a := range n.Attributes {
		if a.Space == manifestNamespace && a.Name == name {
			if strings.TrimSpace(a.Value) == "" && name != "fmi-ls-description" {
				x.warn("Z8", x.at(n), fact{what: name, found: quoted(a.Value), expected: expected})
			}
			return strings.TrimSpace(a.Value)
		}
	}
	report := x.error
	if name == "fmi-ls-description" {
		report = x.note
	}
	f := fact{what: fmt.Sprintf("<%s> has no attribute %s of the namespace %s", n.Name, name,
		manifestNamespace), expected: expected}
	if k := slices.IndexFunc(n.Attributes, func(a xmldoc.Attribute) bool {
		return a.Name == name
	}); k >= 0 {
		f.found = "one " + pick(n.Attributes[k].Space == "", "without a namespace",
			"of the namespace "+quoted(n.Attributes[k].Space))
		f.remedy = fmt.Sprintf(`declare xmlns:fmi-ls="%s" and write fmi-ls:%s`, manifestNamespace,
			name)
	}
	report("Z8", x.at(n), f)
	return ""
}
