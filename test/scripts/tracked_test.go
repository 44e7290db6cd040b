package scripts

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/release"
)

// TestTrackedProgramsAreNamed adds files to the index of a new repository and runs tracked.sh.
func TestTrackedProgramsAreNamed(t *testing.T) {
	for name, c := range map[string]struct{ content, kind string }{
		"program":     {"\x7fELF\x02\x01\x01\x00", "an ELF file"},
		"dir/a b.dll": {"MZ\x90\x00\x03\x00", "a program or library for Windows (PE)"},
		"mac":         {"\xcf\xfa\xed\xfe\x07\x00\x00\x01", "a Mach-O file"},
		"universal":   {"\xca\xfe\xba\xbe\x00\x00\x00\x02", "a Mach-O file"},
		"lib.a":       {"!<arch>\n/\x00", "an archive of object files"},
		"picture.png": {"\x89PNG\r\n\x1a\n\x00", ""},
		"text.txt":    {"MZ is a text without NUL\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := checkout(t)
			file := filepath.Join(root, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
			require.NoError(t, os.WriteFile(file, []byte(c.content), 0o600))
			for _, words := range [][]string{{"init", "-q"}, {"add", name}} {
				text, err := exec.Command("git", append([]string{"-C", root},
					words...)...).CombinedOutput()
				require.NoError(t, err, "%s", text)
			}
			text, err := exec.Command(filepath.Join(root, "scripts", "tracked.sh")).CombinedOutput()
			require.Equal(t, c.kind != "", err != nil, "%s", text)
			if c.kind != "" {
				require.Contains(t, string(text), name+" is "+c.kind+",")
				require.Contains(t, string(text), "git rm --cached '"+name+"'")
			}
		})
	}
}

// TestBuiltProgramsAreIgnored checks where go build puts the program of each main package: the
// folder at the top, unless it has a folder with this name, and the folder of the package.
func TestBuiltProgramsAreIgnored(t *testing.T) {
	list, err := exec.Command("go", "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`,
		"../../...").Output()
	require.NoError(t, err)
	packages := strings.Fields(string(list))
	require.Contains(t, packages, "gosmp/cmd/osmpdummysensor")
	for _, p := range packages {
		program, folder := path.Base(p), strings.TrimPrefix(p, release.Module+"/")
		places := []string{path.Join(folder, program)}
		if info, err := os.Stat(filepath.Join("../..", program)); err != nil || !info.IsDir() {
			places = append(places, program)
		}
		for _, place := range places {
			text, err := exec.Command("git", "-C", "../..", "check-ignore", "--no-index",
				place).CombinedOutput()
			require.NoError(t, err, "%s is not in .gitignore %s", place, text)
		}
	}
}
