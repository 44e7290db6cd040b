package sweep_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"gosmp/sweep"
)

// awkward returns a job with arguments that a shell would split.
func awkward() *sweep.Jobs {
	return &sweep.Jobs{Plan: "it's a $HOME plan.sweep.yaml", Store: "a b", Shards: 3, Processors: 2,
		Memory: 4, Limit: 90 * time.Second, Command: "./stand in",
		Image: "images.example/gosmp:0.1.0", Claim: "shared"}
}

// standIn returns a program that records its arguments and exits with a given code.
func standIn(t *testing.T, code int) string {
	dir := t.TempDir()
	script := "#!/bin/sh\nfor a; do printf '%s\\n' \"$a\" >>arguments; done\nexit " +
		strconv.Itoa(code) + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stand in"), []byte(script), 0o700)) //nolint:gosec // a program
	return dir
}

// TestJobs_Tasks: each task of both systems runs its shard, and fails only if the sweep could not
// be run.
func TestJobs_Tasks(t *testing.T) {
	j := awkward()
	var slurm, kubernetes bytes.Buffer
	require.NoError(t, j.Slurm(&slurm))
	require.NoError(t, j.Kubernetes(&kubernetes))
	var pod struct {
		Spec struct {
			Template struct {
				Spec struct {
					Deadline   int64 `yaml:"activeDeadlineSeconds"`
					Containers []struct{ Command, Args []string }
				}
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(kubernetes.Bytes(), &pod))
	require.EqualValues(t, 90, pod.Spec.Template.Spec.Deadline)
	c := pod.Spec.Template.Spec.Containers[0]
	for name, task := range map[string]func(int) *exec.Cmd{
		"slurm": func(n int) *exec.Cmd {
			c := exec.Command("bash")
			c.Stdin = strings.NewReader(slurm.String())
			c.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID="+strconv.Itoa(n))
			return c
		},
		"kubernetes": func(n int) *exec.Cmd {
			c := exec.Command(c.Command[0], append(c.Command[1:len(c.Command):len(c.Command)],
				c.Args...)...)
			c.Env = append(os.Environ(), "JOB_COMPLETION_INDEX="+strconv.Itoa(n-1))
			return c
		},
	} {
		for code, fails := range map[int]bool{0: false, 1: false, 2: true, 4: true} {
			x := task(3)
			x.Dir = standIn(t, code)
			out, err := x.CombinedOutput()
			require.Equal(t, fails, err != nil, "%s: exit code %d: %s", name, code, out)
			text, err := os.ReadFile(filepath.Join(x.Dir, "arguments"))
			require.NoError(t, err)
			require.Equal(t, []string{"sweep", j.Plan, "--store", "a b", "--out",
				"it-s-a--home-plan.part-3", "--shard", "3/3", "--jobs", "2"},
				strings.Split(strings.TrimSpace(string(text)), "\n"), name)
		}
	}
}

// TestJobs_KubernetesSchema: the job conforms to the schemas of Kubernetes, which allow no other
// keys. The schemas come from the Python package kubernetes-validate. Since version 1.29, a Job
// counts failures by index.
func TestJobs_KubernetesSchema(t *testing.T) {
	python := pythonWith(t, "kubernetes_validate")
	for _, version := range []string{"1.29", "1.37"} {
		for _, limit := range []time.Duration{0, 90 * time.Second} {
			j := awkward()
			j.Limit = limit
			var out bytes.Buffer
			require.NoError(t, j.Kubernetes(&out))
			wrong := strings.Replace(out.String(), "completions:", "completion:", 1)
			require.NoError(t, conforms(python, version, out.String()))
			require.ErrorContains(t, conforms(python, version, wrong),
				"'completion' was unexpected")
			wrong = strings.Replace(out.String(), "completions: 3", "completions: all", 1)
			require.ErrorContains(t, conforms(python, version, wrong), "'all' is not of type")
		}
	}
}

// conforms validates a document against the schema of a version of Kubernetes.
func conforms(python, version, document string) error {
	c := exec.Command(python, "-c", "import sys, yaml, kubernetes_validate\n"+
		"kubernetes_validate.validate(yaml.safe_load(sys.stdin), sys.argv[1], strict=True)",
		version)
	c.Stdin = strings.NewReader(document)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// TestJobs_Library: folders of models reach the command quoted, and never as flags.
func TestJobs_Library(t *testing.T) {
	j := awkward()
	j.Library = []string{"my models", "-odd"}
	require.Equal(t, `'./stand in' sweep 'it'\''s a $HOME plan.sweep.yaml' --store 'a b' `+
		`--library-path 'my models' --library-path ./-odd`, j.Whole())
}

// TestJobs_Slurm: the options are where sbatch reads them, before the first command.
func TestJobs_Slurm(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, awkward().Slurm(&out))
	head, _, _ := strings.Cut(out.String(), "\nset ")
	for _, option := range []string{"--job-name=it-s-a--home-plan", "--array=1-3",
		"--cpus-per-task=2", "--mem=4G", "--time=2", "--requeue"} {
		require.Contains(t, head, "\n#SBATCH "+option+"\n")
	}
	j := awkward()
	j.Limit = 0
	out.Reset()
	require.NoError(t, j.Slurm(&out))
	require.NotContains(t, out.String(), "--time")
}

// TestJobs_Name: the name is valid in both systems.
func TestJobs_Name(t *testing.T) {
	for plan, want := range map[string]string{"a/Range.sweep.yaml": "range", "__.yaml": "sweep",
		"ä.yml": "sweep", "1_b.yaml": "1-b", strings.Repeat("x", 80): strings.Repeat("x", 50)} {
		require.Equal(t, want, (&sweep.Jobs{Plan: plan}).Name())
	}
}

// A name with a control character would end a line of a script.
func TestJobs_RefusesControlCharacters(t *testing.T) {
	for _, evil := range []string{"a\ntouch pwned", "a\rb", "a\x1b[2Jb", "a\u202eb", "a\u2028b",
		"a\x00b", "a\xff"} {
		for k := range 5 {
			j := awkward()
			*[]*string{&j.Plan, &j.Store, &j.Command, &j.Image, &j.Claim}[k] = evil
			var out bytes.Buffer
			require.ErrorIs(t, j.Slurm(&out), sweep.ErrPlan)
			require.ErrorIs(t, j.Kubernetes(&out), sweep.ErrPlan)
			require.Zero(t, out.Len())
		}
	}
}

// TestJobs_AnyName: for any names, shells read them as words and YAML readers restore them.
func TestJobs_AnyName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := awkward()
		name := rapid.StringMatching(`[-a-z$'"\\&;|<>(){}#~*?! ]{1,12}`)
		j.Plan, j.Store, j.Command = name.Draw(t, "plan"), name.Draw(t, "store"), "./"+name.Draw(t,
			"command")
		j.Image, j.Claim = name.Draw(t, "image"), name.Draw(t, "claim")
		words, err := exec.Command("/bin/sh", "-c", "printf '%s\\0' "+j.Whole()).Output()
		require.NoError(t, err)
		plan, store := j.Plan, j.Store
		for _, path := range []*string{&plan, &store} {
			if strings.HasPrefix(*path, "-") {
				*path = "./" + *path
			}
		}
		require.Equal(t, []string{j.Command, "sweep", plan, "--store", store, ""},
			strings.Split(string(words), "\x00"))
		var document struct {
			Spec struct {
				Template struct {
					Spec struct {
						Containers []struct{ Image string }
						Volumes    []struct {
							Claim struct {
								Name string `yaml:"claimName"`
							} `yaml:"persistentVolumeClaim"`
						}
					}
				}
			}
		}
		var out bytes.Buffer
		require.NoError(t, j.Kubernetes(&out))
		require.NoError(t, yaml.Unmarshal(out.Bytes(), &document))
		require.Equal(t, j.Image, document.Spec.Template.Spec.Containers[0].Image)
		require.Equal(t, j.Claim, document.Spec.Template.Spec.Volumes[0].Claim.Name)
		out.Reset()
		require.NoError(t, j.Slurm(&out))
		check := exec.Command("bash", "-n")
		check.Stdin = &out
		require.NoError(t, check.Run())
	})
}
