package fmi

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// ParseValue parses a start value, minimum, maximum or nominal value of type t in its XML spelling
// (XML Schema, part 2). Depending on the type, the result is a float64, float32, int8 to int64,
// uint8 to uint64, bool, string or []byte; for an Enumeration it is an int64. Floating-point
// numbers that are too large become infinite.
func (t Type) ParseValue(text string) (any, error) {
	value, ok := t.parseValue(text)
	if !ok {
		return nil, unknownWord(t.String()+" value", text, t.ExpectedValue())
	}
	return value, nil
}

func (t Type) parseValue(text string) (any, bool) {
	switch trimmed := strings.TrimSpace(text); t {
	case Real, Float64:
		return parseFloat(trimmed, 64)
	case Float32:
		x, ok := parseFloat(trimmed, 32)
		return float32(x), ok
	case Boolean, Clock:
		return ParseBoolean(trimmed)
	case String:
		return text, true
	case Binary:
		b, err := hex.DecodeString(trimmed)
		return b, err == nil
	default:
		return t.parseInteger(trimmed)
	}
}

func (t Type) parseInteger(text string) (any, bool) {
	if !t.IsInteger() {
		return nil, false
	}
	size := types[t].bits
	if types[t].class == unsigned {
		n, err := strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, size)
		return [...]any{uint8(n), uint16(n), uint32(n), n}[width(size)], err == nil
	}
	n, err := strconv.ParseInt(text, 10, size)
	return [...]any{int8(n), int16(n), int32(n), n}[width(size)], err == nil
}

// width returns 0 to 3 for sizes of 8 to 64 bits.
func width(size int) int { return bits.TrailingZeros(uint(size)) - 3 }

// parseFloat follows the XML types float and double: no hexadecimal digits, no underscores, and no
// special names except INF and NaN.
func parseFloat(text string, size int) (float64, bool) {
	switch text {
	case "INF", "+INF":
		return math.Inf(1), true
	case "-INF":
		return math.Inf(-1), true
	case "NaN":
		return math.NaN(), true
	}
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, size)
	return value, err == nil || errors.Is(err, strconv.ErrRange)
}

// ParseBoolean follows the XML type boolean, which has four spellings: true, false, 1 and 0.
func ParseBoolean(text string) (value, ok bool) {
	text = strings.TrimSpace(text)
	value = text == "true" || text == "1"
	return value, value || text == "false" || text == "0"
}

// ExpectedValue describes the spelling of a valid value, for use after "expected" in a message.
func (t Type) ExpectedValue() string {
	if t >= typeCount {
		t = 0
	}
	switch size := types[t].bits; types[t].class {
	case floating:
		return "a number"
	case signed:
		return fmt.Sprintf("a whole number of %d bits", size)
	case unsigned:
		return fmt.Sprintf("a whole number of %d bits from 0", size)
	case logical:
		return "true or false"
	case binary:
		return "pairs of hexadecimal digits"
	}
	return "a text"
}

// FormatValue formats a value in its XML spelling, so that ParseValue can read it back.
// Floating-point numbers become the shortest decimal text that gives the same bits; bytes become
// hexadecimal digits. The value must have one of the types that ParseValue returns; for nil the
// text is empty.
func FormatValue(value any) string {
	switch x := value.(type) {
	case nil:
		return ""
	case float64:
		return formatFloat(x, 64)
	case float32:
		return formatFloat(float64(x), 32)
	case []byte:
		return hex.EncodeToString(x)
	default:
		return fmt.Sprint(x)
	}
}

func formatFloat(x float64, size int) string {
	switch {
	case math.IsInf(x, 1):
		return "INF"
	case math.IsInf(x, -1):
		return "-INF"
	}
	return strconv.FormatFloat(x, 'g', -1, size)
}
