package sweep

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"gosmp/internal/fault"
	"gosmp/internal/plaintext"
)

// Jobs describes the shards of a sweep as the tasks of a batch system. All tasks share a folder
// that contains the plan and the store.
type Jobs struct {
	Plan       string // as the tasks see it
	Store      string
	Shards     int
	Processors int           // per task
	Memory     int           // GiB per task
	Limit      time.Duration // real time per task; 0 means the limit of the batch system
	Command    string        // gosmp as the tasks see it
	Image      string        // container image with gosmp, for Kubernetes
	Claim      string        // persistent volume claim of the shared folder, for Kubernetes
	Library    []string      // folders with FMUs, as the tasks see them
}

// folder is the path at which Kubernetes tasks find the shared folder.
const folder = "/sweep"

// attempts is the number of attempts at a Kubernetes task whose pod ends or vanishes. A restarted
// task continues where it left off.
const attempts = 5

// check refuses names that cannot appear in a script: a line feed would end a comment or a command,
// and the text after it would be executed as the next one. Bytes that are not UTF-8 would become
// other names.
func (j *Jobs) check() error {
	unfit := func(c rune) bool { return c == '\n' || c == '\t' || !plaintext.Safe(c) }
	for _, name := range append([]string{j.Plan, j.Store, j.Command, j.Image, j.Claim},
		j.Library...) {
		if strings.ContainsFunc(name, unfit) || !utf8.ValidString(name) {
			return fault.New(ErrPlan, fault.At("jobs"), fmt.Sprintf("the name %q", name),
				"one in UTF-8 without control characters").WithHint("rename the file")
		}
	}
	return nil
}

// Name returns the name of the plan, reduced to the characters that the name of a job may have:
// lower-case letters, digits and -.
func (j *Jobs) Name() string {
	base := strings.ToLower(filepath.Base(j.Plan))
	base = strings.TrimSuffix(strings.TrimSuffix(base, filepath.Ext(base)), ".sweep")
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, base)
	const longest = 50 // Kubernetes allows 63 and appends to the name
	if name = strings.Trim(name[:min(len(name), longest)], "-"); name == "" {
		return "sweep"
	}
	return name
}

// Whole returns the command that writes the results once all tasks have ended.
func (j *Jobs) Whole() string {
	plan, store := quoted(notFlag(j.Plan)), quoted(notFlag(j.Store))
	whole := fmt.Sprintf("%s sweep %s --store %s", quoted(j.Command), plan, store)
	for _, folder := range j.Library {
		whole += " --library-path " + quoted(notFlag(folder))
	}
	return whole
}

// part returns the script of a task; number is the shell variable with the task's number, counted
// from 1. Runs that did not pass are results, too, so a task fails only if it could not do its
// work.
func (j *Jobs) part(number string) string {
	return fmt.Sprintf("%s --out \"%s.part-%s\" --shard \"%s/%d\" --jobs %d || [ $? -eq 1 ]",
		j.Whole(), j.Name(), number, number, j.Shards, j.Processors)
}

// notFlag returns a path in a form that no command mistakes for a flag.
func notFlag(path string) string {
	if strings.HasPrefix(path, "-") {
		return "./" + path
	}
	return path
}

