package platforms

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
)

// exempt are parts of the core that no model calls in a step: the grids of maps, and the program that
// writes the demo recording, whose values are whole numbers.
var exempt = []string{"/frames/mercator.go", "/sensor/simsensor/demodrive/"}

// fused is an instruction of arm64 that rounds a product and a sum together, with its place.
var fused = regexp.MustCompile(`\(([^()]*\.go):(\d+)\)\s+FN?M(?:ADD|SUB)[DS]\b`)

// TestCore_FusesNoProducts: the compiler may round x*y + z once, and does so for arm64, which changes
// the last bit. Products are therefore rounded by a conversion wherever the core adds to them
// (The Go Programming Language Specification, Floating-point operators), so that all platforms send
// the same bytes.
func TestCore_FusesNoProducts(t *testing.T) {
	packed(t) // where no platforms are tested, there is nothing to compare
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	list := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./cmd/osmpdummysensor")
	list.Dir = root
	deps, err := list.Output()
	require.NoError(t, err)
	checked := 0
	for _, name := range strings.Fields(string(deps)) {
		if !strings.HasPrefix(name, "gosmp/") || name == "gosmp/export" || strings.HasPrefix(name, "gosmp/cmd/") { // those with C calculate nothing
			continue
		}
		checked++
		build := exec.Command("go", "build", "-gcflags="+name+"=-S", name)
		build.Dir = root
		build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
		assembly, err := build.CombinedOutput()
		require.NoError(t, err, "%s", assembly)
		for _, m := range fused.FindAllStringSubmatch(string(assembly), -1) {
			if !intended(t, root, m[1], m[2]) {
				t.Errorf("%s:%s: a product is fused with a sum; round it: float64(x*y)", m[1], m[2])
			}
		}
	}
	require.Greater(t, checked, 10)
}

// intended reports whether the source says math.FMA, or is not part of what models call.
func intended(t *testing.T, root, file, line string) bool {
	for _, e := range exempt {
		if strings.Contains("/"+filepath.ToSlash(file), e) {
			return true
		}
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(root, file)
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	n, err := strconv.Atoi(line)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	require.LessOrEqual(t, n, len(lines), fmt.Sprint(file, ":", line))
	return strings.Contains(lines[n-1], "math.FMA(")
}
