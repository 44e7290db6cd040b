// Package bridges implements gosmp bridge, which generates the Go code of a message bridge, and
// inspects DDS domains and ROS 2 graphs.
package bridges

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gosmp/bridge"
	"gosmp/bridge/generate"
	"gosmp/build/scaffold"
	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/wholefile"
)

// Command implements gosmp bridge and its verbs.
type Command struct {
	Generate bridgeGenerate `cmd:"" help:"Write a SUT support package for a bridge: Go types, codecs, table of topics, a program that runs, and its loop-back test."`
	Topics   bridgeTopics   `cmd:"" help:"List the topics of a DDS domain or a ROS 2 graph, with types, QoS and nodes."`
	Echo     bridgeEcho     `cmd:"" help:"Print the messages of a DDS or ROS 2 topic as JSON lines."`
}

type bridgeGenerate struct {
	Config  string `arg:"" predictor:"file" placeholder:"JSON" help:"Configuration of the bridge."`
	Out     string `short:"o" placeholder:"DIR" help:"Folder to write; by default the name of the configuration without its extension."`
	Package string `default:"main" placeholder:"NAME" help:"Name of the Go package. With a name other than main, only types, codecs and the table are written."`
	Gosmp   string `placeholder:"DIR" help:"Folder of the checkout of gosmp; by default the checkout in which this command was built."`
}

var packageName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// Help returns the text that follows the list of flags.
func (bridgeGenerate) Help() string {
	return `Inside a Go module, the files become a package of that module; elsewhere they get ` +
		`their own go.mod. Each call overwrites the files, except main.go, which is written ` +
		`only once so that you can change it. Then: go test . && go run .`
}

// DefaultOut returns the output folder to use if no flag names one.
func (c *bridgeGenerate) DefaultOut() string { return cli.NameAfter(c.Config, "") }

// Run generates the code.
func (c *bridgeGenerate) Run() error {
	if !packageName.MatchString(c.Package) {
		return cli.Unexpected("--package", fmt.Sprintf("%q", c.Package),
			"lower-case letters and digits")
	}
	config, err := bridge.ReadConfig(c.Config)
	if err != nil {
		return err
	}
	if len(config.Topics) == 0 {
		return cli.Unexpected("bridge generate", c.Config+" without messages",
			"at least one in messages")
	}
	if c.Out == "" {
		c.Out = c.DefaultOut()
	}
	files, err := generate.Generate(config, generate.Options{Package: c.Package,
		Source: filepath.Base(c.Config)})
	if err != nil {
		return err
	}
	return cli.CleaningUp(func(ctx context.Context) error {
		if files, err = c.module(ctx, files); err != nil {
			return err
		}
		return c.write(ctx, files)
	})
}

// module adds go.mod and go.sum if the folder is not inside a module.
func (c *bridgeGenerate) module(ctx context.Context, files []generate.File) ([]generate.File,
	error) {
	folder, err := filepath.Abs(c.Out)
	if err != nil || inModule(folder) {
		return files, err
	}
	m := scaffold.Module{Name: strings.ToLower(scaffold.Identifier(filepath.Base(folder))),
		Linked: []string{"gosmp/bridge", "gosmp/bridge/cdr", "gosmp/bridge/server", "gosmp/simapi",
			"gosmp/timebase"}}
	var mod, sum []byte
	if m.Gosmp, err = scaffold.Locate(ctx, c.Gosmp); err == nil {
		mod, sum, err = m.Files(ctx)
	}
	return append(files, generate.File{Name: "go.mod", Data: mod, Once: true},
			generate.File{Name: "go.sum", Data: sum, Once: true}),
		cli.FailIf(err, scaffold.ErrTool, scaffold.ErrGosmp)
}

// inModule reports whether a folder, which need not exist, belongs to a Go module other than one
// generated into it.
func inModule(folder string) bool {
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return true
		}
	}
	return false
}

func (c *bridgeGenerate) write(ctx context.Context, files []generate.File) error {
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(c.Out, f.Name)
		if _, err := os.Stat(name); err == nil && f.Once {
			fmt.Println(name + " (kept)")
			continue
		}
		if err := wholefile.Write(ctx, name, func(w io.Writer) error {
			_, err := w.Write(f.Data)
			return err
		}); err != nil {
			return cli.Flushed(err)
		}
		fmt.Println(name)
	}
	return nil
}
