package check_test

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml/check"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/internal/finding"
)

const golden = "testdata/charts.txtar"

func options(id string) check.Options {
	o := check.Options{Config: ecmascript.Config("testdata")}
	switch {
	case strings.HasPrefix(id, "SX22"):
		o.Events = []string{"e"}
	case strings.HasPrefix(id, "SX24"):
		o.Evaluation = true
	}
	return o
}

func text(t *testing.T, l finding.List) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, l.WriteText(&b))
	return b.String()
}

// TestChart_EachIDAlone is X36. UPDATE=1 writes what is found into the file, for a person to read.
func TestChart_EachIDAlone(t *testing.T) {
	archive, err := txtar.ParseFile(golden)
	require.NoError(t, err)
	seen := map[string]bool{}
	var found string
	for i, f := range archive.Files {
		name, part := path.Split(f.Name)
		id := strings.TrimSuffix(name, "/")
		switch part {
		case "bad.scxml":
			list := check.Chart(id+".scxml", f.Data, options(id))
			found = text(t, list)
			code, _, _ := strings.Cut(id, "-")
			seen[code] = true
			for _, x := range list {
				require.Equal(t, code, x.ID, "%s alone: %s", id, x)
				require.Positive(t, x.Place.Line)
				require.Positive(t, x.Place.Column)
				require.NotEmpty(t, x.Remedy)
			}
			require.NotEmpty(t, list, id)
		case "want":
			if os.Getenv("UPDATE") != "" {
				archive.Files[i].Data = []byte(found)
			}
			require.Equal(t, string(archive.Files[i].Data), found, id)
		case "good.scxml":
			require.Empty(t, text(t, check.Chart(id+".scxml", f.Data, options(id))), "the repaired twin of %s", id)
		}
	}
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(golden, txtar.Format(archive), 0o600))
	}
	for _, id := range strings.Fields("01 02 03 04 05 06 07 08 09 10 11 12 13 14 20 21 22 23 24 25 26 27 28 29 30 31") {
		require.True(t, seen["SX"+id], "no chart shows SX%s", id)
	}
}

// TestChart_ComputedNamesSwitchEventsOff is X38.
func TestChart_ComputedNamesSwitchEventsOff(t *testing.T) {
	chart := func(send string) []byte {
		return []byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel><data id="n" expr="'x'"/></datamodel>
<state id="a"><transition event="e" target="f">` + send + `<raise event="lost"/></transition><transition event="error never" target="f"/></state><final id="f"/></scxml>`)
	}
	ids := func(send string) (list []string) {
		o := options("SX22")
		for _, f := range check.Chart("x", chart(send), o) {
			list = append(list, f.ID+" "+f.Severity.String())
		}
		slices.Sort(list)
		return list
	}
	require.Equal(t, []string{"SX22 warning", "SX23 warning"}, ids(`<send event="e"/>`))
	require.Equal(t, []string{"SX22 note"}, ids(`<send eventexpr="n"/>`))
	require.Equal(t, []string{"SX22 note"}, ids(`<send event="e" targetexpr="n"/><send eventexpr="n"/>`))
}
