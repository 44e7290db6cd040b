package scaffold

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"gosmp/internal/fault"
)

// Request describes the module to generate. Complete fills in the fields that are zero.
type Request struct {
	Name       string // of the Go module; its last element names the folder
	Kind       string
	Inputs     int
	Outputs    int
	Identifier string // modelIdentifier of the FMU
	FMI        int    // FMI version that the FMU is packed for by default: 2 or 3
	Folder     string // to write
	Gosmp      string // folder of gosmp's checkout
	Link       bool   // use the checkout instead of a copy of the needed parts
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	letters    = regexp.MustCompile(`[A-Za-z0-9]+`)
)

// longest is the maximum length of an identifier, so that file names that contain it are valid on
// every system.
const longest = 100

// Complete fills in empty fields, except Gosmp, and checks the others. An [Error] names the flag.
func (r *Request) Complete() error {
	if err := r.checkName(); err != nil {
		return err
	}
	if r.Kind == "" {
		r.Kind = kinds[0].Name
	}
	kind, err := KindNamed(r.Kind)
	if err != nil {
		return err
	}
	if r.Inputs == 0 {
		r.Inputs = kind.Usual
	}
	if r.Outputs == 0 {
		r.Outputs, _ = kind.outputs(r.Inputs)
	}
	if r.FMI == 0 {
		r.FMI = 2
	}
	if r.FMI != 2 && r.FMI != 3 {
		return fault.New(ErrUsage, fault.At("--fmi"), strconv.Itoa(r.FMI), "2 or 3")
	}
	if r.Identifier == "" {
		r.Identifier = Identifier(r.Name)
	}
	if r.Folder == "" {
		r.Folder = path.Base(r.Name)
	}
	if r.Folder, err = filepath.Abs(r.Folder); err != nil {
		return err
	}
	if !identifier.MatchString(r.Identifier) || len(r.Identifier) > longest {
		return fault.New(ErrUsage, fault.At("--identifier"),
			strconv.Quote(r.Identifier)+", which cannot name an FMU",
			fmt.Sprintf("letters, digits and _, not beginning with a "+
				"digit, at most %d characters", longest)).
			WithHint("choose another one, such as --identifier MySensor")
	}
	return kind.checkCounts(r.Inputs, r.Outputs)
}

// Identifier derives a modelIdentifier from a module name: the words of its last element, each
// capitalized.
func Identifier(name string) (id string) {
	for _, word := range letters.FindAllString(path.Base(name), -1) {
		id += strings.ToUpper(word[:1]) + word[1:]
	}
	return id
}
