package sweep_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gosmp/sweep"
)

type object struct {
	Ref        string            `json:"$ref"`
	Type       any               `json:"type"`
	Enum       []string          `json:"enum"`
	Items      *object           `json:"items"`
	Properties map[string]object `json:"properties"`
	Defs       map[string]object `json:"$defs"`
}

// TestSchema_Types: the schema has the keys that the types have, with their kinds.
func TestSchema_Types(t *testing.T) {
	var schema object
	require.NoError(t, json.Unmarshal([]byte(sweep.Schema()), &schema))
	require.Equal(t, []string{sweep.Grid, sweep.Random, sweep.LatinHypercube, sweep.Sobol},
		schema.Defs["sampling"].Properties["method"].Enum)
	types := sweep.SchemaTypes()
	byMaps := []string{"parameters", "set", "seeds"} // their decoders keep the order
	for name := range schema.Defs {
		if name != "expression" {
			require.Contains(t, types, name)
		}
	}
	for name, of := range types {
		part := schema
		if name != "" {
			part = schema.Defs[name]
		}
		keys := map[string]bool{}
		for _, f := range reflect.VisibleFields(of) {
			key := f.Tag.Get("yaml")
			if key == "" || key == "-" {
				continue
			}
			keys[key] = true
			property, ok := part.Properties[key]
			require.True(t, ok, "%s.%s is missing", name, key)
			requireKind(t, name+"."+key, f.Type, property, types)
		}
		for key := range part.Properties {
			require.True(t, keys[key] || name == "" && slices.Contains(byMaps, key),
				"%s.%s does not exist", name, key)
		}
	}
}

// requireKind compares the type of a field with the schema.
func requireKind(t *testing.T, key string, of reflect.Type, p object,
	types map[string]reflect.Type) {
	t.Helper()
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if name, ok := strings.CutPrefix(p.Ref, "#/$defs/"); ok && name != "expression" {
		require.Equal(t, types[name], of, key)
		return
	}
	switch of.Kind() {
	case reflect.String:
		require.True(t, p.Type == "string" || len(p.Enum) > 0 || p.Ref != "", key)
	case reflect.Float64:
		require.Equal(t, "number", p.Type, key)
	case reflect.Int, reflect.Uint64:
		require.Equal(t, "integer", p.Type, key)
	case reflect.Slice:
		require.Equal(t, "array", p.Type, key)
		requireKind(t, key, of.Elem(), *p.Items, types)
	case reflect.Interface:
		require.NotEmpty(t, p.Type, key)
	default:
		t.Fatalf("%s: a kind that the schema does not describe: %v", key, of)
	}
}

// beyond lists parts of errors about rules that a schema cannot express: relations between parts of
// a plan, limits of whole tables, and whole numbers, which in JSON include 1e300.
var beyond = regexp.MustCompile(
	`numbers up to 2\^53|second document|twice|a second time|A < B|from < to|min < max|nothing ` +
		`of the distribution|one for each of|weights with the sum|of this name|` +
		`another parameter|values, as|varies together|range for the method grid|of all ` +
		`parameters|too many|combinations and seeds|found a date|found the median|expected ` +
		`at most 200000`)

// judged is a plan and whether Read accepts it.
type judged struct {
	Text     string `json:"text"`
	Document any    `json:"document"`
	Valid    bool   `json:"valid"`
}

// mixed returns random plans of valid and, occasionally, invalid parts.
func mixed(count int) (texts []string) {
	random := rand.New(rand.NewPCG(1, 1))
	anything := []string{"1", "2", "3", "-1", "0", "2.5", "3.0", "1e3", "a", "true", "'7'",
		"[1, 2]", "[2]", "{mean: 1, deviation: 2}", "{mean: 2}",
		"{mode: 1}", "[{from: 0, to: 1, weight: 2}]", "", "random", "a.b", "x"}
	some := func(chance int, pairs ...string) (parts []string) {
		for _, pair := range pairs {
			if random.IntN(chance) > 0 {
				continue
			}
			if key, _, _ := strings.Cut(pair, ":"); random.IntN(16) == 0 {
				pair = key + ": " + anything[random.IntN(len(anything))]
			}
			parts = append(parts, pair)
		}
		return parts
	}
	kinds := [][]string{{"values: [1, a]"}, {"values: [1, 2]", "weights: [1, 3.5]"},
		{"values: [1, 2]", "with: q.x"}, {"from: 1", "to: 5", "step: 0.5"},
		{"from: 1", "to: 5", "count: 3"}, {"uniform: [1, 2]"}, {"normal: {mean: 1, deviation: 2}"},
		{"lognormal: {mean: 1, deviation: 2}"},
		{"triangular: {mode: 1}", "min: 0", "max: 3"}, {"exponential: {mean: 2}"},
		{"poisson: {mean: 2}"}, {"histogram: [{from: 0, to: 1, weight: 2}]"}}
	for range count {
		parts := append([]string{"experiment: a.exc"}, some(5, "timeout: 1.5", "attempts: 2",
			"seeds: 2", "seeds: [3, 4]", "constraints: [1 < 2]",
			"set: {b.x: 1 + 1}")...)
		parts = append(parts, "sampling: {"+strings.Join(append(some(1, "method: random",
			"count: 3"), some(3, "seed: 4")...), ", ")+"}")
		if random.IntN(4) == 0 {
			parts = append(parts, "stop: {"+strings.Join(some(2, "failures: 1", "passes: 0"),
				", ")+"}")
		}
		kind := append(some(1, kinds[random.IntN(len(kinds))]...), some(12, "min: 0.5", "max: 4",
			"step: 1", "with: q.x", "weights: [1, 1]")...)
		parts = append(parts, "parameters: {q.x: {values: [1, 2]}, p.x: {"+strings.Join(kind,
			", ")+"}}")
		texts = append(texts, strings.Join(parts, "\n"))
	}
	return texts
}

