package run

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/internal/child"
	"gosmp/internal/fault"
	"gosmp/internal/gate"
	"gosmp/internal/pause"
	"gosmp/osmp"
	"gosmp/run/usage"
	"gosmp/timebase"
)

// program is a driver in its own process, which is started (exec:COMMAND) or listens
// (tcp:HOST:PORT). In each step in which it drives, it receives a SensorView and answers with a
// TrafficUpdate, through its standard input and output or through the connection. Each message is
// preceded by its length in 4 bytes, little-endian, as in OSI trace files; length 0 means that
// there is no answer. Standard error of the program goes to the log. Its input ends with the run.
type program struct {
	address string
	timeout time.Duration // for an answer; 0 for none
	print   func(line string)

	variables []cosim.Variable
	in, out   *cosim.Frame
	conn      io.ReadWriteCloser
	buffers   [2][]byte
	turn      int
	head      [4]byte
	limit     *pause.Repeated // for an answer
	ended     func()          // for the end of a context; created once
}

// The variables of a program.
const (
	programView = iota
	programUpdate
)

// longestMessage is the maximum length of an answer from a program, in bytes.
const longestMessage = 64 << 20

// IsProgram reports whether the model of a scenario is a program rather than a file.
func IsProgram(model string) bool {
	return strings.HasPrefix(model, "exec:") || strings.HasPrefix(model, "tcp:") ||
		strings.HasPrefix(model, gate.Secure)
}

// newProgram returns the part for a program that an option names. The program is started with the
// simulation.
func newProgram(option, text string, o *Options) (*system.Part, error) {
	scheme, rest, _ := strings.Cut(text, ":")
	words := strings.Fields(rest)
	if len(words) == 0 {
		return nil, usage.Unexpected(option, fmt.Sprintf("%q", text),
			"exec:COMMAND, tcp:HOST:PORT or tls:HOST:PORT")
	}
	name := "program"
	if scheme == "exec" {
		name = strings.TrimSuffix(filepath.Base(words[0]), filepath.Ext(words[0]))
	}
	p := &program{address: text, timeout: o.Timeout}
	p.ended = p.interrupt
	p.limit = pause.NewRepeated(p.ended)
	variable := func(k osmp.Kind, role cosim.Role) cosim.Variable {
		return cosim.Variable{Name: k.Prefix, Kind: cosim.Binary, Role: role, Size: 1,
			MIMEType: osmp.MIMEType(k.Message)}
	}
	p.variables = []cosim.Variable{programView: variable(osmp.SensorViewIn, cosim.Input),
		programUpdate: variable(osmp.TrafficUpdateOut, cosim.Output)}
	return &system.Part{Name: name, Other: p}, nil
}

func (p *program) fail(cause error, expected string) error {
	return fault.New(cmp.Or(timedOut(cause), error(programError{})), fault.At(p.address),
		cause.Error(), expected)
}

// programError is the kind of a program's failures. For callers they count as an FMU's.
type programError struct{}

func (programError) Error() string { return "the program has failed" }

func (programError) Is(kind error) bool { return kind == importer.ErrFailed }

func timedOut(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return importer.ErrTimeout
	}
	return nil
}

// Variables returns the messages.
func (p *program) Variables() []cosim.Variable { return p.variables }

// Traits allows steps of any length.
func (p *program) Traits() cosim.Traits { return cosim.Traits{VariableSteps: true} }

// Bind creates the frames.
func (p *program) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	p.in, p.out = cosim.NewFrame(p.variables, in), cosim.NewFrame(p.variables, out)
	return p.in, p.out, nil
}

// Enter starts the program or connects to it.
func (p *program) Enter(ctx context.Context, _ cosim.Setup) error {
	scheme, rest, _ := strings.Cut(p.address, ":")
	if scheme != "exec" {
		limited, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		conn, _, err := gate.Dial(limited, strings.TrimPrefix(p.address, "tcp:"))
		switch {
		case ctx.Err() != nil && err != nil:
			return ctx.Err()
		case err != nil:
			return p.fail(err, "a program that listens there")
		}
		p.conn = conn
		return nil
	}
	words := strings.Fields(rest)
	c := exec.Command(words[0], words[1:]...)
	conn, err := startPiped(c, p.print)
	if err != nil {
		return p.fail(err, "a program that can be started")
	}
	p.conn = conn
	return nil
}

