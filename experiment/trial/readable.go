package trial

import (
	"encoding/json"
	"fmt"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/timebase"
)

// seconds returns a time without needless zeros.
func seconds(t timebase.Time) string {
	return strings.TrimSuffix(strings.TrimRight(scxml.Seconds(t), "0"), ".")
}

// readable returns the data of an event, a JSON object, as names and values for people: numbers
// with six digits, and without empty texts. It returns other data as they are.
func readable(data string) string {
	d := json.NewDecoder(strings.NewReader(data))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return data
	}
	var list []string
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return data
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return data
		}
		if text := plain(value); text != "" {
			list = append(list, fmt.Sprintf("%s %s", name, text))
		}
	}
	if _, err := d.Token(); err != nil || d.More() || len(list) == 0 {
		return data
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// plain returns a JSON value for people.
func plain(value json.RawMessage) string {
	var x any
	if err := json.Unmarshal(value, &x); err != nil {
		return string(value)
	}
	switch v := x.(type) {
	case string:
		return v
	case float64:
		return fmt.Sprintf("%.6g", v)
	}
	return string(value)
}

// DataText returns the data of a decision for people.
func (j Judgment) DataText() string { return readable(string(j.Data)) }
