//go:build !fmucore

package build

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/fmu/modeldescription"
	"gosmp/internal/fault"
	"gosmp/internal/toolchain"
	"gosmp/osmp"
)

// program is a model with its command line.
type program struct {
	definition    func() *fmu.Definition
	documentation string
	examiner      Examiner
	bundled       []Bundled
	out, messages io.Writer
}

// command is one subcommand.
type command struct {
	name, does string
	run        func(p *program, ctx context.Context, d *fmu.Definition, c *arguments) error
}

var commands = []command{
	{"pack", "build the .fmu file", (*program).pack},
	{"describe",
		"print modelDescription.xml with an empty guid, because only packing generates one",
		(*program).describe},
	{"variables", "print the variables as tables in Markdown", (*program).variables},
}

// arguments are the flags of a command line.
type arguments struct {
	Config
	osmpVersion string
	fmi         string   // versions
	output      string   // empty unless chosen
	named       []string // start values of parameters that name chosen files
}

// run executes the command line.
func (p *program) run(ctx context.Context, words []string) error {
	d := p.definition()
	if len(words) == 0 {
		p.usage(p.messages, d)
		return fmt.Errorf("%w: no command", ErrUsage)
	}
	for _, c := range commands {
		if c.name == words[0] {
			return p.runCommand(ctx, c, d, words[1:])
		}
	}
	switch words[0] {
	case "help", "-h", "-help", "--help":
		p.usage(p.out, d)
		return nil
	}
	return fault.New(ErrUsage, fault.At(words[0]), "an unknown command",
		"pack, describe, variables or help")
}

func (p *program) usage(w io.Writer, d *fmu.Definition) {
	show(w, "%s: %s\n\nThis program is an FMI co-simulation FMU. Commands:\n", d.ModelName,
		d.Description)
	for _, c := range commands {
		show(w, "  %-10s %s\n", c.name, c.does)
	}
	show(w, "\n\"<command> -h\" lists its flags.\n")
}

func (p *program) runCommand(ctx context.Context, c command, d *fmu.Definition,
	words []string) error {
	a := &arguments{Config: Config{
		Documentation: p.documentation, Examine: p.examiner, Messages: p.messages,
		Bundled: slices.Clone(p.bundled),
	}}
	flags := a.flags(c.name, d)
	flags.SetOutput(io.Discard)
	switch err := flags.Parse(words); {
	case errors.Is(err, flag.ErrHelp):
		show(p.out, "%s: %s\n\nFlags:\n", c.name, c.does)
		flags.SetOutput(p.out)
		flags.PrintDefaults()
		return nil
	case err != nil:
		return fault.Wrap(ErrUsage, fault.At(c.name), err).WithHint(c.name + " -h lists the flags")
	case flags.NArg() > 0:
		return fault.New(ErrUsage, fault.At(c.name), fmt.Sprintf("the argument %q", flags.Arg(0)),
			"flags only").WithHint(c.name + " -h lists them")
	}
	if err := a.readVersions(c.name); err != nil {
		return err
	}
	if err := a.apply(d); err != nil {
		return err
	}
	return c.run(p, ctx, d, a)
}

// flags declares the flags of one command.
func (a *arguments) flags(name string, d *fmu.Definition) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.Func("start", "start value `name=value` instead of the default; may be repeated",
		func(text string) error {
			a.Start = append(a.Start, text)
			return nil
		})
	f.StringVar(&a.fmi, "fmi", "2",
		"`version` of FMI, 2 or 3; \"pack\" also takes 2,3 for both: the "+
			"file of FMI 3.0 is then named as the other with "+TwinSuffix)
	f.StringVar(&a.osmpVersion, "osmp", "", "`version` of OSI Sensor Model Packaging to declare: "+
		string(osmp.Version030)+" or "+string(osmp.Version160)+" (default: as the model says)")
	if name == "pack" {
		a.packFlags(f, d)
	}
	return f
}