// Exchange does nothing.
func (p *program) Exchange(context.Context) error { return nil }

// Leave does nothing.
func (p *program) Leave(context.Context) error { return nil }

// Step sends the SensorView and waits for the answer.
func (p *program) Step(ctx context.Context, s timebase.Span) (cosim.Advance, error) {
	p.out.SetBlob(0, 0, nil)
	view := p.in.Blob(0, 0)
	if len(view) == 0 { // it does not drive
		return cosim.Advance{Reached: s.End}, nil
	}
	p.deadline(time.Time{})
	stop := context.AfterFunc(ctx, p.ended)
	defer stop()
	if p.timeout > 0 {
		p.limit.Start(p.timeout)
		defer p.limit.Stop()
	}
	answer, err := p.ask(view)
	switch {
	case ctx.Err() != nil:
		return cosim.Advance{}, ctx.Err()
	case err != nil:
		return cosim.Advance{}, p.fail(err, "a TrafficUpdate with its length before it, in 4 bytes")
	}
	p.out.SetBlob(0, 0, answer)
	return cosim.Advance{Reached: s.End}, nil
}

// ask sends a message and reads the answer. The bytes stay valid until the answer after the next.
func (p *program) ask(message []byte) ([]byte, error) {
	binary.LittleEndian.PutUint32(p.head[:], uint32(len(message)))
	if _, err := p.conn.Write(p.head[:]); err != nil {
		return nil, err
	}
	if _, err := p.conn.Write(message); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(p.conn, p.head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(p.head[:])
	if n > longestMessage {
		return nil, fmt.Errorf("an answer of %d bytes", n)
	}
	p.turn = 1 - p.turn
	b := p.buffers[p.turn][:0]
	if cap(b) < int(n) {
		b = make([]byte, 0, 2*n)
	}
	b = b[:n]
	p.buffers[p.turn] = b
	_, err := io.ReadFull(p.conn, b)
	return b, err
}

func (p *program) deadline(at time.Time) {
	if d, is := p.conn.(interface{ SetDeadline(t time.Time) error }); is {
		_ = d.SetDeadline(at) // pipes and connections have deadlines
	}
}

// interrupt unblocks ask.
func (p *program) interrupt() { p.deadline(time.Unix(1, 0)) }

// Stop does nothing: the program sees the end of its input.
func (p *program) Stop(context.Context) error { return nil }

// Close ends the program.
func (p *program) Close() error {
	if p.conn == nil {
		return nil
	}
	err := p.conn.Close()
	p.conn = nil
	return err
}

// piped is a process connected by pipes.
type piped struct {
	process *child.Process
	in, out *os.File // our ends of the pipes
}

// startPiped starts a command whose standard input and output are pipes.
func startPiped(c *exec.Cmd, show func(string)) (*piped, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	c.Stdin, c.Stdout, c.Stderr = childIn, childOut, child.NewLines(show)
	process, err := child.Start(c)
	closed := errors.Join(childIn.Close(), childOut.Close())
	if err = errors.Join(err, closed); err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return &piped{process, in, out}, nil
}

func (p *piped) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *piped) Write(b []byte) (int, error) { return p.in.Write(b) }

// SetDeadline sets the deadline of both pipes.
func (p *piped) SetDeadline(t time.Time) error {
	return errors.Join(p.in.SetDeadline(t), p.out.SetDeadline(t))
}

// grace is the time that a program may take to exit after the end of its input.
const grace = 2 * time.Second

// Close closes the input of the process, and ends it with all processes that it has started.
func (p *piped) Close() error {
	_ = p.in.Close() // the program does not need unread data
	_ = p.out.Close()
	_ = p.process.End(grace) // its exit status after the run is irrelevant
	return nil
}
