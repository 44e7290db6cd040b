package foreign

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/child"
	"gosmp/internal/fault"
	"gosmp/internal/pause"
	"gosmp/simapi"
)

const (
	patience = time.Minute
	// parting is the time that a child has to exit after its input is closed.
	parting = 3 * time.Second
)

// pipe carries calls to a child process, one at a time.
type pipe struct {
	command  string
	process  *child.Process
	in       io.WriteCloser
	answers  io.Closer          // our end of the child's output
	out      chan *simapi.Frame // replies; closed at the end of the child's output
	next     chan struct{}      // the previous reply was read
	unwanted chan struct{}      // closed when no further reply is wanted
	parted   sync.Once
	failure  error // the error of the output, when out is closed
	id       uint64
	body     []byte
	buffer   []byte
	notes    []string
	patience time.Duration
	limit    *pause.Repeated // for sending a call, and then for its reply
	expired  chan struct{}   // receives when the limit is over
	broken   error
	log      *child.Lines
	say      func(string)
	ended    chan struct{}
	state    error // the error of the process, once it has ended
}

// start runs a command.
func start(ctx context.Context, command string, o Options) (*pipe, error) {
	list := Words(command)
	if len(list) == 0 {
		return nil, Check(execPrefix + command)
	}
	cmd := exec.CommandContext(ctx, list[0], list[1:]...)
	p := &pipe{command: command, out: make(chan *simapi.Frame), next: make(chan struct{}),
		unwanted: make(chan struct{}), patience: o.Patience,
		log: child.NewLines(o.Log), say: o.Log, ended: make(chan struct{}),
		expired: make(chan struct{}, 1)}
	p.limit = pause.NewRepeated(p.expire)
	if p.patience == 0 {
		p.patience = patience
	}
	cmd.Stderr = p.log
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.process, err = child.Start(cmd); err != nil {
		return nil, &fault.Error{Place: fault.At(command), Kind: ErrAddress, Cause: err,
			Hint: "correct the command after exec:"}
	}
	p.answers = out
	go p.listen(out)
	return p, nil
}

// kill ends the child and all that it has started. Closing our end of its output ends listen even
// if another process holds the other end.
func (p *pipe) kill() {
	p.part()
	p.process.Kill()
	_ = p.answers.Close()
}

// part lets listen discard further replies.
func (p *pipe) part() { p.parted.Do(func() { close(p.unwanted) }) }

// listen reads the replies.
func (p *pipe) listen(out io.Reader) {
	in := bufio.NewReaderSize(out, 64<<10)
	frames, spoken := simapi.NewFrameReader(in), child.NewLines(p.say)
	var frame simapi.Frame
	for {
		passText(in, spoken)
		if p.failure = frames.Next(&frame); p.failure != nil || !p.pass(&frame) {
			break
		}
	}
	close(p.out)
	if !errors.Is(p.failure, io.EOF) { // the remaining output is useless
		p.kill()
	}
	p.state = p.process.End(parting)
	close(p.ended)
}

// pass passes on a reply, and waits until it has been read. It returns false if no call waits for a
// reply and none will follow.
func (p *pipe) pass(reply *simapi.Frame) bool {
	select {
	case p.out <- reply:
		<-p.next
		return true
	case <-p.unwanted:
		return false
	}
}

// call makes a call. reply may be nil.
func (p *pipe) call(m simapi.Method, request, reply proto.Message) error {
	if p.broken != nil {
		return p.broken
	}
	err := p.exchange(m, request, reply)
	var answer *simapi.RemoteError
	if err != nil && !errors.As(err, &answer) {
		p.broken = err
	}
	return err
}

func (p *pipe) exchange(m simapi.Method, request, reply proto.Message) (err error) {
	p.notes = nil
	if p.body, err = (proto.MarshalOptions{}).MarshalAppend(p.body[:0], request); err != nil {
		return err
	}
	p.id++
	p.buffer, err = simapi.AppendFrame(p.buffer[:0],
		&simapi.Frame{Id: p.id, Method: m, Body: p.body})
	if err != nil {
		return err
	}
	if err := p.send(p.buffer); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return p.late(m)
		}
		return p.lost(m, err)
	}
	p.begin()
	defer p.limit.Stop()
	select {
	case frame, ok := <-p.out:
		if !ok {
			return p.lost(m, p.failure)
		}
		defer func() { p.next <- struct{}{} }()
		return p.read(m, frame, reply)
	case <-p.expired:
		return p.late(m)
	}
}

