package host_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi/archive"
)

// table returns the expected result of every function in every state; the rows of * are expanded.
func table(t *testing.T) (states []string, rows [][]string) {
	text, err := os.ReadFile(filepath.Join("..", "..", "internal", "fmitest", "testdata",
		"cells.txt"))
	require.NoError(t, err)
	gaps := regexp.MustCompile(`  +`)
	var functions []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields := gaps.Split(line, 3)
		require.Len(t, fields, 3, line)
		letters := strings.ReplaceAll(fields[2], " ", "")
		switch fields[0] {
		case "function":
			states = append(states, letters)
			continue
		case "*":
			for _, f := range functions {
				rows = append(rows, []string{f, fields[1], letters})
			}
			continue
		}
		if known := len(functions) > 0 && functions[len(functions)-1] == fields[0]; !known &&
			takesComponent(fields[0]) {
			functions = append(functions, fields[0])
		}
		rows = append(rows, []string{fields[0], fields[1], letters})
	}
	require.Len(t, functions, 31, "functions that take a component")
	return states, rows
}

func takesComponent(function string) bool {
	return function != "fmi2Instantiate" && function != "fmi2GetVersion" &&
		function != "fmi2GetTypesPlatform"
}

// use returns the kind of row that a variable is suitable for, and a value that it accepts there.
func use(v *archive.Variable) (row, value string) {
	if len(v.Start) > 0 {
		value = v.Start[0]
	}
	switch {
	case v.Variability == "constant":
		return "constant", value
	case v.Causality == "parameter":
		return string(v.Variability) + " parameter", value
	case v.Causality == "input":
		return "input", value
	case v.Causality == "calculatedParameter":
		return "calculated parameter", "1"
	case v.Causality == "output" && len(v.Start) == 0:
		return "calculated output", "1"
	case v.Causality == "output" && !strings.Contains(v.Name, ".base."):
		return "output with start value", value
	}
	return "", ""
}

// variables returns the lines that describe the FMU for the program.
func (d description) variables() (lines []string) {
	counts, seen := map[string]int{}, map[string]bool{}
	add := func(row string, v *archive.Variable, value string) {
		if key := row + kind(v); row != "" && !seen[key] {
			seen[key] = true
			lines = append(lines, strings.Join([]string{"use", row, kind(v), reference(v), value},
				"\t"))
		}
	}
	for k := range d.Variables {
		v := &d.Variables[k]
		counts[kind(v)]++
		row, value := use(v)
		add(row, v, value)
		if most, err := strconv.ParseFloat(v.Max, 64); err == nil && v.Causality == "parameter" {
			add("above the maximum", v, fmt.Sprint(most+1))
		}
		if v.Name == "behaviour" {
			lines = append(lines, "behaviour\t"+reference(v))
		}
	}
	for kind, n := range counts {
		lines = append(lines, fmt.Sprintf("count\t%s\t%d", kind, n))
	}
	return lines
}

// cells runs the program on the table and returns its output.
func (i importer) cells(t *testing.T, change func(string) string) (string, error) {
	odd := filepath.Join(t.TempDir(), "100%")
	require.NoError(t, os.MkdirAll(filepath.Join(i.folder, "resources"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(i.folder, "resources"), odd))
	states, rows := table(t)
	lines := append(i.variables(), "states\t"+states[0])
	for _, r := range rows {
		lines = append(lines, "row\t"+strings.Join(r, "\t"))
	}
	c := exec.Command(compile(t, "cells.c"), i.InstantiationToken, i.resources(), "file://"+odd,
		i.library(i.binaries()))
	c.Stdin = strings.NewReader(change(strings.Join(lines, "\n") + "\n"))
	output, err := c.CombinedOutput()
	return string(output), err
}

func asItIs(table string) string { return table }

// requireAll requires that all cells are correct, and that there is a minimum number of them.
func requireAll(t *testing.T, output string, err error, least int) {
	require.NoError(t, err, output)
	found := regexp.MustCompile(`(?m)^(\d+) of (\d+) cells, (\d+) left out$`).FindStringSubmatch(
		output)
	require.NotNil(t, found, output)
	require.Equal(t, found[1], found[2])
	n, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	require.GreaterOrEqual(t, n, least)
	t.Log(strings.TrimSpace(output))
}

// TestCells_PackedFMU makes every call in every state that the released FMU can be brought to from
// outside: it neither discards steps nor panics.
func TestCells_PackedFMU(t *testing.T) {
	output, err := newImporter(t).cells(t, asItIs)
	requireAll(t, output, err, 1400)
}

// TestCells_PackedTestFMU does the same in all seven states, including the one after a panic, with
// the FMU made for this purpose.
func TestCells_PackedTestFMU(t *testing.T) {
	output, err := newTestImporter(t).cells(t, asItIs)
	requireAll(t, output, err, 2300)
}

// The program must be able to fail: one that accepts everything would find nothing.
func TestCells_WrongCellsAreFoundOut(t *testing.T) {
	i := newTestImporter(t)
	for _, wrong := range []struct{ old, new string }{
		{"row\tfmi2Reset\tnone\toooooof", "row\tfmi2Reset\tnone\tooiooof"},
		{"row\tfmi2DoStep\tgood\tiioiiif", "row\tfmi2DoStep\tgood\tiiwiiif"},
		{"row\tfmi2GetReal\tunknown reference\tieeeeef",
			"row\tfmi2GetReal\tunknown reference\tieeeiee"},
		{"row\tfmi2FreeInstance\tNULL component\tnnnnnnn",
			"row\tfmi2FreeInstance\tNULL component\tnnnnnnv"},
		{"row\tfmi2Instantiate\tgood\tccccccc", "row\tfmi2Instantiate\tgood\tcccvccc"},
		{"row\tfmi2Reset\tnone\toooooof", "row\tfmi2Reset\tof another kind\toooooof"},
	} {
		output, err := i.cells(t, func(table string) string {
			require.Contains(t, table, wrong.old+"\n")
			lines := strings.Split(strings.Replace(table, wrong.old, wrong.new, 1), "\n")
			short := lines[:0]
			for _, line := range lines { // the others are not needed
				if !strings.HasPrefix(line, "row") || line == wrong.new {
					short = append(short, line)
				}
			}
			return strings.Join(short, "\n")
		})
		require.Error(t, err, output)
		require.Contains(t, output, "WRONG", wrong.new)
	}
}