func (a *arguments) packFlags(f *flag.FlagSet, d *fmu.Definition) {
	f.StringVar(&a.output, "o", "", "`file` to write (default: dist/"+d.ModelIdentifier+
		".fmu, for "+
		"FMI 3.0 dist/"+d.ModelIdentifier+TwinSuffix+".fmu)")
	f.StringVar(&a.Package, "package", ownPackage(),
		"main package to build, an import path or a `folder`")
	f.Func("platforms", "`list` of platforms to build for: "+strings.Join(PlatformNames(), ",")+
		" or some of them; needs zig (default: the one of this machine, with its C compiler)",
		func(text string) error {
			a.Platforms = append(a.Platforms, strings.FieldsFunc(text,
				func(r rune) bool { return r == ',' || r == ' ' })...)
			return nil
		})
	f.StringVar(&a.Zig, "zig", "", "`path` of the zig compiler (default: zig in PATH)")
	for _, b := range a.Bundled {
		if b.Flag != "" {
			f.Func(b.Flag, b.Help, func(path string) error {
				a.replace(b.Name, path)
				return nil
			})
		}
	}
	f.Func("resource", "file to pack into resources/, as `name=path`; may be repeated",
		func(text string) error {
			name, path, found := strings.Cut(text, "=")
			if !found || path == "" {
				return errors.New("expected name=path")
			}
			a.replace(name, path)
			return nil
		})
	f.StringVar(&a.License, "license", "",
		"`file` with the licence of the FMU (default: the LICENSE file of its module, if any)")
	f.BoolVar(&a.CheckOnly, "check", false,
		"check the flags and the program without building anything; needs no compiler")
	f.BoolVar(&a.Verbose, "v", false, "show the executed commands")
}

// replace packs the file at path instead of the bundled file with that name, if there is one; with
// an empty path it packs neither.
func (a *arguments) replace(name, path string) {
	for k := range a.Bundled {
		if a.Bundled[k].Name == name {
			a.Bundled[k].Content = nil
		}
	}
	if path == "" {
		return
	}
	a.Resources = append(a.Resources, Resource{Name: name, Path: path})
	for _, b := range a.Bundled {
		if b.Name == name && b.Parameter != "" {
			a.named = append(a.named, b.Parameter+"="+name)
		}
	}
}

// ownPackage returns the import path of the running program's main package; empty if unknown.
func ownPackage() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Path == "command-line-arguments" {
		return ""
	}
	return info.Path
}

// readVersions parses the flag for the versions of FMI.
func (a *arguments) readVersions(command string) error {
	for _, word := range strings.Split(a.fmi, ",") {
		v, known := map[string]fmi.Version{"2": fmi.FMI2, "2.0": fmi.FMI2, "3": fmi.FMI3,
			"3.0": fmi.FMI3}[strings.TrimSpace(word)]
		if !known || len(a.Versions) > 0 && command != "pack" {
			return fault.New(ErrUsage, fault.At("-fmi"), fmt.Sprintf("version %q", a.fmi),
				"2 or 3, for pack also 2,3")
		}
		a.Versions = append(a.Versions, v)
	}
	return nil
}

// only reports whether v is the only requested version.
func (a *arguments) only(v fmi.Version) bool {
	return !slices.ContainsFunc(a.Versions, func(other fmi.Version) bool { return other != v })
}

// apply applies the flags to the definition, and to its twin when it is created. A twin that is not
// requested may lack a variable.
func (a *arguments) apply(d *fmu.Definition) error {
	if a.Output = a.output; a.Output == "" {
		a.Output = "dist/" + d.ModelIdentifier + ".fmu"
		if a.only(fmi.FMI3) {
			a.Output = "dist/" + d.ModelIdentifier + TwinSuffix + ".fmu"
		}
	}
	if a.only(fmi.FMI3) && a.osmpVersion == string(osmp.Version030) {
		return fault.New(ErrUsage, fault.At("-osmp"), "version "+a.osmpVersion,
			string(osmp.Version160)).WithHint("OSMP has rules for FMI 3.0 since 1.5.0")
	}
	if a.osmpVersion != "" {
		if err := declareOSMP(d, osmp.Version(a.osmpVersion)); err != nil {
			return err
		}
	}
	if err := a.applyTwin(d); err != nil {
		return err
	}
	if a.only(fmi.FMI3) {
		_ = applyStart(d, a.start()) // the variables may exist in FMI 3.0 only
		return nil
	}
	return applyStart(d, a.start())
}

