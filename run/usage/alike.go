package usage

import (
	"slices"
	"strings"
	"unicode"
)

// alike lists the names under which commands of gosmp, and below them other hosts of FMUs, have an
// option for the same purpose. The values of some are items of a list.
var alike = []struct {
	own, elsewhere []string
	listed         bool
}{
	{[]string{"--stop-time", "--duration", "--until", "--stop"},
		[]string{"--end-time", "--end", "--stop-at"}, false},
	{[]string{"--start-time", "--from"}, []string{"--begin-time", "--begin", "--start"}, false},
	{[]string{"--step-size", "--step"},
		[]string{"--communication-step-size", "--interval", "--dt"}, false},
	{[]string{"--seed", "--rng-seed"}, []string{"--random-seed"}, false},
	{[]string{"--record", "--trace"}, nil, false},
	{[]string{"--output-file", "--out", "--trajectories"},
		[]string{"--result-file", "--results", "--output", "--csv"}, false},
	{[]string{"--output-format", "--to"}, []string{"--format"}, true},
	{[]string{"--start-value", "--set"},
		[]string{"--start-values", "--parameter", "--param"}, false},
	{[]string{"--report", "--page"}, []string{"--html"}, false},
	{[]string{"--plot", "--picture"}, []string{"--image", "--png", "--svg"}, false},
	{[]string{"--as", "--type"}, nil, true},
	{[]string{"--traffic-speed", "--speed"}, nil, false},
	{[]string{"--timeout", "--limit"}, []string{"--time-limit"}, false},
	{[]string{"--jobs", "--workers", "--cpus"}, []string{"--threads", "--processes"}, false},
	{[]string{"--input-file", "--input", "--input-messages"}, []string{"--inputs"}, false},
	{[]string{"--output-variable"}, []string{"--output-variables", "--variable"}, false},
	{[]string{"--output-interval"}, []string{"--recording-interval", "--result-interval"}, false},
	{[]string{"--real-time"}, []string{"--real-time-factor", "--rtf"}, false},
	{[]string{"--logging-on"}, []string{"--verbose", "--debug-logging"}, false},
	{[]string{"--log-category"}, []string{"--log-level"}, false},
	{[]string{"--work-dir"}, []string{"--temp-dir", "--working-dir"}, false},
	{[]string{"--library-path"}, []string{"--path", "--search-path"}, false},
}

// Alike returns the known options with the purpose of an option that is not known here, because
// another command or another program has it. Other spellings are the same option: --stopTime is
// --stop-time. The values of known options are true if their values are items of a list.
func Alike(option string, known map[string]bool) (list []string) {
	option = hyphened(option)
	if _, is := known[option]; is {
		return []string{option}
	}
	for _, group := range alike {
		if slices.Contains(group.own, option) || slices.Contains(group.elsewhere, option) {
			for _, name := range group.own {
				listed, is := known[name]
				if is && listed == group.listed && !slices.Contains(list, name) {
					list = append(list, name)
				}
			}
		}
	}
	return list
}

// hyphened spells an option as gosmp does: in lower case, with hyphens between words.
func hyphened(option string) string {
	var b strings.Builder
	before := '-'
	for _, c := range strings.ReplaceAll(option, "_", "-") {
		if unicode.IsUpper(c) && unicode.IsLower(before) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(c))
		before = c
	}
	return b.String()
}
