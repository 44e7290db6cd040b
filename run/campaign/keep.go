package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gosmp/internal/wholefile"
	"gosmp/run"
	"gosmp/sweep"
)

// The files of a kept run, in its own folder. The last one is written when the others are complete.
const (
	keptReport  = "report.html" // of an experiment
	keptResults = "results.csv"
	keptVerdict = "verdict.json"
	keptLog     = "log.txt"
	keptID      = "id"
)

// keep repeats runs and keeps the files that they write. It repeats them on this machine, no matter
// where their rows were computed, and compares the outcomes with the rows.
func (s *Sweep) keep(ctx context.Context, wanted []sweep.Result) (folders []string, err error) {
	if err := s.files.CheckUnchanged(); err != nil {
		return nil, err // the repeated runs would belong to another experiment
	}
	if err := s.forget(wanted); err != nil {
		return nil, err
	}
	jobs := make(chan sweep.Result)
	go func() {
		defer close(jobs)
		for _, r := range wanted {
			select {
			case jobs <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	var all sync.WaitGroup
	var mu sync.Mutex
	for range min(max(1, s.jobs(runtime.NumCPU())), max(1, len(wanted))) {
		all.Go(func() {
			for r := range jobs {
				e := s.keepOne(ctx, r)
				mu.Lock()
				err = errors.Join(err, e)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for _, r := range wanted {
		if dir := s.folderOf(r); kept(dir, r.Row.ID) {
			folders = append(folders, dir)
		}
	}
	if err == nil && ctx.Err() != nil && len(folders) < len(wanted) {
		err = ErrInterrupted
	}
	return folders, err
}

func (s *Sweep) folderOf(r sweep.Result) string { return keptFolder(s.Out, r) }

// keptFolder returns the folder for the files of a run, next to the results in dir.
func keptFolder(dir string, r sweep.Result) string {
	return filepath.Join(dir, fmt.Sprintf("case-%04d", r.Case.Index+1))
}

// KeptReport returns the path of the report that a sweep kept of a run, next to its results in dir,
// or "" if there is none.
func KeptReport(dir string, r sweep.Result) string {
	folder := keptFolder(dir, r)
	report := filepath.Join(folder, keptReport)
	if _, err := os.Stat(report); err != nil || !kept(folder, r.Row.ID) {
		return ""
	}
	return report
}

// kept reports whether a folder contains the files of a run.
func kept(dir, id string) bool {
	text, err := os.ReadFile(filepath.Join(dir, keptID))
	return err == nil && strings.TrimSpace(string(text)) == id
}

// forget removes the files of other runs that an earlier sweep kept in this folder.
func (s *Sweep) forget(wanted []sweep.Result) error {
	list, err := os.ReadDir(s.Out)
	if err != nil {
		return err
	}
	for _, x := range list {
		dir := filepath.Join(s.Out, x.Name())
		if _, err := os.Stat(filepath.Join(dir, keptID)); err != nil || !strings.HasPrefix(x.Name(),
			"case-") {
			continue // not written by a sweep
		}
		if !slices.ContainsFunc(wanted, func(r sweep.Result) bool {
			return dir == s.folderOf(r) && kept(dir, r.Row.ID)
		}) {
			if err := clearRun(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// clearRun removes the files that a sweep keeps for a run, also unfinished ones, and their folder
// unless it has other files.
func clearRun(dir string) error {
	if err := clearUnfinished(dir); err != nil {
		return err
	}
	for _, name := range []string{keptReport, keptResults, keptVerdict, keptLog, keptID} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		return err
	}
	return os.Remove(dir)
}

// clearUnfinished removes files that a run was writing when it was killed.
func clearUnfinished(dir string) error {
	for _, name := range wholefile.Left(filepath.Join(dir, keptReport)) {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// keepOne repeats a run in its own folder, unless that was already done.
func (s *Sweep) keepOne(ctx context.Context, r sweep.Result) error {
	dir := s.folderOf(r)
	if kept(dir, r.Row.ID) {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := clearUnfinished(dir); err != nil { // of a sweep that was killed
		return err
	}
	log, err := os.Create(filepath.Join(dir, keptLog))
	if err != nil {
		return err
	}
	var verdict bytes.Buffer
	attempt, cancel := s.limited(ctx)
	defer cancel()
	c, err := s.repeat(attempt, r, dir)
	if err != nil {
		return errors.Join(err, log.Close())
	}
	c.Stdout, c.Stderr = &verdict, log
	ended := c.Run() // with the exit code of the verdict, or killed
	if err := log.Close(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return clearRun(dir)
	}
	if err := clearUnfinished(dir); err != nil { // of a run that was killed
		return err
	}
	if err := s.files.CheckUnchanged(); err != nil {
		return err
	}
	if verdict.Len() > 0 {
		if err := os.WriteFile(filepath.Join(dir, keptVerdict), verdict.Bytes(),
			0o666); err != nil {
			return err
		}
	}
	s.compare(r, verdict.Bytes(), ended)
	return os.WriteFile(filepath.Join(dir, keptID), []byte(r.Row.ID+"\n"), 0o666)
}

// limited returns a context that ends after the time that the plan allows for a run.
func (s *Sweep) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if limit := s.timeout(); limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithCancel(ctx)
}

// repeat returns the command that repeats a run and writes its report to a folder. The command ends
// with the context.
func (s *Sweep) repeat(ctx context.Context, r sweep.Result, dir string) (*exec.Cmd, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	folder, name := filepath.Split(s.experiment)
	output := "--output-file"
	if run.IsScenario(s.experiment) {
		output = "--trajectories"
	}
	words := []string{"run", "--json", output, filepath.Join(absolute, keptResults)}
	switch {
	case run.IsScenario(s.experiment):
		words = append(words, "--seed", strconv.FormatUint(max(1, r.Row.Seed), 10))
		words = append(words, scenarioWords(r.Case.Set)...)
	case s.description == nil:
		words = append(words, plainWords(r.Case.Set)...)
	default:
		words = append(words, "--rng-seed", strconv.FormatUint(r.Row.Seed, 10), "--report",
			filepath.Join(absolute, keptReport))
		for _, x := range r.Case.Set {
			words = append(words, "--set", x.Name+"="+x.Value)
		}
	}
	for _, at := range s.Library {
		if at, err = filepath.Abs(at); err != nil {
			return nil, err
		}
		words = append(words, "--library-path", at)
	}
	c := exec.CommandContext(ctx, s.Program, append(words, "--", name)...)
	c.Dir, c.WaitDelay = folder, time.Second
	return c, nil
}

// compare warns of a run that ends differently from what its row states, which means that something
// in the experiment is not deterministic. Runs that were lost or hung may end in any way.
func (s *Sweep) compare(r sweep.Result, verdict []byte, ended error) {
	var v struct {
		Outcome   string `json:"outcome"`
		TraceHash string `json:"traceHash"`
		ExitCode  int    `json:"exitCode"` // of an FMU or a system, which has no outcome
	}
	if !r.Row.Final() {
		return
	}
	if json.Unmarshal(verdict, &v) != nil {
		if r.Row.Outcome != sweep.Faulty {
			s.Log(
				fmt.Sprintf("case %d: the repeated run ended without a verdict: %v; see %s",
					r.Case.Index+1, ended, filepath.Join(s.folderOf(r), keptLog)))
		}
		return
	}
	if s.description == nil && !run.IsScenario(s.experiment) {
		v.Outcome = run.OutcomeOf(v.ExitCode)
	}
	if v.Outcome != r.Row.Outcome || v.TraceHash != r.Row.TraceHash {
		s.Log(
			fmt.Sprintf(
				"case %d: the repeated run %s with a different trace; the first run %s: an FMU "+
					"or a script of the experiment is not deterministic",
				r.Case.Index+1, v.Outcome, r.Row.Outcome))
	}
}
