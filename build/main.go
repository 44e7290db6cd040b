//go:build !fmucore

package build

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"gosmp/fmu"
)

// Option describes the program and its model to Main.
type Option func(*program)

// Documentation adds HTML to the FMU's documentation/index.html: explanations that only the model's
// author can give, such as the columns of its files. It is a sequence of sections, each of which
// starts with an <h2>. It is used as it is, without escaping.
func Documentation(html string) Option {
	return func(p *program) { p.documentation = html }
}

// Examination makes pack ask the model whether it can be used with the chosen start values and
// resources, before anything is built.
func Examination(examiner Examiner) Option {
	return func(p *program) { p.examiner = examiner }
}

// Bundles adds a file to the FMU that the model reads from its resources.
func Bundles(b Bundled) Option {
	return func(p *program) { p.bundled = append(p.bundled, b) }
}

// Main is the main function of a program that is an FMU: definition is the model that it has
// registered with gosmp/export. It interprets the command line and exits with 0, with 1 after an
// error, or with 2 if the command line is wrong.
func Main(definition func() *fmu.Definition, options ...Option) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := &program{definition: definition, out: os.Stdout, messages: os.Stderr}
	for _, o := range options {
		o(p)
	}
	err := p.run(ctx, os.Args[1:])
	stop()
	p.report(err)
	os.Exit(exitCode(err))
}

func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrUsage):
		return 2
	default:
		return 1
	}
}