// TestSchema_Plans: an independent validator, the Python package jsonschema, accepts all plans that
// Read accepts, and refuses those that Read refuses if a schema can express the rule.
func TestSchema_Plans(t *testing.T) {
	python := pythonWith(t, "jsonschema")
	var plans []judged
	add := func(text string, valid bool) {
		var document any
		if yaml.Unmarshal([]byte(text), &document) != nil {
			return
		}
		if _, err := json.Marshal(document); err == nil { // JSON has no .nan
			plans = append(plans, judged{text, document, valid})
		}
	}
	for _, text := range accepted(t) {
		read(t, text)
		add(text, true)
	}
	for text, expected := range refused() {
		if !beyond.MatchString(expected) {
			add(text, false)
		}
	}
	require.Greater(t, len(plans), 60)
	for _, text := range mixed(2000) {
		if _, err := sweep.Read("x.yaml", strings.NewReader(text)); err == nil ||
			!beyond.MatchString(err.Error()) {
			add(text, err == nil)
		}
	}
	in, err := json.Marshal(map[string]any{"schema": json.RawMessage(sweep.Schema()),
		"plans": plans})
	require.NoError(t, err)
	c := exec.Command(python, "-c", `
import json, sys
from jsonschema import Draft202012Validator
given = json.load(sys.stdin)
Draft202012Validator.check_schema(given["schema"])
validator = Draft202012Validator(given["schema"])
for plan in given["plans"]:
    errors = [e.message for e in validator.iter_errors(plan["document"])]
    if plan["valid"] != (not errors):
        print(plan["text"], errors)
`)
	c.Stdin = strings.NewReader(string(in))
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Empty(t, string(out))
}

// pythonWith returns the Python of the tests, or otherwise of the system, if it has the package.
func pythonWith(t *testing.T, name string) string {
	t.Helper()
	for _, python := range []string{os.Getenv("GOSMP_PYTHON"), "python3"} {
		if python != "" && exec.Command(python, "-c", "import "+name).Run() == nil {
			return python
		}
	}
	t.Skip("needs a Python with the package " + name + ": run `make test`")
	return ""
}

// accepted returns the plans of the examples and of the documentation, and one for each kind of
// parameter.
func accepted(t *testing.T) (texts []string) {
	files, err := filepath.Glob("../examples/*/*.sweep.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	guide, err := os.ReadFile("../docs/SWEEP.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	require.NotEmpty(t, blocks)
	for _, b := range blocks {
		text := b[1]
		if !strings.Contains(text, "experiment:") {
			text = start + text
		}
		texts = append(texts, text)
	}
	rows := regexp.MustCompile("(?m)^\\| `(\\{.*?\\})` \\|").FindAllStringSubmatch(string(guide),
		-1)
	require.Greater(t, len(rows), 9)
	for _, r := range rows {
		definition := strings.Replace(r[1], ", ...", "", 1)
		texts = append(texts,
			start+
				"sampling: {method: random, count: 3, seed: 1}\nparameters:\n  surface: {values: "+
				"[1, 2]}\n  x: "+definition)
	}
	for definition := range distributions() {
		texts = append(texts, start+"sampling: {method: sobol, count: 3}\nparameters: {a.b: "+
			definition+"}")
	}
	return append(texts, start,
		start+
			"sampling: {method: grid, count: 0}\nstop: {failures: 3, passes: 0}\ntimeout: 0.5\n"+
			"attempts: 1\nseeds: [3, 1]",
		start+
			"parameters: {timeout: {values: [1, a, true]}}\nset: {a.b: 3, a.c: true}\n"+
			"constraints: [true, 1 < 2]\nstop: {passes: 1}\nseeds: 1")
}
