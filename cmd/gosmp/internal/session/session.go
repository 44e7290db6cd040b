// Package session implements gosmp session, which executes many command lines in one process, one
// after another.
package session

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/importer"
)

// Command implements gosmp session.
type Command struct {
	Fresh bool `help:"Start each FMU in a new process instead of one that has been prepared: slower, with the same results."`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `Each line of standard input is a call as JSON, and each line of standard output ` +
		`its result, in the same order:

  {"arguments": ["run", "sensor.fmu", "--json"], "folder": "/work", "input": ""}
  {"exitCode": 0, "stdout": "...", "stderr": "..."}

folder is the working folder of the call, and input its standard input; both are optional. For ` +
		`the next call with an FMU, its description has already been read, and a process has ` +
		`already loaded its library. From the third run on, a process may serve several runs, ` +
		`one after another, if the FMU repeats its results and leaves nothing behind, so that ` +
		`the results are the same as with separate commands. Other FMUs are named in the field ` +
		`notes of a result, and have a new process for each run. --fresh starts new processes ` +
		`for all. The session ends at the end of the input or on a signal. The Python package ` +
		`uses it in gosmp.Session.`
}

// Execute executes a command line and returns its exit code. The reserve holds everything that is
// kept from one call to the next.
type Execute func(arguments []string, r *importer.Reserve) int

// call is a line of the input, and result is a line of the output.
type call struct {
	Arguments []string `json:"arguments"`
	Folder    string   `json:"folder"`
	Input     string   `json:"input"`
}

type result struct {
	ExitCode int      `json:"exitCode"`
	Stdout   string   `json:"stdout"`
	Stderr   string   `json:"stderr"`
	Notes    []string `json:"notes,omitempty"` // FMUs that need a new process for each run
}

// Run answers calls until the input ends.
func (c *Command) Run(execute Execute) (err error) {
	cli.KeepHandlers()
	s := &session{execute: execute, reserve: &importer.Reserve{Fresh: c.Fresh}}
	if s.home, err = os.Getwd(); err != nil {
		return cli.ExitWith(err, cli.ExitFailed)
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for _, f := range []**os.File{&s.in, &s.out, &s.log} {
		if *f, err = scratch(); err != nil {
			return cli.ExitWith(err, cli.ExitFailed)
		}
	}
	return s.serve(os.Stdin, os.Stdout)
}

// session holds the files that a call uses as standard input, standard output and standard error.
type session struct {
	execute      Execute
	reserve      *importer.Reserve
	home         string
	in, out, log *os.File
}

// scratchFile returns a temporary file in a folder, where possible without a name.
func scratchFile() (*os.File, error) {
	f, err := os.CreateTemp("", "gosmp-session-")
	if err == nil {
		_ = os.Remove(f.Name()) // where open files cannot be removed, it stays until the end
	}
	return f, err
}

func (s *session) close() error {
	err := s.reserve.Close()
	for _, f := range []*os.File{s.in, s.out, s.log} {
		if f != nil {
			_ = f.Close() // its content is no longer needed
			_ = os.Remove(f.Name())
		}
	}
	return err
}

func (s *session) serve(from io.Reader, to io.Writer) error {
	lines, answers := bufio.NewReader(from), json.NewEncoder(to)
	answers.SetEscapeHTML(false)
	for n := 1; ; n++ {
		line, length, err := next(lines, longestCall)
		if length > 0 {
			answer, wrong := refused("line %d: found %d bytes, expected at most %d", n, length,
				longestCall)
			if length <= longestCall {
				answer, wrong = s.answer(n, line)
			}
			if wrong != nil {
				return wrong
			}
			if err := answers.Encode(answer); err != nil {
				return cli.OutputFailed(err)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return cli.ExitWith(err, cli.ExitFailed)
		}
	}
}

// longestCall bounds a line of the input, in bytes. It includes the standard input of the call.
const longestCall = 256 << 20

// next reads a line and returns its length. A line longer than most is skipped.
func next(in *bufio.Reader, most int) (line []byte, length int, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if length += len(part); length <= most {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, length, err
		}
	}
}

// answer executes the call in a line. It returns an error if the session cannot continue.
func (s *session) answer(n int, line []byte) (result, error) {
	var c call
	if err := json.Unmarshal(line, &c); err != nil || len(c.Arguments) == 0 {
		return refused(`line %d: found no call, expected {"arguments": ["run", "sensor.fmu"]}`, n)
	}
	switch c.Arguments[0] {
	case "session", "work":
		return refused("line %d: found the command %q, expected one that ends on its own", n,
			c.Arguments[0])
	}
	folder := s.home
	if c.Folder != "" {
		folder = c.Folder
	}
	if err := os.Chdir(folder); err != nil {
		return refused("line %d: folder: %v", n, err)
	}
	for _, f := range []*os.File{s.in, s.out, s.log} {
		if err := rewritten(f, ""); err != nil {
			return result{}, cli.ExitWith(err, cli.ExitFailed)
		}
	}
	if err := rewritten(s.in, c.Input); err != nil {
		return result{}, cli.ExitWith(err, cli.ExitFailed)
	}
	return s.executed(c.Arguments)
}

func refused(format string, a ...any) (result, error) {
	return result{ExitCode: cli.ExitInput,
		Stderr: "gosmp: error: " + fmt.Sprintf(format, a...) + "\n"}, nil
}

// rewritten replaces the content of a file and rewinds it.
func rewritten(f *os.File, text string) error {
	_, err := f.Seek(0, io.SeekStart)
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil && text != "" {
		if _, err = f.WriteString(text); err == nil {
			_, err = f.Seek(0, io.SeekStart)
		}
	}
	return err
}

// executed executes a command line with files instead of the standard streams.
func (s *session) executed(arguments []string) (r result, err error) {
	in, out, log := os.Stdin, os.Stdout, os.Stderr
	os.Stdin, os.Stdout, os.Stderr = s.in, s.out, s.log
	r.ExitCode = s.execute(arguments, s.reserve)
	for _, n := range s.reserve.Notes() {
		r.Notes = append(r.Notes, n.String())
	}
	os.Stdin, os.Stdout, os.Stderr = in, out, log
	for _, x := range []struct {
		file *os.File
		text *string
	}{{s.out, &r.Stdout}, {s.log, &r.Stderr}} {
		if _, err = x.file.Seek(0, io.SeekStart); err != nil {
			break
		}
		var bytes []byte
		if bytes, err = io.ReadAll(x.file); err != nil {
			break
		}
		*x.text = string(bytes)
	}
	if err != nil {
		err = cli.ExitWith(err, cli.ExitFailed)
	}
	return r, err
}
