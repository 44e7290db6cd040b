// Package sim implements gosmp sim, which checks simulators that offer the simulator support API.
package sim

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/frames"
	"gosmp/internal/decimal"
	"gosmp/internal/finding"
	"gosmp/internal/plaintext"
	"gosmp/internal/regular"
	"gosmp/mocksim/foreign"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/support"
	"gosmp/simapi"
	"gosmp/simapi/check"
)

// errSimulator ends a check that found errors in a simulator; they have been printed.
var errSimulator = cli.Negative("the simulator does not pass, see above")

// Command implements gosmp sim and its verbs.
type Command struct {
	Check simCheckCommand `cmd:"" help:"Make a series of calls to a simulator, and report errors in its integration."`
}

type simCheckCommand struct {
	Address  string        `arg:"" help:"Where the simulator listens, such as 127.0.0.1:7788, or exec:COMMAND for a child process that answers on its standard output."`
	At       string        `default:"0,0,0" placeholder:"X,Y,YAW" help:"Position at which the actors are placed and from which they drive 25 m, in m and rad."`
	Map      string        `placeholder:"FILE" predictor:"file" help:"OpenDRIVE map that the simulator has to load; heights of actors are compared with it (SA12)."`
	Bridge   string        `placeholder:"FILE" predictor:"file" help:"Bridge configuration with the definitions of the messages that the system under test sends (SA28); by default the definitions of common ROS 2 messages."`
	Patience time.Duration `default:"3s" help:"Time limit for calls that have to be answered immediately."`
	JSON     bool          `name:"json" help:"Print one JSON document."`
}

// Help returns the text that follows the list of flags.
func (simCheckCommand) Help() string {
	return `The exit code is 0 without findings, 1 with findings, and 2 if no simulator ` +
		`answers. The simulator must have no simulation in progress; the check makes about ten ` +
		`short ones. docs/SIMAPI.md lists the mistakes by their ids, SA01 to SA30.`
}

// simChecked is the JSON output, which is a contract.
type simChecked struct {
	FormatVersion int          `json:"formatVersion"`
	Address       string       `json:"address"`
	Simulator     string       `json:"simulator"`
	Passed        bool         `json:"passed"`
	Findings      finding.List `json:"findings"`
	Skipped       []string     `json:"skipped"`
}

// Run checks a simulator.
func (c *simCheckCommand) Run() error {
	at, err := parsePose(c.At)
	if err != nil {
		return err
	}
	if c.Patience <= 0 {
		return cli.Unexpected("--patience", c.Patience.String(), "a positive time")
	}
	ctx, stop := cli.UntilEnded()
	defer stop()
	out := bufio.NewWriter(cli.Shown(os.Stdout, c.JSON))
	result, err := c.check(ctx, at, out)
	if by := cli.Ended(ctx); by != nil { // which may be the cause of an error or a finding
		cli.Report(os.Stderr, fmt.Errorf("%s: interrupted", c.Address))
		cli.EndBy(by)
	}
	if err != nil {
		return err
	}
	if err := c.print(out, result); err != nil {
		return cli.Flushed(err)
	}
	if len(result.Findings) > 0 {
		return errSimulator
	}
	return nil
}

// check connects to the simulator and checks it. As text, findings are written when they are made.
func (c *simCheckCommand) check(ctx context.Context, at [3]float64,
	out *bufio.Writer) (*check.Result, error) {
	dial, end, err := c.dialer(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	options := check.Options{Dial: dial, At: at, Patience: c.Patience}
	if options.Message, err = messageJudge(c.Bridge); err != nil {
		return nil, err
	}
	if c.Map != "" {
		if err := useMap(&options, c.Map); err != nil {
			return nil, err
		}
	}
	client, err := dial(ctx, "gosmp sim check", simapi.Role_SSP)
	if err != nil {
		return nil, err
	}
	if err := client.Close(); err != nil {
		return nil, err
	}
	if !c.JSON {
		fmt.Fprintf(out, "%s: %s\n", c.Address, client.Simulator())
		_ = out.Flush() // the writer keeps the error
		options.Found = func(f finding.Finding) {
			if cli.Ended(ctx) == nil { // which may be the cause of a finding
				fmt.Fprintf(out, "  %s\n", f)
				_ = out.Flush()
			}
		}
	}
	result := check.Run(ctx, options)
	return &result, nil
}

// dialer returns a function that connects to the simulator; end closes everything that was started.
func (c *simCheckCommand) dialer(ctx context.Context) (dial func(context.Context, string,
	simapi.Role) (*simapi.Client, error), end func(), err error) {
	address := strings.TrimPrefix(c.Address, "tcp:")
	if !strings.HasPrefix(address, "exec:") {
		return check.TCP(address), func() {}, nil
	}
	server, closeAll, err := foreign.Serve(ctx, address, foreign.Options{
		Log: func(line string) { fmt.Fprintln(plaintext.Writer(os.Stderr), line) }})
	if err != nil {
		return nil, nil, err
	}
	return func(_ context.Context, name string, role simapi.Role) (*simapi.Client, error) {
		return server.Connect(name, role)
	}, func() { _ = closeAll() }, nil // the findings have been printed
}

// useMap makes the simulator load a map, and makes the check compare heights with the map.
func useMap(o *check.Options, path string) error {
	content, err := regular.ReadFile(path)
	if err != nil {
		return err
	}
	m, err := opendrive.Read(path, bytes.NewReader(content))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	o.Map = &simapi.MapInfo{Path: absolute, Sha256: hex.EncodeToString(sum[:])}
	o.Ground = support.Ground{Map: m}
	if place := m.Locate(frames.Vector{X: o.At[0], Y: o.At[1]}); place.Lane == nil {
		return cli.Unexpected("--at", fmt.Sprintf("(%g, %g), which is %.1f m off the road", o.At[0],
			o.At[1], place.Distance), "a place on a lane of "+path)
	}
	return nil
}

// print writes the result as JSON, or the end of the text.
func (c *simCheckCommand) print(out *bufio.Writer, r *check.Result) error {
	if c.JSON {
		doc := simChecked{1, c.Address, r.Simulator, len(r.Findings) == 0, r.Findings, r.Skipped}
		if doc.Findings == nil {
			doc.Findings = finding.List{}
		}
		if doc.Skipped == nil {
			doc.Skipped = []string{}
		}
		if err := cli.WriteJSON(out, doc); err != nil {
			return err
		}
		return out.Flush()
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(out, "  not checked: %s\n", s)
	}
	if len(r.Findings) == 0 {
		fmt.Fprintln(out, "  no mistakes found")
	}
	return out.Flush()
}

// parsePose parses "x,y,yaw".
func parsePose(text string) (pose [3]float64, err error) {
	parts := strings.Split(text, ",")
	if len(parts) != len(pose) {
		return pose, cli.Unexpected("--at", text, "three numbers: x,y,yaw")
	}
	for k, part := range parts {
		if pose[k], err = decimal.Float(strings.TrimSpace(part), 64); err != nil {
			return pose, cli.Unexpected("--at", part, "a number")
		}
	}
	return pose, nil
}
