package fmu

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/decimal"
)

// OverrideStart replaces start values by "name=value" pairs, one per line, for an FMU that is built
// with defaults of its own. An empty text changes nothing.
func (d *Definition) OverrideStart(lines string) error {
	for line := range strings.Lines(lines) {
		name, value, found := strings.Cut(strings.TrimRight(line, "\n"), "=")
		if !found {
			return fmt.Errorf("%w: start value %q, expected name=value", ErrDefinition, line)
		}
		if err := d.SetStart(name, value); err != nil {
			return err
		}
	}
	return nil
}

// SetStart replaces the start value of a variable. text has the format of [fmi.FormatValue].
func (d *Definition) SetStart(name, text string) error {
	v := d.Variables.Named(name)
	if v == nil {
		return fmt.Errorf("%w: start value for unknown variable %q", ErrDefinition, name)
	}
	if err := v.parseStart(text); err != nil {
		return fmt.Errorf("%w: start value of %s: %w", ErrDefinition, name, err)
	}
	return nil
}

func (v *Variable) parseStart(text string) (err error) {
	if v.Start == nil {
		return errors.New("this variable has none")
	}
	switch v.Type {
	case fmi.Real:
		v.Start, err = decimal.Float(text, 64)
	case fmi.Integer:
		var n int64
		n, err = strconv.ParseInt(text, 10, 32)
		v.Start = int32(n)
	case fmi.Boolean:
		v.Start, err = strconv.ParseBool(text)
	case fmi.Enumeration:
		v.Start, err = v.parseItem(text)
	default:
		v.Start, err = v.Type.ParseValue(text)
	}
	if err != nil {
		return err
	}
	return v.checkStart()
}
