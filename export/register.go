package export

import (
	"errors"
	"fmt"
	"sync"

	"gosmp/fmu"
)

// Set by the linker when an FMU is packed: the guid that the model description carries, and start values that differ from those
// of the definition, as "name=value" lines with percent escapes.
var (
	guid        string
	startValues string
)

var registered func() *fmu.Definition

// Register makes the model known whose FMU this library is the core of. To be called once, from init.
func Register(definition func() *fmu.Definition) { registered = definition }

// definition builds and checks the definition on first use: nothing is done while the library is loaded.
var definition = sync.OnceValues(func() (*fmu.Definition, error) {
	if registered == nil {
		return nil, errors.New("this library contains no model: its program has not called export.Register")
	}
	d := registered()
	if guid != "" {
		d.GUID = guid
	}
	lines, ok := fmu.Unescape(startValues)
	if !ok {
		return nil, fmt.Errorf("start values that the packer has not escaped: %q", startValues)
	}
	return d, errors.Join(d.OverrideStart(lines), d.Check())
})
