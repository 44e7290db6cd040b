package examine_test

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"gosmp/importer"
	"gosmp/importer/examine"
)

// requireRepeats compiles and runs the programs of all refuted rules, and requires that they show
// a crash, an answer, a growth or a value that was found. Of other findings, the program must end
// as usual.
func requireRepeats(t *testing.T, path string, r *examine.Report) {
	t.Helper()
	for k := range r.Verdicts {
		v := &r.Verdicts[k]
		if v.Program == "" || strings.HasPrefix(v.Found, "no answer") { // it would not end
			continue
		}
		run := repeat(t, path, v)
		out, err := run()
		missing := unshown(v, string(out), err)
		for tries := 1; missing != "" && byChance(v) && tries < 20; tries++ {
			out, err = run()
			missing = unshown(v, string(out), err)
		}
		if missing != "" {
			t.Errorf("the program of %s, %s, does not show %s; it ends with %v:\n%s\n%s", v.ID,
				v.Found, missing, err, out, v.Program)
		}
	}
}

// byChance reports whether a fault shows itself only if threads happen to run at the same time.
func byChance(v *examine.Verdict) bool {
	return strings.HasSuffix(v.ID, "-R23") || strings.HasSuffix(v.ID, "-R15")
}

// repeat compiles the program of a verdict. The function that it returns runs the program with the
// library of the FMU. Unless the FMU ends it, the program leaves neither a temporary folder nor a
// copy of the library. Processes that outlive it are ended.
func repeat(t *testing.T, path string, v *examine.Verdict) (run func() ([]byte, error)) {
	t.Helper()
	fmu, err := importer.Open(path)
	require.NoError(t, err)
	folder, temporary := t.TempDir(), t.TempDir()
	require.NoError(t, fmu.Unpack(folder))
	source, program := filepath.Join(folder, "repeat.c"), filepath.Join(folder, "repeat")
	code := strings.Replace(v.Program, `"/tmp/`, `"`+temporary+"/", 1)
	require.NotEqual(t, v.Program, code)
	require.NoError(t, os.WriteFile(source, []byte(code), 0o600))
	out, err := exec.Command("cc", "-Wall", "-Wextra", "-Werror", "-o", program, source, "-ldl",
		"-lm", "-lpthread").CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, v.Program)
	return func() ([]byte, error) {
		out, err := execute(t, folder, program, fmu.Library(folder))
		if err != nil {
			return out, err
		}
		left, problem := os.ReadDir(temporary)
		require.NoError(t, problem)
		require.Empty(t, left, v.Program)
		copies, problem := filepath.Glob(filepath.Join(filepath.Dir(fmu.Library(folder)), "other-*"))
		require.NoError(t, problem)
		require.Empty(t, copies, v.Program)
		return out, nil
	}
}

// execute runs a program in a folder, and returns its output, which goes to a file, because
// processes that outlive the program would keep a pipe open. It ends these processes.
func execute(t *testing.T, folder, program, argument string) ([]byte, error) {
	t.Helper()
	const long = 5 * time.Minute // for a program that never ends
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	output, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	command := exec.CommandContext(ctx, program, argument)
	command.Dir, command.Stdout = folder, output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	failed := command.Run()
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // it fails if no process is left
	require.NoError(t, output.Close())
	out, err := os.ReadFile(output.Name())
	require.NoError(t, err)
	return out, failed
}

var (
	hasAnswer = regexp.MustCompile(`(fmi[23]\w+)(?:\(.*?\))? (?:answers|returns) ` +
		`(OK|Warning|Discard|Error|Fatal|Pending|NULL)\b`)
	isAccepted = regexp.MustCompile(`^an? .* returns (OK|Warning)`)
	hasValue   = regexp.MustCompile(`^[^"]*? is (-?(?:\d[\d.]*(?:e[+-]?\d+)?|Inf|NaN)|\+Inf)` +
		`(?: |$|;)`)
	keepsEach    = regexp.MustCompile(`^each life keeps [\d.]+ ([\w-]+)`)
	shorterShows = regexp.MustCompile(`(?m)^ \* With the calls below, (.*)\.`)
	numerals     = regexp.MustCompile(`(?i)-?(?:\d[\d.]*(?:e[+-]?\d+)?|inf|nan)\b`)
	values       = regexp.MustCompile(`(?m)^  [^\[].*$`)
	statuses     = regexp.MustCompile(`(?m)^fmi\w+ +(\S+)$`)
)

