// Command distribution packs what users install without a compiler: wheels for pip, archives,
// Debian packages, FMUs, licences and a bill of materials, with their checksums. `make dist` builds
// the programs and calls it.
//
// The same inputs give the same bytes: names are in order, and all times are the date of the
// release.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"gosmp/internal/release"
)

// distribution has everything that the files are made from.
type distribution struct {
	out      string    // folder
	date     time.Time // of all files
	fmus     []string  // for all platforms
	python   string    // folder of the Python package
	nfpm     string    // program that writes Debian packages
	sbom     string    // cyclonedx-gomod, which lists modules
	programs []program
	written  []string // names in out
}

// program is the command for one processor.
type program struct {
	processor // it runs on
	path      string
	licences  []byte // of everything that is linked into it
	sbom      []byte
}

// processor has its names in Go, wheels, Debian, and in FMUs of FMI 2.0 and 3.0.
type processor struct{ goarch, wheel, debian, fmi2, fmi3 string }

var processors = []processor{
	{"amd64", "x86_64", "amd64", "linux64", "x86_64-linux"},
	{"arm64", "aarch64", "arm64", "aarch64-linux", "aarch64-linux"},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "distribution:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	d := distribution{}
	flags := flag.NewFlagSet("distribution", flag.ContinueOnError)
	flags.StringVar(&d.out, "o", "dist/release", "folder to write")
	flags.StringVar(&d.python, "python", "python/gosmp", "folder of the Python package")
	flags.StringVar(&d.nfpm, "nfpm", "nfpm", "program that writes Debian packages")
	flags.StringVar(&d.sbom, "cyclonedx", "cyclonedx-gomod", "program that lists modules")
	folder := flags.String("programs", "dist/programs", "folder with gosmp-amd64 and gosmp-arm64")
	changelog := flags.String("changelog", "CHANGELOG.md", "file with the date of the release")
	if err := flags.Parse(words); err != nil {
		return err
	}
	var err error
	if d.date, err = released(*changelog, release.Version); err != nil {
		return err
	}
	if d.fmus = flags.Args(); len(d.fmus) == 0 {
		return fmt.Errorf("found no FMU, expected their paths after the flags")
	}
	if err := d.findPrograms(*folder); err != nil {
		return err
	}
	return d.pack()
}

// findPrograms takes the programs that were built.
func (d *distribution) findPrograms(folder string) error {
	for _, p := range processors {
		path := filepath.Join(folder, "gosmp-"+p.goarch)
		if _, err := os.Stat(path); err == nil {
			d.programs = append(d.programs, program{processor: p, path: path})
		}
	}
	if len(d.programs) == 0 {
		return fmt.Errorf("found no gosmp-amd64 or gosmp-arm64 in %s; make dist builds them",
			folder)
	}
	return nil
}

// pack writes all files.
func (d *distribution) pack() error {
	if err := os.RemoveAll(d.out); err != nil {
		return err
	}
	if err := os.MkdirAll(d.out, 0o755); err != nil {
		return err
	}
	for _, fmu := range d.fmus {
		if err := d.copy(fmu); err != nil {
			return err
		}
	}
	for k := range d.programs {
		p := &d.programs[k]
		if err := d.describe(p); err != nil {
			return err
		}
		for _, write := range []func(*program) error{d.wheel, d.archive, d.debian, d.materials} {
			if err := write(p); err != nil {
				return fmt.Errorf("%s: %w", p.goarch, err)
			}
		}
	}
	return d.sums()
}

// describe finds the licences and the materials of a program.
func (d *distribution) describe(p *program) error {
	var err error
	if p.licences, err = licences(p.path); err != nil {
		return err
	}
	p.sbom, err = materials(d.sbom, p.path, d.fmus)
	return err
}

// create writes a file of the release.
func (d *distribution) create(name string, write func(*os.File) error) error {
	file, err := os.Create(filepath.Join(d.out, name))
	if err != nil {
		return err
	}
	if err := write(file); err != nil {
		_ = file.Close() // writing has failed already
		return fmt.Errorf("%s: %w", name, err)
	}
	d.written = append(d.written, name)
	return file.Close()
}

// command runs a program, whose output is shown if it fails.
func command(name string, words ...string) ([]byte, error) {
	out, err := exec.Command(name, words...).CombinedOutput()
	if err != nil {
		return out, fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return out, nil
}
