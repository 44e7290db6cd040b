package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCIBeginsWithEmptyCaches runs .ci/run with a double of make, which records its environment and
// fails on request.
func TestCIBeginsWithEmptyCaches(t *testing.T) {
	root, home := t.TempDir(), t.TempDir()
	script, err := os.ReadFile("../../.ci/run")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(root, ".ci"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(root, ".ci", "run"), script, 0o700))
	for _, name := range []string{"scripts/prerequisites.sh", "scripts/platforms.sh", "bin/apt-get",
		"bin/dpkg"} {
		double(t, filepath.Join(root, name), "exit 0\n")
	}
	double(t, filepath.Join(root, "bin", "make"), `
echo "$1: home has $(ls -A "$HOME" | wc -l) files, modules: $(ls -A "$GOMODCACHE" 2>/dev/null | wc -l), HOME=$HOME"
for cache in "$GOMODCACHE" "$GOCACHE" "$PIP_CACHE_DIR"; do case $cache in "${HOME%/home}"/*) echo inside ;; esac; done
echo "cargo in $CARGO_HOME, settings in $GIT_CONFIG_GLOBAL"
[ "$1" != check-files ]
`)
	double(t, filepath.Join(root, "bin", "golangci-lint"),
		"echo 'golangci-lint has version 9.8.7 built'\n")
	require.NoError(t, os.WriteFile(filepath.Join(root, "Makefile"), []byte("LINT := 9.8.7\n"),
		0o600))
	require.NoError(t, os.Mkdir(filepath.Join(home, ".cargo"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gitconfig"), nil, 0o600))
	c := exec.Command(filepath.Join(root, ".ci", "run"), "nightly")
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); name != "CARGO_HOME" && name != "GIT_CONFIG_GLOBAL" {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, "HOME="+home, "PATH="+filepath.Join(root, "bin")+
		string(os.PathListSeparator)+os.Getenv("PATH"))
	text, err := c.CombinedOutput()
	require.Error(t, err, "one of the parts has failed")
	require.Contains(t, string(text), "run: home has 0 files, modules: 0, HOME=")
	require.NotContains(t, string(text), "HOME="+home+"\n")
	require.Equal(t, 3*5, strings.Count(string(text), "inside\n"),
		"caches of clean, run, test, lint, check-files")
	require.Contains(t, string(text), "cargo in "+home+"/.cargo, settings in "+home+"/.gitconfig")
	require.NotContains(t, string(text), "nightly: home", "nothing follows a part that has failed")
	_, table, found := strings.Cut(string(text), "\n== minutes by part")
	require.True(t, found)
	for _, part := range []string{"what a bare machine lacks", "make run", "make test",
		"make check: the linter", "make check: the rest FAILED"} {
		require.Regexp(t, `\d+\.\d \[ *\d+\.\d\]  `+part+`\n`, table)
	}
	require.Contains(t, table, "== in all")
}
