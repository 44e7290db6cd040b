package scaffold

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
)

// linked lists the packages of gosmp whose modules the new module needs, because its program or its
// test imports them.
var linked = []string{"gosmp/build", "gosmp/export", "gosmp/model/message", "gosmp/model/modeltest"}

// modules returns go.mod and go.sum of a model.
func modules(ctx context.Context, r Request) (mod, sum []byte, err error) {
	m := Module{Name: r.Name, Gosmp: r.Gosmp, Linked: linked}
	if r.Kind != "plain" {
		m.Direct = "google.golang.org/protobuf"
	}
	return m.Files(ctx)
}

// Module is a module that uses packages of gosmp.
type Module struct {
	Name   string
	Gosmp  string   // the folder that [Locate] returned
	Linked []string // packages of gosmp that it and its tests import
	Direct string   // a module other than gosmp that it imports directly; may be empty
}

// Files returns go.mod and go.sum. They contain the versions and checksums of gosmp, so that
// nothing has to be looked up.
func (r Module) Files(ctx context.Context) (mod, sum []byte, err error) {
	version, err := run(ctx, r.Gosmp, "list", "-m", "-f", "{{.GoVersion}}")
	if err != nil {
		return nil, nil, fault.Wrap(ErrGosmp, fault.At(r.Gosmp), err).
			WithHint("run go list -m in that folder to see the reason")
	}
	list, err := run(ctx, r.Gosmp, append([]string{"list", "-deps", "-f",
		"{{with .Module}}{{.Path}} {{.Version}}{{end}}"}, r.Linked...)...)
	if err != nil {
		return nil, nil, fault.Wrap(ErrGosmp, fault.At(r.Gosmp), err).
			WithHint("run go mod download in that folder, with network access")
	}
	if sum, err = os.ReadFile(filepath.Join(r.Gosmp, "go.sum")); err != nil {
		return nil, nil, fault.Wrap(ErrGosmp, fault.At(r.Gosmp), err).
			WithHint("the checkout is incomplete: fetch it again")
	}
	// it is not published, so only the replacement matters
	direct, indirect := []string{own + " v0.0.0"}, []string{}
	lines := strings.Split(list, "\n")
	slices.Sort(lines)
	for _, m := range slices.Compact(lines) {
		switch name, version, _ := strings.Cut(m, " "); {
		case version == "": // the standard library, and gosmp itself
		case name == r.Name:
			return nil, nil, (&Request{Name: r.Name}).wrongName(
				"is the path of a module that gosmp needs")
		case name == r.Direct:
			direct = append(direct, m)
		default:
			indirect = append(indirect, m+" // indirect")
		}
	}
	slices.Sort(direct)
	text := fmt.Sprintf("module %s\n\ngo %s\n\n%s%sreplace %s => %s\n",
		r.Name, version, requirements(direct), requirements(indirect), own, quoted(r.Gosmp))
	return []byte(text), sum, nil
}

func requirements(list []string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return "require " + list[0] + "\n\n"
	}
	return "require (\n\t" + strings.Join(list, "\n\t") + "\n)\n\n"
}

// quoted returns a path as go.mod requires it, in quotes if it contains white space or certain
// characters.
func quoted(folder string) string {
	if strings.ContainsAny(folder, " \t\"'`()[]{},;") || strings.Contains(folder, "//") {
		return strconv.Quote(folder)
	}
	return folder
}
