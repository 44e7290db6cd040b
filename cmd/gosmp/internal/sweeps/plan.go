package sweeps

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/quantity"
	"gosmp/run/campaign"
	"gosmp/sweep"
)

// planSweep writes job files.
type planSweep struct {
	Plan       string        `arg:"" predictor:"file" help:"Plan (YAML, .xosc of OpenSCENARIO, or a table in CSV), see docs/SWEEP.md."`
	Slurm      bool          `xor:"system" required:"" help:"Write the script of a job array, for sbatch."`
	Kubernetes bool          `xor:"system" required:"" help:"Write an indexed Job, for kubectl apply."`
	Shards     int           `default:"16" placeholder:"N" help:"Number of tasks that share the runs; at most one per run."`
	Cpus       int           `default:"2" placeholder:"N" help:"Processors per task, which is also the number of cases that it runs at the same time."`
	Memory     int           `default:"4" placeholder:"GIB" help:"Memory of each task in GiB."`
	Limit      time.Duration `placeholder:"TIME" help:"Time limit of a task, such as 12h. By default the limit of the batch system."`
	Store      string        `default:"runs" placeholder:"DIR" help:"Folder with the rows of finished runs, shared by all tasks, as seen by the tasks."`
	Gosmp      string        `default:"gosmp" placeholder:"COMMAND" help:"Command to run gosmp on the machines of the tasks."`
	Image      string        `placeholder:"IMAGE" help:"Container image with gosmp, for Kubernetes."`
	Claim      string        `default:"sweep" placeholder:"NAME" help:"Persistent volume claim with the folder of the plan, for Kubernetes. All pods must be able to write to it."`
	Library    []string      `name:"library-path" sep:"none" predictor:"file" placeholder:"DIR" help:"Folder in which the tasks look for FMUs that are not at the path given in the experiment or system, as in gosmp run. May be repeated."`
	Out        string        `short:"o" predictor:"file" placeholder:"FILE" help:"File to write; by default standard output."`
}

// Help returns the text that follows the list of flags.
func (planSweep) Help() string {
	return `Each task runs gosmp sweep PLAN --shard I/N with a store that all tasks share, so ` +
		`that a restarted task resumes where it stopped. When all have ended, gosmp sweep PLAN ` +
		`with the same store writes the results of the whole.

Exit codes: 0 written; 2 the plan cannot be used.`
}

// Run writes the file.
func (c *planSweep) Run() error {
	s, err := campaign.Open(campaign.Options{File: c.Plan, Library: c.Library})
	if err != nil {
		return err
	}
	switch {
	case c.Shards < 1:
		return cli.Unexpected("--shards", c.Shards, "a number of at least 1")
	case c.Cpus < 1:
		return cli.Unexpected("--cpus", c.Cpus, "a number of at least 1")
	case c.Memory < 1:
		return cli.Unexpected("--memory", c.Memory, "a number of GiB, at least 1")
	case c.Kubernetes && c.Image == "":
		return cli.Unexpected("--image", "none", "the container image of the pods")
	}
	j := &sweep.Jobs{Plan: c.Plan, Store: c.Store, Shards: min(c.Shards, len(s.Cases())),
		Processors: c.Cpus, Memory: c.Memory, Limit: c.Limit, Command: c.Gosmp, Image: c.Image,
		Claim: c.Claim, Library: c.Library}
	write := j.Slurm
	if c.Kubernetes {
		write = j.Kubernetes
	}
	var text bytes.Buffer // an error up to here is about the plan, not about the output
	if err := write(&text); err != nil {
		return err
	}
	if c.Out == "" {
		_, err := text.WriteTo(os.Stdout)
		return cli.Flushed(err)
	}
	if err := cli.WriteFile(c.Out, func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	}); err != nil {
		return err
	}
	_, err = fmt.Printf("%s: %s in %s; when all have ended: %s\n", c.Out,
		quantity.Of(len(s.Cases()), "run"), quantity.Of(j.Shards, "task"), j.Whole())
	return cli.Flushed(err)
}
