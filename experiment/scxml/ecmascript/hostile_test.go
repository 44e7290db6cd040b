package ecmascript_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
)

// mostResident bounds the resident memory of a process that runs a hostile script, in MB.
const mostResident = 500

const (
	hostileChild = "GOSMP_HOSTILE_SCRIPTS" // set in the process that runs the scripts
	hostileShort = "GOSMP_HOSTILE_SHORT"   // only the first ones, which reach their bounds quickly
)

// TestModel_HostileScripts runs scripts that would use up all memory, in a process that reports its
// peak after each of them.
func TestModel_HostileScripts(t *testing.T) {
	text, err := os.ReadFile("testdata/hostile.txt")
	require.NoError(t, err)
	if os.Getenv(hostileChild) != "" {
		runHostile(t, strings.Split(strings.TrimSpace(string(text)), "\n"))
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("the peak of the resident memory is read from /proc")
	}
	c := exec.Command(os.Args[0], "-test.run=^TestModel_HostileScripts$", "-test.v")
	c.Env = append(os.Environ(), hostileChild+"=1")
	if testing.Short() {
		c.Env = append(c.Env, hostileShort+"=1")
	}
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	t.Log(string(out))
}

func runHostile(t *testing.T, scripts []string) {
	if os.Getenv(hostileShort) != "" {
		scripts = scripts[:60]
	}
	const limit = 100 * time.Millisecond
	for _, script := range scripts {
		debug.FreeOSMemory()
		_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // resets the peak
		begun := time.Now()
		err := runScript(t, limit, script)
		mb := peak(t)
		fmt.Printf("%4d MB %6.2f s %s: %.60v\n", mb, time.Since(begun).Seconds(), script, err)
		require.Less(t, mb, mostResident, script)
		require.NotContains(t, fmt.Sprint(err), "the engine has failed", script)
	}
}

// runScript returns why a script was ended, or nil.
func runScript(t *testing.T, limit time.Duration, script string) error {
	t.Helper()
	c, err := scxml.Parse("test.scxml", []byte(
		`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><script><![CDATA[`+script+
			`]]></script><state id="s"/></scxml>`),
		scxml.Config{Languages: []scxml.Language{ecmascript.Language{Timeout: limit}}})
	if err != nil {
		return err
	}
	var raised error
	m, err := scxml.NewSystem(scxml.Options{Observe: func(r scxml.Record) {
		if r.Kind == scxml.Raised {
			require.Contains(t, r.Text, `"line":1`)
			raised = fmt.Errorf("%s", r.Text)
		}
	}}).Add("m", c)
	require.NoError(t, err)
	if err := m.Start(); err != nil {
		require.ErrorContains(t, err, "test.scxml:1:")
		return err
	}
	return raised
}

// peak returns the largest resident memory of this process, in MB.
func peak(t *testing.T) int {
	f, err := os.Open("/proc/self/status")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	for s := bufio.NewScanner(f); s.Scan(); {
		if kb, is := strings.CutPrefix(s.Text(), "VmHWM:"); is {
			n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(kb), " kB"))
			require.NoError(t, err)
			return n >> 10
		}
	}
	t.Fatal("no peak in /proc/self/status")
	return 0
}
