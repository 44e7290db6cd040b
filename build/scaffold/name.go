package scaffold

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
)

var (
	// A module path that the go command accepts in a replacement, in lower or upper case
	// (go.dev/ref/mod, "Module paths and versions"; CheckImportPath in golang.org/x/mod/module has
	// the same rules).
	modulePath = regexp.MustCompile(
		`^[A-Za-z0-9_~][A-Za-z0-9._~-]*(/[A-Za-z0-9_~][A-Za-z0-9._~-]*)*$`)
	// Names that a folder cannot have on Windows: devices, with any extension, and the short forms
	// of long names.
	device    = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)`)
	shortForm = regexp.MustCompile(`^[^.]*~[0-9]+(\.|$)`)
)

// reserved lists names that have another meaning for the go command: the language and toolchain in
// go.mod, cgo, sets of packages (go help packages), and the name of a program in profiles and
// tests.
var reserved = []string{"go", "toolchain", "C", "all", "cmd", "main", "std", "tool", "work"}

// checkName refuses names that a module and its folder cannot have.
func (r *Request) checkName() error {
	elements := strings.Split(r.Name, "/")
	if !modulePath.MatchString(r.Name) {
		return r.wrongName("is not one")
	}
	if slices.Contains([]string{"std", "cmd"}, elements[0]) ||
		strings.HasPrefix(r.Name+"/", own+"/") {
		return r.wrongName("is taken")
	}
	if slices.Contains(reserved, r.Name) {
		return r.wrongName("has a special meaning for the go command")
	}
	if len(elements) == 1 && strings.HasSuffix(r.Name, ".go") {
		return r.wrongName("is a file name for the go command")
	}
	for _, e := range elements {
		switch {
		case strings.HasSuffix(e, "."):
			return r.wrongName("is not one")
		case device.MatchString(e):
			return r.wrongName(fmt.Sprintf("has the part %q, which is a device on Windows", e))
		case shortForm.MatchString(e):
			return r.wrongName(
				fmt.Sprintf("has the part %q, which looks like a short name on Windows", e))
		case e == "internal" || e == "vendor":
			return r.wrongName(
				fmt.Sprintf("has the part %q, which hides packages from other modules", e))
		}
	}
	return nil
}

func (r *Request) wrongName(why string) error {
	return fault.New(ErrUsage, fault.At(strconv.Quote(r.Name)), "a name that "+why,
		"the name of a Go module").
		WithHint("use letters, digits, - and _, such as mysensor, or a path such as " +
			"example.org/mysensor")
}