// start returns the start values that the user has set; they include parameters that name files, if
// the user has chosen files.
func (a *arguments) start() []string {
	list := slices.Clone(a.Start)
	for _, text := range a.named {
		parameter, _, _ := strings.Cut(text, "=")
		if !slices.ContainsFunc(list, func(s string) bool {
			return strings.HasPrefix(s, parameter+"=")
		}) {
			list = append(list, text)
		}
	}
	return list
}

func (a *arguments) applyTwin(d *fmu.Definition) error {
	if d.Twin == nil {
		return nil
	}
	twin := d.Twin()
	if err := applyStart(twin, a.start()); err != nil && slices.Contains(a.Versions, fmi.FMI3) {
		return err
	}
	d.Twin = func() *fmu.Definition { return twin }
	return nil
}

// chosen returns the definition for the version of a command other than pack, which uses only one
// version.
func (a *arguments) chosen(d *fmu.Definition) (*fmu.Definition, error) {
	p, err := newPacking(d, a.Config, "")
	if err != nil {
		return nil, err
	}
	return p.editions[0].definition, nil
}

// declareOSMP replaces the release of OSMP that d declares.
func declareOSMP(d *fmu.Definition, v osmp.Version) error {
	if !v.Known() {
		return fault.New(ErrUsage, fault.At("-osmp"), fmt.Sprintf("version %q", v),
			fmt.Sprintf("%s or %s", osmp.Version030, osmp.Version160))
	}
	mark := osmp.Mark(v)
	for k, a := range d.Annotations {
		if a.Tool == mark.Tool {
			d.Annotations[k] = mark
			return nil
		}
	}
	return fault.New(ErrUsage, fault.At("-osmp"), d.ModelName+
		", which declares no version of OSMP", "").WithHint("leave the flag out")
}

// applyStart replaces start values, each given as name=value.
func applyStart(d *fmu.Definition, pairs []string) error {
	for _, pair := range pairs {
		if strings.ContainsAny(pair, "\r\n") {
			return fault.New(ErrUsage, fault.At("-start"), fmt.Sprintf("a line break in %q", pair),
				"one name=value per flag")
		}
		if err := d.OverrideStart(pair); err != nil {
			return fault.Wrap(ErrUsage, fault.At("-start"), err).WithHint(wantedStart(d, pair))
		}
	}
	return nil
}

// wantedStart describes the values that the variable of a pair accepts.
func wantedStart(d *fmu.Definition, pair string) string {
	name, _, _ := strings.Cut(pair, "=")
	v := d.Variables.Named(name)
	if v == nil || v.Start == nil {
		return `the command "variables" lists names and start values`
	}
	hint := fmt.Sprintf("%s takes a %v", name, v.Type)
	if v.Unit != "" {
		hint += " in " + v.Unit
	}
	for _, rule := range []string{rangeOf(v), strings.Join(v.OneOf, " or ")} {
		if rule != "" {
			hint += ", " + rule
		}
	}
	return hint
}

func (p *program) pack(ctx context.Context, d *fmu.Definition, a *arguments) error {
	return Pack(ctx, d, a.Config)
}

func (p *program) describe(_ context.Context, d *fmu.Definition, a *arguments) error {
	d, err := a.chosen(d)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(p.out)
	return errors.Join(modeldescription.Render(w, d), w.Flush())
}

func (p *program) variables(_ context.Context, d *fmu.Definition, a *arguments) error {
	d, err := a.chosen(d)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(p.out)
	return errors.Join(WriteVariables(w, d), w.Flush())
}

// report shows an error on the command line: one line, followed by the output of a compiler, if
// any.
func (p *program) report(err error) {
	var failure *toolchain.CallError
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled):
		show(p.messages, "interrupted; nothing was written\n")
	default:
		show(p.messages, "error: %v\n", err)
		if errors.As(err, &failure) && strings.Contains(failure.Output, "\n") {
			show(p.messages, "\n%s\n", failure.Output)
		}
	}
}
