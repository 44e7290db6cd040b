// Command distribution packs what users install without a compiler: wheels for pip, archives,
// Debian packages, FMUs, licences and a bill of materials, with their checksums. `make dist` builds
// the programs and calls it. For Windows and macOS there are only archives.
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
	"strings"
	"time"

	"gosmp/internal/release"
)

// distribution holds everything from which the files are created.
type distribution struct {
	out      string    // folder
	date     time.Time // date of all files
	fmus     []string  // for all platforms
	python   string    // folder of the Python package
	nfpm     string    // program that writes Debian packages
	sbom     string    // cyclonedx-gomod, which lists modules
	deflate  []string  // command that compresses better than Go, from its input to its output
	programs []program
	written  []string // names in out
}

// program is the command for one target.
type program struct {
	target   // the target on which it runs
	path     string
	licences []byte // of everything that is linked into the program
	sbom     []byte
}

// target is a system and a processor, with the processor's names in wheels, in Debian, and in FMUs
// for FMI 2.0 and 3.0. A target without such names has neither a wheel nor a Debian package.
type target struct{ goos, goarch, wheel, debian, fmi2, fmi3 string }

var targets = []target{
	{"linux", "amd64", "x86_64", "amd64", "linux64", "x86_64-linux"},
	{"linux", "arm64", "aarch64", "arm64", "aarch64-linux", "aarch64-linux"},
	{goos: "windows", goarch: "amd64"},
	{goos: "darwin", goarch: "arm64"},
}

// name returns the target's name for file names, such as linux-amd64; Go calls macOS darwin.
func (t target) name() string {
	return strings.Replace(t.goos, "darwin", "macos", 1) + "-" + t.goarch
}

// extension returns the file name extension of programs.
func (t target) extension() string {
	if t.goos == "windows" {
		return ".exe"
	}
	return ""
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
	deflate := flags.String("deflate", "", "command that writes what it reads as a deflate stream")
	folder := flags.String("programs", "dist/programs", "folder with gosmp-linux-amd64 and so on")
	changelog := flags.String("changelog", "CHANGELOG.md", "file with the date of the release")
	if err := flags.Parse(words); err != nil {
		return err
	}
	d.deflate = strings.Fields(*deflate)
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

// findPrograms finds the programs that were built.
func (d *distribution) findPrograms(folder string) error {
	for _, t := range targets {
		path := filepath.Join(folder, "gosmp-"+t.name()+t.extension())
		if _, err := os.Stat(path); err == nil {
			d.programs = append(d.programs, program{target: t, path: path})
		}
	}
	if len(d.programs) == 0 {
		return fmt.Errorf("found no program such as gosmp-linux-amd64 in %s; make dist builds them",
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
		kinds := []func(*program) error{d.archive, d.materials}
		if p.goos == "linux" {
			kinds = append(kinds, d.wheel, d.debian)
		}
		for _, write := range kinds {
			if err := write(p); err != nil {
				return fmt.Errorf("%s: %w", p.name(), err)
			}
		}
	}
	return d.sums()
}

// describe finds the licences and the bill of materials of a program.
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
		_ = file.Close() // writing has already failed
		return fmt.Errorf("%s: %w", name, err)
	}
	d.written = append(d.written, name)
	return file.Close()
}

// command runs a program, and shows its output if it fails.
func command(name string, words ...string) ([]byte, error) {
	out, err := exec.Command(name, words...).CombinedOutput()
	if err != nil {
		return out, fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return out, nil
}
