package main

import (
	"fmt"
	"reflect"
	"regexp"
	"time"

	"github.com/alecthomas/kong"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/run/usage"
)

// negative matches a negative number, which the parser takes for a flag.
var negative = regexp.MustCompile(`^-\.?[0-9]`)

// numbers returns the options of a parser for flags and arguments with numbers and durations, so
// that their errors state what was found and what was expected. Values may be negative without an
// equals sign: --from -5.
func numbers() (list []kong.Option) {
	for _, kind := range []reflect.Kind{reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32,
		reflect.Int64} {
		list = append(list, kong.KindMapper(kind, value("a whole number",
			func(text string, target reflect.Value) error {
				n, err := usage.Int(text, target.Type().Bits())
				target.SetInt(n)
				return err
			})))
	}
	for _, kind := range []reflect.Kind{reflect.Uint, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64} {
		list = append(list, kong.KindMapper(kind, value("a whole number",
			func(text string, target reflect.Value) error {
				n, err := usage.Uint(text, target.Type().Bits())
				target.SetUint(n)
				return err
			})))
	}
	return append(list,
		kong.KindMapper(reflect.Float64, value("a number",
			func(text string, target reflect.Value) error {
				x, err := usage.Float(text)
				target.SetFloat(x)
				return err
			})),
		kong.TypeMapper(reflect.TypeFor[cli.Seconds](), value("seconds",
			func(text string, target reflect.Value) error {
				x, err := usage.Seconds(text)
				target.SetFloat(x)
				return err
			})),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), value("a time",
			func(text string, target reflect.Value) error {
				d, err := usage.Duration(text)
				target.SetInt(int64(d))
				return err
			})))
}

// value returns the decoder for values that parse sets. Other words of the command line, such as a
// flag, are refused as values.
func value(expected string, parse func(text string, target reflect.Value) error) kong.MapperFunc {
	return func(c *kong.DecodeContext, target reflect.Value) error {
		token := c.Scan.Peek()
		if token.Type == kong.EOLToken {
			return fmt.Errorf("found no value, expected %s", expected)
		}
		text := fmt.Sprint(token.Value)
		err := parse(text, target)
		if err != nil && !negative.MatchString(text) &&
			token.InferredType().IsAny(kong.FlagToken, kong.ShortFlagToken) {
			return fmt.Errorf("found the flag %s, expected %s", text, expected)
		}
		c.Scan.Pop()
		return err
	}
}
