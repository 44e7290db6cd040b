package platforms

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/release"
)

// exempt lists sources whose last bits do not matter: grids of maps, whose results are rounded,
// pictures, and the program that writes the demo recording, whose values are whole numbers.
var exempt = []string{"/frames/mercator.go", "/sensor/simsensor/demodrive/", "/report/birdseye/",
	"/report/systemgraph/", "/run/plot.go"}

// TestGo_FusesNoProducts verifies that no sum is fused with a product. The compiler may round x*y +
// z only once, and does so for arm64, which changes the last bit. Wherever the core, the simulator
// and the code that judges runs add to a product, a conversion therefore rounds the product first
// (The Go Programming Language Specification, Floating-point operators), so that all platforms give
// the same bytes.
func TestGo_FusesNoProducts(t *testing.T) {
	packed(t) // without other platforms there is nothing to compare
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	list := exec.Command("go", "list", "-deps", "-f",
		"{{if not .Standard}}{{.ImportPath}} {{len .CgoFiles}}{{end}}", "./cmd/osmpdummysensor",
		"./cmd/gosmp")
	list.Dir = root
	deps, err := list.Output()
	require.NoError(t, err)
	checked := 0
	for _, line := range strings.Split(strings.TrimSpace(string(deps)), "\n") {
		name, cgo, _ := strings.Cut(line, " ")
		// packages with C compute nothing
		if !strings.HasPrefix(name, release.Module+"/") || cgo != "0" ||
			name == "gosmp/proto/osi3" {
			continue
		}
		checked++
		build := exec.Command("go", "build", "-gcflags="+name+"=-S", name)
		build.Dir = root
		build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
		assembly, err := build.CombinedOutput()
		require.NoError(t, err, "%s", assembly)
		for _, at := range fused(string(assembly)) {
			if !intended(t, root, at[0], at[1]) {
				t.Errorf("%s:%s: a product is fused with a sum; round it: float64(x*y)", at[0],
					at[1])
			}
		}
	}
	require.Greater(t, checked, 50)
}

// instruction is a line of arm64 assembly: file, line, operation and operands.
var instruction = regexp.MustCompile(`\(([^()]*\.go):(\d+)\)\s+(\S+)\s+(.*)$`)

// fused returns the file and line of each instruction that rounds a product and a sum together.
// Products with powers of two are exact: fusing them changes no bit.
func fused(assembly string) (places [][2]string) {
	constants := map[string]float64{} // contents of registers
	for _, line := range strings.Split(assembly, "\n") {
		if strings.Contains(line, "STEXT") { // start of another function
			clear(constants)
		}
		m := instruction.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		operands := strings.Split(m[4], ", ")
		if strings.HasPrefix(m[3], "FMADD") || strings.HasPrefix(m[3], "FMSUB") ||
			strings.HasPrefix(m[3], "FNMADD") || strings.HasPrefix(m[3], "FNMSUB") {
			if !powerOfTwo(constants[operands[0]]) && !powerOfTwo(constants[operands[2]]) {
				places = append(places, [2]string{m[1], m[2]})
			}
		}
		target := operands[len(operands)-1]
		delete(constants, target)
		if value, is := strings.CutPrefix(operands[0], "$"); is && m[3] == "FMOVD" {
			constants[target] = constant(value)
		}
	}
	return places
}

// constant parses a number, or the name of one in memory, which contains its bits:
// f64.3fe0000000000000(SB).
func constant(text string) float64 {
	if bits, named := strings.CutPrefix(text, "f64."); named {
		n, _ := strconv.ParseUint(strings.TrimSuffix(bits, "(SB)"), 16, 64)
		return math.Float64frombits(n)
	}
	x, _ := strconv.ParseFloat(strings.Trim(text, "()"), 64)
	return x
}

// powerOfTwo reports whether multiplication by x is exact.
func powerOfTwo(x float64) bool {
	fraction, _ := math.Frexp(math.Abs(x))
	return fraction == 0.5
}

// intended reports whether the source line calls math.FMA, or is exempt.
func intended(t *testing.T, root, file, line string) bool {
	for _, e := range exempt {
		if strings.Contains("/"+filepath.ToSlash(file), e) {
			return true
		}
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(root, file)
	}
	// inlined from a library that draws
	if !strings.HasPrefix(file, root+string(filepath.Separator)) {
		return true
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	n, err := strconv.Atoi(line)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	require.LessOrEqual(t, n, len(lines), fmt.Sprint(file, ":", line))
	return strings.Contains(lines[n-1], "math.FMA(")
}
