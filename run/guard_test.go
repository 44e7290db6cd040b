package run_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/run"
	"gosmp/run/usage"
)

// textual reports whether the values of an option are texts, which may be file names.
func textual(t reflect.Type) bool {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		_, has := t.FieldByName("Value")
		return has
	}
	return t.Kind() == reflect.String
}

// TestOptions_FilesHaveRoles: a new text option fails this test until its file role is defined.
func TestOptions_FilesHaveRoles(t *testing.T) {
	known := run.FieldsWithRoles()
	options := reflect.TypeFor[run.Options]()
	for k := range options.NumField() {
		f := options.Field(k)
		if textual(f.Type) || f.Name == "Connections" {
			require.Contains(t, known, f.Name)
		}
	}
	for _, name := range known {
		_, is := options.FieldByName(name)
		require.True(t, is, name)
	}
}

// TestRun_WritesOverNothingThatItReads: Go programs are guarded like the command, for all kinds of
// runs.
func TestRun_WritesOverNothingThatItReads(t *testing.T) {
	inputs := map[string]string{
		"sensor.fmu":  "no FMU",
		"map.xodr":    `<OpenDRIVE/>`,
		"system.ssd":  `<ssd:SystemStructureDescription/>`,
		"e.exc":       `<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig"/>`,
		"chart.scxml": `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"/>`,
		"cut-in.xosc": `<OpenSCENARIO/>`,
	}
	for name, text := range inputs {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), name)
			require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
			o := run.Defaults(file)
			switch filepath.Ext(name) {
			case ".exc", ".xosc":
				o.JUnit = file
			case ".scxml":
				o.Timeline = file
			default:
				o.OutputFile = file
			}
			_, err := run.Run(context.Background(), o)
			require.ErrorContains(t, err, "expected another file, so that nothing is lost")
			require.Equal(t, run.Invalid, run.ExitCode(err))
			left, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, text, string(left))
		})
	}
}

func TestTest_WritesOverNothingThatItReads(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "trace.mcap")
	require.NoError(t, os.WriteFile(file, []byte("content"), 0o666))
	for name, o := range map[string]run.TestOptions{
		"recorded over the trace":   {Record: file},
		"expected, and recorded":    {Expect: []string{file}, Record: file},
		"updated over the trace":    {Expect: []string{file}, Update: true},
		"updated, and recorded":     {Expect: []string{file}, Update: true, Record: file},
		"recorded where no file is": {Record: filepath.Join(dir, "missing", "x.mcap")},
	} {
		o.FMU, o.Trace = filepath.Join(dir, "x.fmu"), file
		_, err := run.Test(context.Background(), o)
		require.ErrorAs(t, err, new(*usage.Error), name)
		require.Equal(t, run.Invalid, run.TestExitCode(err), name)
	}
	left, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "content", string(left))
}

// A full disk is not an error of the input, even if it keeps an FMU from being unpacked.
func TestExitCode_FullDisk(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "core.so", Err: syscall.ENOSPC}
	require.Equal(t, run.Failed, run.ExitCode(fmt.Errorf("%w: %w", importer.ErrInvalid, full)))
	full.Err = syscall.EACCES
	require.Equal(t, run.Invalid, run.ExitCode(fmt.Errorf("%w: %w", importer.ErrInvalid, full)))
}
