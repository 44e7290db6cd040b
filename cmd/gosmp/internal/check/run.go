package check

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/importer/examine"
	"gosmp/internal/junit"
	"gosmp/report/examinationpage"
	"gosmp/run/findings"
	"gosmp/run/kind"
)

// Running holds the flags of an examination.
type Running struct {
	Examine  bool     `name:"run" help:"Also examine FMUs, including the FMUs of systems, by running them: legal and illegal calls, each group in a process of its own."`
	Time     float64  `default:"60" placeholder:"SECONDS" help:"With --run, end the examination of an FMU, or of all parts of a system, after this time; 60 s by default."`
	Only     []string `placeholder:"RULE" help:"Test only these rules when running, such as R9 or FMI2-R9, and show their calls."`
	Lives    int      `default:"180" placeholder:"N" help:"With --run, number of life cycles after which the memory, descriptors, threads and children of an FMU are compared; 180 by default."`
	Page     string   `placeholder:"FILE" predictor:"file" help:"Write an HTML page of the examination, with calls and C programs, for the author of the FMU."`
	Programs string   `placeholder:"FOLDER" predictor:"file" help:"Write a C program for each refuted rule into this folder, which repeats its calls."`
}

// validate refuses flags that cannot be combined.
func (r *Running) validate(files int) error {
	for flag, given := range map[string]bool{"--only": len(r.Only) > 0, "--page": r.Page != "",
		"--programs": r.Programs != ""} {
		if given && !r.Examine {
			return cli.Unexpected(flag, "no --run", "--run, because no FMU is run without it")
		}
	}
	if !(r.Time > 0) {
		return cli.Unexpected("--time", r.Time, "a time above 0 s")
	}
	if r.Lives < 3 {
		return cli.Unexpected("--lives", r.Lives, "a number of at least 3")
	}
	if files > 1 && (r.Page != "" || r.Programs != "") {
		return cli.Unexpected("--page or --programs", "several files", "an FMU or a system")
	}
	for _, id := range r.Only {
		if !known(id) {
			return cli.Unexpected("--only", id, "the id of a rule such as R9, FMI2-R9 or OSMP-D7; "+
				"docs/EXAMINATION.md lists them")
		}
	}
	return nil
}

func known(id string) bool {
	for _, major := range []int{2, 3} {
		if slices.ContainsFunc(examine.Rules(major), func(r examine.Rule) bool {
			_, short, _ := strings.Cut(r.ID, "-")
			return id == r.ID || id == short
		}) {
			return true
		}
	}
	return false
}

// progress returns a function that shows progress on a terminal of a width; a total of 0 clears the
// line. A width of 0 means that there is no terminal.
func progress(width int) func(name string, done, all int, now string) {
	if width == 0 {
		return nil
	}
	return func(name string, done, all int, now string) {
		line := ""
		if all > 0 {
			line = fmt.Sprintf("%s: %d of %d trials, %s", name, done, all, now)
		}
		fmt.Fprintf(os.Stderr, "\r\033[K%.*s", width-1, line)
	}
}

// writeExaminations writes the page and the programs of examinations.
func (r *Running) writeExaminations(result *findings.Result) (err error) {
	if result.Examination != nil {
		if r.Page != "" {
			err = cli.WriteFile(r.Page, func(w io.Writer) error {
				return examinationpage.Write(w, result.Examination)
			})
		}
		err = errors.Join(err, r.writePrograms(result.Examination, ""))
	}
	if result.Kind == kind.System && r.Page != "" {
		err = cli.WriteFile(r.Page, func(w io.Writer) error {
			return examinationpage.WriteSystem(w, systemPage(result))
		})
	}
	for _, p := range result.Parts {
		err = errors.Join(err, r.writePrograms(p.Report, p.Folder))
	}
	return err
}

// systemPage returns the content of the page of a system. The findings of its examinations are on
// the page as refuted rules.
func systemPage(result *findings.Result) *examinationpage.System {
	s := &examinationpage.System{File: result.File, Findings: result.Read}
	for k := range result.Parts {
		p := &result.Parts[k]
		s.Parts = append(s.Parts, examinationpage.Part{Name: p.Name(),
			Connection: p.Connection != "", Report: p.Report})
	}
	return s
}

// writePrograms writes the programs of an examination into the folder of --programs, or into a
// folder inside it. One that must not be overwritten does not
// prevent the others.
func (r *Running) writePrograms(report *examine.Report, within string) (err error) {
	if r.Programs == "" {
		return nil
	}
	folder := filepath.Join(r.Programs, within)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return cli.OutputFailed(err)
	}
	for _, v := range report.Verdicts {
		if v.Program == "" {
			continue
		}
		failed := cli.WriteFile(filepath.Join(folder, v.ID+".c"), func(w io.Writer) error {
			_, err := io.WriteString(w, v.Program)
			return err
		})
		err = errors.Join(err, failed)
		if failed != nil && !errors.Is(failed, fs.ErrPermission) {
			break
		}
	}
	return err
}

// writeExamination writes the verdicts as text, except for refuted rules, which are among the
// findings.
func writeExamination(out io.Writer, r *examine.Report, calls bool) {
	for _, v := range r.Verdicts {
		switch {
		case v.Outcome == examine.Proved && v.Why != "":
			cli.WriteWrapped(out, fmt.Sprintf("proved: %s, %s; %s", v.ID, v.Says, v.Why))
		case v.Outcome == examine.Proved && calls:
			cli.WriteWrapped(out, fmt.Sprintf("proved: %s, %s", v.ID, v.Says))
		case v.Outcome == examine.Refuted && calls:
			fmt.Fprintf(out, "  %s is shown by these calls:\n", v.ID)
			for _, call := range v.Calls {
				fmt.Fprintf(out, "    %s\n", call)
			}
		}
	}
	writeUntested(out, r)
	hint := ""
	for _, v := range r.Verdicts {
		if v.Outcome == examine.Refuted && !calls {
			hint = "; --only " + v.ID + " shows its calls"
			break
		}
	}
	cli.WriteWrapped(out,
		fmt.Sprintf("by running: %s; %d processes, %.1f s%s", r.Summary(), r.Trials,
			r.Time.Seconds(), hint))
}

// writeUntested writes the rules that were not tested, grouped by reason.
func writeUntested(out io.Writer, r *examine.Report) {
	var reasons []string
	ids := map[string][]string{}
	for _, v := range r.Verdicts {
		if v.Outcome == examine.NotTested {
			if ids[v.Why] == nil {
				reasons = append(reasons, v.Why)
			}
			ids[v.Why] = append(ids[v.Why], v.ID)
		}
	}
	for _, why := range reasons {
		cli.WriteWrapped(out, fmt.Sprintf("not tested, because %s: %s", why,
			strings.Join(ids[why], ", ")))
	}
}

// cases returns the rules of an examination that were not refuted, as JUnit test cases whose names
// begin with the given text.
func cases(r *examine.Report, where string) (list []junit.Case) {
	for _, v := range r.Verdicts {
		c := junit.Case{Class: v.ID, Name: where + v.Says}
		switch v.Outcome {
		case examine.Refuted:
			continue // it is already among the findings
		case examine.NotTested:
			c.Skipped = v.Why
		case examine.Proved:
		}
		list = append(list, c)
	}
	return list
}
