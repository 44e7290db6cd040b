package check_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/check"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/internal/finding"
)

const suiteRoot = "../testdata/suite/test"

// TestChart_Suite tests X37: it lists the errors found in the public suite, by chart. All of these
// charts run nevertheless.
func TestChart_Suite(t *testing.T) {
	if _, err := os.Stat(suiteRoot); err != nil {
		t.Skip("the public SCXML suite is absent: run scripts/scxml_suite.sh, which needs npm")
	}
	found := map[string]string{}
	charts := 0
	require.NoError(t, filepath.WalkDir(suiteRoot, func(path string, _ fs.DirEntry,
		err error) error {
		if err != nil || !strings.HasSuffix(path, ".scxml") {
			return err
		}
		charts++
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		name := strings.TrimSuffix(strings.TrimPrefix(path, suiteRoot+"/"), ".scxml")
		for _, f := range check.Chart(path, text,
			check.Options{Config: ecmascript.Config(filepath.Dir(path))}) {
			if short := strings.TrimSuffix(strings.TrimPrefix(name, "w3c-ecma/test"),
				".txml"); f.Severity == finding.Error &&
				!slices.Contains(strings.Fields(found[f.ID]), short) {
				found[f.ID] += short + " "
			}
		}
		return nil
	}))
	require.Equal(t, 335, charts)
	require.Equal(t, map[string]string{
		// 152 and 457 name "'continue'" as the item of a foreach, 307 has an empty expr, and 436 a
		// text in the null data model.
		scxml.SX10: "assign/assign_invalid data/data_invalid 152 156 277 307 309 312 313 314 344 " +
			"436 457 487 488 528 ",
		// a transition under scxml
		scxml.SX02: "internal-transitions/test0 ",
		// a shallow history whose default is a grandchild
		scxml.SX08: "history/history2 ",
		// an eventless transition with content only
		scxml.SX09: "targetless-transition/test0 ",
		// 199 intentionally; the others need a web server
		scxml.SX11: "199 201 509 510 518 519 520 522 531 532 534 567 577 ",
		scxml.SX12: "301 ", // on purpose
	}, found)
}
