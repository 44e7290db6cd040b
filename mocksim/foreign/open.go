package foreign

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"time"

	"gosmp/internal/fault"
	"gosmp/internal/gate"
	"gosmp/simapi"
	"gosmp/timebase"
)

// ErrAddress reports an address that does not name a simulator.
var ErrAddress = errors.New("not a simulator")

// Options configure a third-party simulator.
type Options struct {
	Step timebase.Grid // the step of the world
	Seed uint64
	// Log receives each line that the simulator writes; may be nil.
	Log func(line string)
	// Patience is the longest time that a call may take; 0: a minute.
	Patience time.Duration
}

const (
	execPrefix = "exec:"
	tcpPrefix  = "tcp:"
	// party is the name by which gosmp identifies itself to a simulator.
	party = "gosmp"
)

// Check refuses an address that cannot belong to a simulator, and a command that does not exist.
func Check(address string) error {
	if command, isExec := strings.CutPrefix(address, execPrefix); isExec &&
		len(Words(command)) > 0 {
		if _, err := exec.LookPath(Words(command)[0]); err != nil {
			return fault.Wrap(ErrAddress, fault.At("simulator"), err).
				WithHint("correct the command after exec:")
		}
		return nil
	}
	if host, isServer := remote(address); isServer {
		_, host = gate.Cut(strings.TrimPrefix(host, gate.Secure))
		if _, port, err := net.SplitHostPort(host); err == nil && port != "" {
			return nil
		}
	}
	return &fault.Error{Place: fault.At("simulator"), Kind: ErrAddress, Found: `"` + address + `"`,
		Expected: "exec:COMMAND, tcp:HOST:PORT or tls:HOST:PORT"}
}

// remote returns the address of a server for [simapi.Dial].
func remote(address string) (host string, is bool) {
	if host, is = strings.CutPrefix(address, tcpPrefix); is {
		return host, true
	}
	if strings.HasPrefix(address, gate.Secure) && address != gate.Secure {
		return address, true
	}
	return "", false
}

// Connection is a simulator together with a client that directs it.
type Connection struct {
	*simapi.Client
	address string // address of a server without token; "" for a child, whose errors name it
	close   func() error
}

// from adds the server's name to an error.
func (c *Connection) from(err error) error {
	if err == nil || c.address == "" {
		return err
	}
	return fmt.Errorf("%s: %w", c.address, err)
}

// Close ends the connection, and the child if there is one.
func (c *Connection) Close() error { return c.close() }

// Open connects to a simulator.
func Open(ctx context.Context, address string, o Options) (*Connection, error) {
	if err := Check(address); err != nil {
		return nil, err
	}
	if host, is := remote(address); is {
		c, err := simapi.Dial(ctx, host, party, simapi.Role_SSP)
		if err != nil {
			return nil, err
		}
		_, bare := gate.Cut(strings.TrimPrefix(host, gate.Secure))
		return &Connection{c, bare, c.Close}, nil
	}
	server, end, err := Serve(ctx, address, o)
	if err != nil {
		return nil, err
	}
	c, err := server.Connect(party, simapi.Role_SSP)
	if err != nil {
		return nil, errors.Join(err, end())
	}
	return &Connection{c, "", func() error { return errors.Join(c.Close(), end()) }}, nil
}

// Serve starts the child process of an exec: address, and a server for it. end stops both.
func Serve(ctx context.Context, address string, o Options) (s *simapi.Server, end func() error,
	err error) {
	child, err := Start(ctx, strings.TrimPrefix(address, execPrefix), o)
	if err != nil {
		return nil, nil, err
	}
	s = simapi.NewServer(simapi.Config{Name: child.Name(), Simulator: child})
	return s, func() error { return errors.Join(s.Close(), child.Close()) }, nil
}

// Words splits a command at spaces, except inside quotes.
func Words(command string) (list []string) {
	var word strings.Builder
	var quote rune
	inside := false
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, inside = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if inside {
				list = append(list, word.String())
			}
			word.Reset()
			inside = false
		default:
			word.WriteRune(r)
			inside = true
		}
	}
	if inside {
		list = append(list, word.String())
	}
	return list
}