// quoted quotes a word for a shell.
func quoted(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("_-./:@+=,", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

var slurm = template.Must(template.New("slurm").Parse(`#!/bin/bash
#SBATCH --job-name={{.Name}}
#SBATCH --array=1-{{.Shards}}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={{.Processors}}
#SBATCH --mem={{.Memory}}G
{{- with .Minutes}}
#SBATCH --time={{.}}
{{- end}}
#SBATCH --output={{.Name}}.part-%a.log
#SBATCH --requeue

# Start it in the folder in which {{.Seen}} is found: sbatch FILE. A task that is started again ` +
	`continues where it was.
# When all tasks have ended, this command writes the results of the whole sweep:
#   {{.Whole}}
set -eu
{{.Task}}
`))

// Slurm writes the batch script of a job array, for sbatch.
func (j *Jobs) Slurm(w io.Writer) error {
	if err := j.check(); err != nil {
		return err
	}
	return slurm.Execute(w, struct {
		*Jobs
		Seen    string
		Minutes int64
		Task    string
	}{j, quoted(j.Plan), int64((j.Limit + time.Minute - 1) / time.Minute),
		j.part("$SLURM_ARRAY_TASK_ID")})
}

// The members of a Kubernetes Job (batch/v1) that a sweep needs, in the order of its documentation.
type (
	job struct {
		APIVersion string   `yaml:"apiVersion"`
		Kind       string   `yaml:"kind"`
		Metadata   metadata `yaml:"metadata"`
		Spec       jobSpec  `yaml:"spec"`
	}
	metadata struct {
		Name string `yaml:"name"`
	}
	jobSpec struct {
		CompletionMode       string      `yaml:"completionMode"`
		Completions          int         `yaml:"completions"`
		Parallelism          int         `yaml:"parallelism"`
		BackoffLimitPerIndex int         `yaml:"backoffLimitPerIndex"`
		MaxFailedIndexes     int         `yaml:"maxFailedIndexes"`
		Template             podTemplate `yaml:"template"`
	}
	podTemplate struct {
		Spec podSpec `yaml:"spec"`
	}
	podSpec struct {
		RestartPolicy string      `yaml:"restartPolicy"`
		Deadline      int64       `yaml:"activeDeadlineSeconds,omitempty"`
		Containers    []container `yaml:"containers"`
		Volumes       []volume    `yaml:"volumes"`
	}
	container struct {
		Name       string    `yaml:"name"`
		Image      string    `yaml:"image"`
		Command    []string  `yaml:"command,flow"`
		Args       []string  `yaml:"args"`
		WorkingDir string    `yaml:"workingDir"`
		Resources  resources `yaml:"resources"`
		Mounts     []mount   `yaml:"volumeMounts"`
	}
	resources struct {
		Requests amounts `yaml:"requests"`
		Limits   amounts `yaml:"limits"`
	}
	amounts struct {
		CPU    string `yaml:"cpu"`
		Memory string `yaml:"memory"`
	}
	mount struct {
		Name      string `yaml:"name"`
		MountPath string `yaml:"mountPath"`
	}
	volume struct {
		Name  string `yaml:"name"`
		Claim struct {
			Name string `yaml:"claimName"`
		} `yaml:"persistentVolumeClaim"`
	}
)

// Kubernetes writes an indexed Job, for kubectl apply.
func (j *Jobs) Kubernetes(w io.Writer) error {
	if err := j.check(); err != nil {
		return err
	}
	needs := amounts{CPU: fmt.Sprint(j.Processors), Memory: fmt.Sprintf("%dGi", j.Memory)}
	pod := podSpec{RestartPolicy: "Never",
		Deadline: int64((j.Limit + time.Second - 1) / time.Second),
		Volumes:  []volume{{Name: "sweep"}}, Containers: []container{{Name: "gosmp", Image: j.Image,
			Command: []string{"/bin/sh", "-euc"},
			Args: []string{"n=$((JOB_COMPLETION_INDEX + 1))\n" +
				j.part("$n") + "\n"}, WorkingDir: folder,
			Resources: resources{Requests: needs, Limits: needs},
			Mounts:    []mount{{"sweep", folder}}}}}
	pod.Volumes[0].Claim.Name = j.Claim
	document := job{APIVersion: "batch/v1", Kind: "Job", Metadata: metadata{j.Name()},
		Spec: jobSpec{CompletionMode: "Indexed", Completions: j.Shards, Parallelism: j.Shards,
			BackoffLimitPerIndex: attempts, MaxFailedIndexes: j.Shards, Template: podTemplate{pod}}}
	var text bytes.Buffer
	fmt.Fprintf(&text,
		"# kubectl apply -f FILE. A pod that is started again continues where the last "+
			"one stopped.\n"+
			"# When the job has ended, this command writes the results of the whole sweep, "+
			"in %s:\n#   %s\n", folder, j.Whole())
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := e.Encode(document); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}
