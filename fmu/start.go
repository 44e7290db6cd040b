package fmu

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/state"
)

// OverrideStart replaces start values by "name=value" pairs, one per line, when an FMU is built with defaults of its own. An empty
// text changes nothing.
func (d *Definition) OverrideStart(lines string) error {
	for line := range strings.Lines(lines) {
		name, value, found := strings.Cut(strings.TrimRight(line, "\n"), "=")
		if !found {
			return fmt.Errorf("%w: start value %q, expected name=value", ErrDefinition, line)
		}
		v := d.Variables.Named(name)
		if v == nil {
			return fmt.Errorf("%w: start value for unknown variable %q", ErrDefinition, name)
		}
		if err := v.parseStart(value); err != nil {
			return fmt.Errorf("%w: start value of %s: %w", ErrDefinition, name, err)
		}
	}
	return nil
}

func (v *Variable) parseStart(text string) (err error) {
	if v.Start == nil {
		return errors.New("this variable has none")
	}
	switch v.Type {
	case fmi.Real:
		v.Start, err = strconv.ParseFloat(text, 64)
	case fmi.Integer:
		var n int64
		n, err = strconv.ParseInt(text, 10, 32)
		v.Start = int32(n)
	case fmi.Boolean:
		v.Start, err = strconv.ParseBool(text)
	case fmi.String:
		v.Start = text
	case fmi.Binary:
		v.Start, err = hex.DecodeString(text)
	}
	if err != nil {
		return err
	}
	return v.checkStart()
}

// AppendStart appends the name and the start value of v. That is how the packer hands over to the core what was overridden: a core
// that reads no numbers in words does without the code for it.
func AppendStart(b []byte, v *Variable) []byte {
	b = state.AppendString(b, v.Name)
	switch x := v.Start.(type) {
	case float64:
		return state.AppendUint64(b, math.Float64bits(x))
	case int32:
		return state.AppendUint64(b, uint64(x))
	case bool:
		return state.AppendUint64(b, uint64(state.Flag(x)))
	case string:
		return state.AppendString(b, x)
	case []byte:
		return state.AppendBytes(b, x)
	}
	return b
}

// RestoreStart replaces start values by those that AppendStart has appended. Whether they are allowed is for [Definition.Check].
func (d *Definition) RestoreStart(data []byte) error {
	for r := (state.Decoder{Data: data}); len(r.Data) > 0; {
		name := r.String()
		v := d.Variables.Named(name)
		if v == nil {
			return fmt.Errorf("%w: start value for unknown variable %q", ErrDefinition, name)
		}
		switch v.Type {
		case fmi.Real:
			v.Start = math.Float64frombits(r.Uint64())
		case fmi.Integer:
			v.Start = int32(r.Uint64())
		case fmi.Boolean:
			v.Start = r.Uint64() == 1
		case fmi.String:
			v.Start = r.String()
		case fmi.Binary:
			v.Start = bytes.Clone(r.Bytes())
		}
		if err := r.Err(); err != nil {
			return fmt.Errorf("%w: start value of %s: %w", ErrDefinition, name, err)
		}
	}
	return nil
}