// unshown returns what the output and the end of a program lack of a verdict: a crash, a status, or
// a value. It is empty if nothing is missing.
func unshown(v *examine.Verdict, out string, err error) string {
	end, _, _ := strings.Cut(v.Found, " ")
	if strings.HasPrefix(end, "SIG") || strings.HasPrefix(end, "exit(") {
		if how := endOf(err); how != end && (!damages(end) || !damages(how)) {
			return "the end by " + end + " but " + how
		}
		return ""
	}
	if err != nil {
		return "an ordinary end"
	}
	found := v.Found
	if m := shorterShows.FindStringSubmatch(v.Program); m != nil {
		found = m[1] // after fewer calls than in the examination
	}
	if m := hasAnswer.FindStringSubmatch(found); m != nil {
		if m[2] == "NULL" {
			return lacks(out, m[1]+" (nil)")
		}
		return lacks(out, statusLine(m[1], m[2]))
	}
	if m := isAccepted.FindStringSubmatch(found); m != nil {
		return unaccepted(out, m[1])
	}
	if m := keepsEach.FindStringSubmatch(found); m != nil {
		return ungrown(out, m[1])
	}
	// Values differ between processes if they break R12, depend on chance if they break R23, and
	// programs show no settings.
	shows := !strings.HasSuffix(v.ID, "R12") && !byChance(v) && !strings.HasSuffix(v.ID, "Q6")
	if m := hasValue.FindStringSubmatch(found); m != nil && shows {
		return lacksNumber(out, m[1])
	}
	return ""
}

// damages reports whether damaged memory can end a process in this way. Chance decides between
// these ways.
func damages(end string) bool {
	return end == "SIGSEGV" || end == "SIGBUS" || end == "SIGABRT"
}

// endOf describes the end of a process as a verdict does.
func endOf(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return "exit(0)"
	}
	if s, is := exit.Sys().(syscall.WaitStatus); is && s.Signaled() {
		return unix.SignalName(s.Signal())
	}
	return "exit(" + strconv.Itoa(exit.ExitCode()) + ")"
}

// unaccepted returns a status if the last call of a program does not show it: OK is also the
// address of an instance.
func unaccepted(out, status string) string {
	all := statuses.FindAllStringSubmatch(out, -1)
	if len(all) > 0 {
		last := all[len(all)-1][1]
		if last == map[string]string{"OK": "0", "Warning": "1"}[status] ||
			status == "OK" && strings.HasPrefix(last, "0x") {
			return ""
		}
	}
	return "at last the status " + status
}

func lacks(out, text string) string {
	if strings.Contains(out, text) {
		return ""
	}
	return strconv.Quote(text)
}

// statusLine returns the line of a program about a call.
func statusLine(function, status string) string {
	codes := map[string]string{"OK": "0", "Warning": "1", "Discard": "2", "Error": "3",
		"Fatal": "4", "Pending": "5"}
	return function + strings.Repeat(" ", max(0, 28-len(function))) + " " + codes[status] + "\n"
}

// ungrown returns the kind of resource of which a program does not show that more is in use at the
// end than at the beginning.
func ungrown(out, what string) string {
	columns := map[string][]int{"byte": {0, 1}, "bytes": {0, 1}, "descriptor": {2}, "descriptors": {2},
		"thread": {3}, "threads": {3}, "thread-specific": {4}}[what]
	var rows [][]string
	for _, line := range strings.Split(out, "\n") {
		if _, counts, is := strings.Cut(line, "  in use: "); is {
			rows = append(rows, numerals.FindAllString(counts, -1))
		}
	}
	if columns == nil {
		return "" // children are not counted
	}
	for _, c := range columns {
		if len(rows) > 1 && atoi(rows[len(rows)-1][c]) > atoi(rows[0][c]) {
			return ""
		}
	}
	return "the growth of " + what
}

func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// lacksNumber returns a number that a program has not printed among values, whose lines begin with
// two blanks. Statuses and messages do not count.
func lacksNumber(out, text string) string {
	wanted, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	shown := strings.Join(values.FindAllString(out, -1), "\n")
	for _, printed := range numerals.FindAllString(shown, -1) {
		x, err := strconv.ParseFloat(printed, 64)
		if err == nil && (x == wanted || math.IsNaN(x) && math.IsNaN(wanted) ||
			math.Abs(x-wanted) <= 1e-9*math.Abs(wanted)) {
			return ""
		}
	}
	return text
}
