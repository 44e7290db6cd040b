package platforms

import (
	"bufio"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(string(deps)), "\n") {
		name, cgo, _ := strings.Cut(line, " ")
		// packages with C compute nothing
		if strings.HasPrefix(name, release.Module+"/") && cgo == "0" {
			names = append(names, name)
		}
	}
	require.Greater(t, len(names), 50)
	for _, at := range fused(t, root, names) {
		if !intended(t, root, at) {
			t.Errorf("%s:%s: a product is fused with a sum in %s; round it: float64(x*y)", at.file,
				at.line, at.function)
		}
	}
}

// place is where a product and a sum are rounded together. The function can be one into which the
// line was inlined.
type place struct{ function, file, line string }

// fused compiles the packages for arm64, all in one run of the compiler, and returns the places
// where it rounds a product and a sum together.
func fused(t *testing.T, root string, packages []string) []place {
	t.Helper()
	// With -trimpath, files are named by their import path, whatever GOFLAGS contains.
	build := exec.Command("go", append([]string{"build", "-trimpath",
		"-gcflags=" + release.Module + "/...=-S",
		"-gcflags=" + release.Module + "/proto/osi3="}, packages...)...)
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	assembly, err := build.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, build.Start())
	places, read := fusions(assembly)
	require.NoError(t, read)
	require.NoError(t, build.Wait())
	return places
}

// instruction is a line of arm64 assembly: file, line, operation and operands.
var instruction = regexp.MustCompile(`\(([^()]*\.go):(\d+)\)\s+(\S+)\s+(.*)$`)

// fusions finds the instructions that round a product and a sum together. Products with powers of
// two are exact: fusing them changes no bit.
func fusions(assembly io.Reader) (places []place, err error) {
	function := ""
	constants := map[string]float64{} // contents of registers
	lines := bufio.NewScanner(assembly)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if name, _, starts := strings.Cut(line, " STEXT "); starts {
			function = name
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
				if at := (place{function, m[1], m[2]}); !slices.Contains(places, at) {
					places = append(places, at)
				}
			}
		}
		target := operands[len(operands)-1]
		delete(constants, target)
		if value, is := strings.CutPrefix(operands[0], "$"); is && m[3] == "FMOVD" {
			constants[target] = constant(value)
		}
	}
	return places, lines.Err()
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
func intended(t *testing.T, root string, at place) bool {
	for _, e := range exempt {
		if strings.Contains("/"+at.file, e) {
			return true
		}
	}
	path, ours := strings.CutPrefix(at.file, release.Module+"/")
	if !ours { // inlined from a library that draws
		return true
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	require.NoError(t, err)
	n, err := strconv.Atoi(at.line)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	require.LessOrEqual(t, n, len(lines), at.file+":"+at.line)
	return strings.Contains(lines[n-1], "math.FMA(")
}
