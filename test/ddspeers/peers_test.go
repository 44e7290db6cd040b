package ddspeers

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/cdr"
	"gosmp/bridge/dds"
)

// patience is how long a peer may take to start and to finish, even on a loaded machine. A long
// test raises it.
var patience = 90 * time.Second

var domains atomic.Int32

func domain() int { return 1 + (os.Getpid()+7*int(domains.Add(1)))%95 }

// interpreters lists the interpreters that can import a module; without any, the test is skipped.
func interpreters(t *testing.T, module string) (list []string) {
	t.Helper()
	if list = installed(module); len(list) == 0 {
		t.Skipf("no Python with %s: GOSMP_DDS_PYTHON names some", module)
	}
	return list
}

func installed(module string) (list []string) {
	candidates := append(filepath.SplitList(os.Getenv("GOSMP_DDS_PYTHON")),
		os.Getenv("GOSMP_PYTHON"), filepath.Join("..", "..", ".venv", "bin", "python"))
	for _, path := range candidates {
		if path != "" && exec.Command(path, "-c", "import "+module).Run() == nil {
			list = append(list, path)
		}
	}
	return list
}

// peer is a program on another implementation.
type peer struct {
	t     *testing.T
	lines chan map[string]any
	stdin io.WriteCloser
	cmd   *exec.Cmd
}

// start runs a script: verb, domain, topic, type, words of the QoS, count, seconds.
func start(t *testing.T, python, script, verb string, domain int, topic, kind, words string,
	count int) *peer {
	t.Helper()
	return launch(t, python, domain, script, verb, strconv.Itoa(domain), topic, kind, words,
		strconv.Itoa(count), strconv.Itoa(int(patience/time.Second)))
}

// launch runs a script in a domain.
func launch(t *testing.T, python string, domain int, args ...string) *peer {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, python, args...)
	cmd.Env = append(os.Environ(), "ROS_DOMAIN_ID="+strconv.Itoa(domain),
		"ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST", "ROS_LOG_DIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &peer{t: t, lines: make(chan map[string]any, 1000), stdin: in, cmd: cmd}
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			line := map[string]any{}
			if json.Unmarshal(s.Bytes(), &line) == nil {
				p.lines <- line
			}
		}
	}()
	t.Cleanup(func() {
		_ = in.Close()
		cancel()
		_ = cmd.Wait()
	})
	return p
}

// next returns the next line of a peer that has the key.
func (p *peer) next(key string) any {
	p.t.Helper()
	for line := range p.lines {
		if value, has := line[key]; has {
			return value
		}
	}
	require.Fail(p.t, "the peer ended without "+key)
	return nil
}

// end tells the peer to end, and waits for it.
func (p *peer) end() {
	_ = p.stdin.Close()
	for range p.lines {
	}
}

// join joins a domain; its warnings are logged and collected.
func join(t *testing.T, domain int) (p *dds.Participant, warnings chan string) {
	t.Helper()
	warnings = make(chan string, 100)
	p, err := dds.Join(dds.Settings{Domain: domain, Address: netip.MustParseAddr("127.0.0.1"),
		Node: "gosmp", Warn: func(text string) { warnings <- text }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p, warnings
}

func soon(t *testing.T, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, patience, time.Millisecond)
}

func text(s string) []byte {
	return cdr.AppendString(cdr.Begin(nil, cdr.Little), s, cdr.Little)
}

// blob returns the sequence of bytes that the peers create, and its sum.
func blob(k, size int) (payload []byte, sum int) {
	payload = cdr.Append32(cdr.Begin(nil, cdr.Little), uint32(size), cdr.Little)
	for j := range size {
		payload = append(payload, byte(k+j))
		sum += int(byte(k + j))
	}
	return payload, sum % 65536
}

// every calls a function repeatedly until stop is called.
func every(do func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		for t := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-done:
				t.Stop()
				return
			case <-t.C:
				do()
			}
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}

// increasing publishes numbers until a best-effort peer has received some, each newer than the one
// before.
func increasing(t *testing.T, w *dds.Writer, p *peer, count int) {
	k := 0
	defer every(func() { k++; w.Write(text(fmt.Sprintf("%06d", k)), time.Now()) })()
	last := ""
	for range count {
		got, _ := p.next("got").(string)
		require.Greater(t, got, last)
		last = got
	}
}
