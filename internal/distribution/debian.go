package main

import (
	_ "embed" // for the description of the package
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"gosmp/internal/release"
)

//go:embed nfpm.tmpl.yaml
var nfpmText string

var nfpmTemplate = template.Must(template.New("nfpm").Parse(nfpmText))

// completions holds files below /usr/share, which enable completion where Debian's shells expect
// it.
var completions = map[string]string{
	"bash-completion/completions/gosmp": "source <(gosmp completion -c bash)\n",
	"zsh/vendor-completions/_gosmp": "#compdef gosmp\n" +
		"source <(gosmp completion -c zsh)\n",
	"fish/vendor_completions.d/gosmp.fish": "gosmp completion -c fish | source\n",
	"doc/gosmp/README": "gosmp --help lists the commands; OSMPDummySensor.fmu is in" +
		" /usr/share/gosmp.\n",
}

// packaged is a file in a Debian package.
type packaged struct{ Source, Target, Mode string }

// debian writes a package for dpkg.
func (d *distribution) debian(p *program) error {
	folder, err := os.MkdirTemp("", "gosmp-deb-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // the package is complete, or the error says more
	files, err := d.debianFiles(p, folder)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := nfpmTemplate.Execute(&text, map[string]any{"Version": release.Version,
		"Arch": p.debian, "Time": d.date.Format(time.RFC3339), "Files": files}); err != nil {
		return err
	}
	description := filepath.Join(folder, "nfpm.yaml")
	if err := os.WriteFile(description, []byte(text.String()), 0o600); err != nil {
		return err
	}
	name := fmt.Sprintf("gosmp_%s_%s.deb", release.Version, p.debian)
	if _, err := command(d.nfpm, "package", "-f", description, "-p", "deb", "-t",
		filepath.Join(d.out, name)); err != nil {
		return err
	}
	d.written = append(d.written, name)
	return nil
}

func (d *distribution) debianFiles(p *program, folder string) ([]packaged, error) {
	files := []packaged{{p.path, "/usr/bin/gosmp", "0755"}}
	for _, fmu := range d.fmus {
		files = append(files, packaged{fmu, "/usr/share/gosmp/" + filepath.Base(fmu), "0644"})
	}
	texts := map[string]string{
		"doc/gosmp/copyright":      string(p.licences),
		"doc/gosmp/gosmp.cdx.json": string(p.sbom),
	}
	for _, list := range []map[string]string{completions, texts} {
		for target, text := range list {
			source := filepath.Join(folder, strings.ReplaceAll(target, "/", "_"))
			if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
				return nil, err
			}
			// nfpm sorts them
			files = append(files, packaged{source, "/usr/share/" + target, "0644"})
		}
	}
	return files, nil
}