// begin starts the limit.
func (p *pipe) begin() {
	select {
	case <-p.expired: // something was in time nevertheless
	default:
	}
	p.limit.Start(p.patience)
}

// expire unblocks exchange.
func (p *pipe) expire() {
	p.writeUntil(time.Unix(1, 0))
	p.expired <- struct{}{}
}

// writeUntil sets the deadline for writing to the child.
func (p *pipe) writeUntil(at time.Time) {
	if d, is := p.in.(interface{ SetWriteDeadline(t time.Time) error }); is {
		_ = d.SetWriteDeadline(at) // pipes have deadlines
	}
}

// send writes a call. A child that does not read it is given as much time as for an answer.
func (p *pipe) send(b []byte) error {
	p.writeUntil(time.Time{})
	p.begin()
	defer p.limit.Stop()
	_, err := p.in.Write(b)
	return err
}

// late ends a child that takes too long.
func (p *pipe) late(m simapi.Method) error {
	p.kill()
	return &simapi.Error{Place: fault.At(m.Word()), Kind: simapi.Code_TIMEOUT,
		Found: fmt.Sprintf("no answer from %s within %s", p.command, p.patience)}
}

// read reads an answer.
func (p *pipe) read(m simapi.Method, frame *simapi.Frame, reply proto.Message) error {
	status := frame.GetStatus()
	if frame.GetId() != p.id {
		return &simapi.Error{Place: fault.At(m.Word()), Kind: simapi.Code_INTERNAL,
			Found:    fmt.Sprintf("an answer of %s to call %d", p.command, frame.GetId()),
			Expected: fmt.Sprintf("one to call %d", p.id)}
	}
	p.notes = append(p.notes, status.GetInfo()...)
	if status.GetCode() != simapi.Code_OK {
		return &simapi.RemoteError{Status: proto.CloneOf(status)}
	}
	if reply == nil {
		return nil
	}
	if err := proto.Unmarshal(frame.GetBody(), reply); err != nil {
		return &simapi.Error{Place: fault.At(m.Word()), Kind: simapi.Code_INTERNAL, Cause: err,
			Found: "a body that is not a " +
				string(reply.ProtoReflect().Descriptor().Name())}
	}
	return nil
}

// lost returns the error for a child that did not answer.
func (p *pipe) lost(m simapi.Method, cause error) error {
	e := &simapi.Error{Place: fault.At(m.Word()), Kind: simapi.Code_PARTY_LOST,
		Found: p.command + " has closed its output"}
	late, stop := pause.Late(parting)
	defer stop()
	select {
	case <-p.ended:
		e.Found = p.command + " has ended"
		if p.state != nil {
			e.Found += " with " + p.state.Error()
		}
	case <-late:
	}
	if last := p.log.Last(); last != "" {
		e.Found += ", and has said: " + last
	}
	if !errors.Is(cause, io.EOF) {
		e.Cause = cause
	}
	return e
}

// close lets the child exit by itself, and kills it if it does not.
func (p *pipe) close() error {
	_ = p.in.Close() // the child sees the end of its input
	p.part()
	late, stop := pause.Late(parting)
	defer stop()
	select {
	case <-p.ended:
	case <-late:
		p.kill()
		<-p.ended
	}
	return nil
}

// passText passes on text between frames, such as a warning that a library prints when it is
// loaded. Frames cannot begin like text, because the first byte of their lengths is 0 or 1.
func passText(in *bufio.Reader, to *child.Lines) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			break
		}
		if b != '\n' && b != '\t' && b != '\r' && b != 0x1b && b < ' ' {
			_ = in.UnreadByte() // it was just read
			break
		}
		_, _ = to.Write([]byte{b}) // never fails
	}
	to.Flush()
}
