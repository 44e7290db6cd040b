package scaffold

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	"gosmp/internal/fault"
)

//go:embed template
var templates embed.FS

// Result describes the written files.
type Result struct {
	Request
	Files   []string // names in the folder, sorted
	Summary string   // a phrase that describes the model
}

// Write writes the module that a completed request describes. Its Gosmp must be a folder that
// Locate returned.
func Write(ctx context.Context, r Request) (*Result, error) {
	kind, err := KindNamed(r.Kind)
	if err != nil {
		return nil, err
	}
	if standard, err := run(ctx, r.Gosmp, "list", "-f", "{{.Standard}}", r.Name); err == nil &&
		standard == "true" {
		return nil, r.wrongName("is the path of a package in the standard library")
	}
	made, err := claim(r.Folder)
	if err != nil {
		return nil, err
	}
	files, err := render(ctx, r, kind)
	if err == nil {
		err = save(r.Folder, files)
	}
	if err == nil && !r.Link {
		err = vendor(ctx, r.Folder, r.Gosmp)
	}
	if err != nil {
		return nil, errors.Join(err, giveUp(r.Folder, made, files))
	}
	result := &Result{Request: r, Summary: fmt.Sprintf("%s, %d %s in, %d %s out", kind.Article,
		r.Inputs, kind.What, r.Outputs, kind.Gives)}
	for _, f := range files {
		result.Files = append(result.Files, f.name)
	}
	if !r.Link {
		result.Files = append(result.Files, "vendor")
	}
	return result, nil
}

// file is one file of the module.
type file struct {
	name string
	data []byte
}

// claim ensures that there is an empty folder, and reports whether it created the folder.
func claim(folder string) (made bool, err error) {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, os.MkdirAll(folder, 0o755)
	case err != nil:
		return false, fault.Wrap(ErrTaken, fault.At(folder), err).
			WithHint("choose another name, or another folder with --dir")
	case len(entries) > 0:
		return false, fault.New(ErrTaken, fault.At(folder), entries[0].Name()+" in it",
			"an empty folder").WithHint("choose another name, or another folder with --dir")
	}
	return false, nil
}

// giveUp removes what was written before an error.
func giveUp(folder string, made bool, files []file) error {
	if made {
		return os.RemoveAll(folder)
	}
	if err := removeVendor(folder); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.Remove(filepath.Join(folder, f.name)); err != nil && !errors.Is(err,
			fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func save(folder string, files []file) error {
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(folder, f.name), f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// content is the data of the templates.
type content struct {
	Request
	Kind
	Base        string // last element of the module's name
	Description string
}

// render renders all files, sorted by name.
func render(ctx context.Context, r Request, kind Kind) ([]file, error) {
	c := content{r, kind, path.Base(r.Name), fmt.Sprintf("%s: %s in, %s out",
		kind.Article[strings.Index(kind.Article, " ")+1:],
		kind.What, kind.Gives)}
	mod, sum, err := modules(ctx, r)
	if err != nil {
		return nil, err
	}
	files := []file{{"go.mod", mod}, {"go.sum", sum}}
	for _, t := range []struct{ name, from string }{
		{".gitignore", "common/gitignore.tmpl"}, {"Makefile", "common/Makefile.tmpl"},
		{"README.md", "common/README.md.tmpl"},
		{"main.go", "common/main.go.tmpl"}, {"model.go", kind.Name + "/model.go.tmpl"},
		{"model_test.go", kind.Name + "/model_test.go.tmpl"}, {"run.py", "common/run.py.tmpl"},
	} {
		data, err := fill(t.from, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.from, err)
		}
		files = append(files, file{t.name, data})
	}
	return files, nil
}

// fill executes a template.
func fill(name string, c content) ([]byte, error) {
	t, err := template.New(path.Base(name)).Delims("«", "»").ParseFS(templates, "template/"+name,
		"template/"+c.Kind.Name+"/run.tmpl")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, c); err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".go.tmpl") {
		return format.Source(b.Bytes())
	}
	return b.Bytes(), nil
}
