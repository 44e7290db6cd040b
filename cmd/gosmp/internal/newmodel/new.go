// Package newmodel implements gosmp new, which generates the Go module of a new model.
package newmodel

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gosmp/build/scaffold"
	"gosmp/cmd/gosmp/internal/cli"
)

// errCancelled ends a command if a question receives no answer.
var errCancelled = errors.New(
	"cancelled: the input ended before this question was answered, and nothing was written")

// Command implements gosmp new.
type Command struct {
	Name       string `arg:"" help:"Name of the new Go module, such as mysensor or example.org/mysensor."`
	Kind       string `placeholder:"KIND" predictor:"kind" help:"sensor, logical, environment, traffic or plain; in a terminal, the command asks for it, otherwise sensor."`
	Inputs     *int   `placeholder:"N" help:"Number of inputs; in a terminal without --kind, the command asks for it."`
	Outputs    *int   `placeholder:"N" help:"Number of outputs; by default as many as the kind needs."`
	Identifier string `placeholder:"ID" help:"Name of the FMU; by default derived from NAME."`
	FMI        int    `name:"fmi" placeholder:"VERSION" default:"2" help:"FMI version for which the module is packed, 2 or 3; the same model supports both."`
	Dir        string `placeholder:"DIR" help:"Folder to write; by default the last part of NAME."`
	Gosmp      string `placeholder:"DIR" help:"Folder of the checkout of gosmp; by default the checkout in which this command was built."`
	Link       bool   `help:"Use the checkout of gosmp in place, to change both together; by default the module contains a copy of the required packages, so that it builds on other machines."`
}

// Run generates the module of a new model and prints the next steps.
func (c *Command) Run() error {
	r := scaffold.Request{Name: c.Name, Kind: c.Kind, Identifier: c.Identifier, Folder: c.Dir,
		FMI: c.FMI, Link: c.Link}
	if err := c.counts(&r); err != nil {
		return err
	}
	if r.Kind == "" && cli.IsTerminal(os.Stdin) {
		if err := ask(os.Stdin, os.Stdout, &r); err != nil {
			return err
		}
	}
	if err := r.Complete(); err != nil {
		return cli.ExitWith(err, cli.ExitInput)
	}
	var result *scaffold.Result
	err := cli.CleaningUp(func(ctx context.Context) (err error) {
		if r.Gosmp, err = scaffold.Locate(ctx, c.Gosmp); err != nil {
			return err
		}
		result, err = scaffold.Write(ctx, r)
		return err
	})
	if err != nil {
		return cli.FailIf(err, scaffold.ErrTool, scaffold.ErrGosmp)
	}
	return c.report(os.Stdout, result)
}

// KindNames returns the values of --kind.
func KindNames() (names []string) {
	for _, k := range scaffold.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// counts copies the numbers that were given; 0 means that a number was not given.
func (c *Command) counts(r *scaffold.Request) error {
	for _, n := range []struct {
		flag  string
		given *int
		to    *int
	}{{"--inputs", c.Inputs, &r.Inputs}, {"--outputs", c.Outputs, &r.Outputs}} {
		if n.given == nil {
			continue
		}
		if *n.given < 1 {
			return cli.Unexpected(n.flag, *n.given, "1 or more")
		}
		*n.to = *n.given
	}
	return nil
}

// ask asks for the kind, and for the number of inputs unless it is known. An empty answer means the
// default in brackets; after a wrong answer, it asks again.
func ask(in io.Reader, out io.Writer, r *scaffold.Request) error {
	lines := bufio.NewScanner(in)
	kinds := scaffold.Kinds()
	fmt.Fprintln(out, "What kind of model?")
	for _, k := range kinds {
		fmt.Fprintf(out, "  %-12s %s in, %s out: %s\n", k.Name, k.What, k.Gives, k.Does)
	}
	kind := kinds[0]
	err := question(lines, out, "Kind", kind.Name, func(answer string) (err error) {
		kind, err = scaffold.KindNamed(answer)
		return err
	})
	if r.Kind = kind.Name; err != nil || r.Inputs != 0 {
		return err
	}
	return question(lines, out, "Number of "+kind.What+" inputs", strconv.Itoa(kind.Usual),
		func(answer string) error {
			n, err := strconv.Atoi(answer)
			if err != nil || n < 1 {
				return fmt.Errorf("expected a number of at least 1, found %q", answer)
			}
			r.Inputs = n
			return nil
		})
}

// question asks until the answer is valid. The end of the input is not an answer: a user who ends
// it, for instance with Ctrl-D, wants to cancel.
func question(lines *bufio.Scanner, out io.Writer, text, byDefault string,
	use func(string) error) error {
	for {
		fmt.Fprintf(out, "%s [%s]: ", text, byDefault)
		if !lines.Scan() {
			fmt.Fprintln(out)
			if err := lines.Err(); err != nil {
				return fmt.Errorf("cancelled: %w", err)
			}
			return errCancelled
		}
		answer := strings.TrimSpace(lines.Text())
		if answer == "" {
			return use(byDefault)
		}
		err := use(answer)
		if err == nil {
			return nil
		}
		if e := (*scaffold.Error)(nil); errors.As(err, &e) {
			err = fmt.Errorf("expected %s", e.Expected) // the answer to a question has no flag
		}
		fmt.Fprintln(out, err)
	}
}

// report prints what was written, and the next three commands.
func (c *Command) report(w io.Writer, made *scaffold.Result) error {
	folder := made.Folder
	if here, err := os.Getwd(); err == nil {
		if near, err := filepath.Rel(here, folder); err == nil && !strings.HasPrefix(near, "..") {
			folder = near
		}
	}
	if strings.ContainsAny(folder, " \t'\"$&;()") {
		folder = "'" + strings.ReplaceAll(folder, "'", `'\''`) + "'"
	}
	flag, file := "", made.Identifier
	if made.FMI == 3 {
		flag, file = " -fmi 3", file+"-fmi3"
	}
	_, err := fmt.Fprintf(w,
		"%s: %s\n  %s\nNext:\n  cd %s\n  go test ./...   # the model in Go\n  go run . pack%s   "+
			"# builds dist/%s.fmu"+
			"   (make run simulates it in fmpy)\n", made.Identifier, made.Summary,
		strings.Join(made.Files, " "), folder, flag, file)
	return err
}
