package scaffold

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"gosmp/internal/fault"
)

// copied is the path of the copy of gosmp in a module.
var copied = "vendor/" + own

// vendor copies the parts of gosmp and of its dependencies that a module needs into the folder of
// the module, which can then be built offline and on other machines. The go command makes the copy;
// vendor adds go.mod, go.sum and the Python package of gosmp, so that the copy is a module that
// go.mod can refer to by a relative path.
func vendor(ctx context.Context, folder, gosmp string) error {
	if _, err := run(ctx, folder, "mod", "vendor"); err != nil {
		return fault.Wrap(ErrGosmp, fault.At(gosmp), err).
			WithHint("run go mod download in that folder, with network access," +
				" or use --link")
	}
	for _, name := range []string{"go.mod", "vendor/modules.txt"} {
		if err := point(filepath.Join(folder, filepath.FromSlash(name)), gosmp); err != nil {
			return err
		}
	}
	python, err := filepath.Glob(filepath.Join(gosmp, "python", "gosmp", "*.py"))
	if err != nil {
		return err
	}
	names := []string{"go.mod", "go.sum"}
	for _, name := range python {
		names = append(names, "python/gosmp/"+filepath.Base(name))
	}
	for _, name := range names {
		from := filepath.Join(gosmp, filepath.FromSlash(name))
		to := filepath.Join(folder, filepath.FromSlash(copied), filepath.FromSlash(name))
		if err := copyFile(to, from); err != nil {
			return fault.Wrap(ErrGosmp, fault.At(gosmp), err).
				WithHint("the checkout is incomplete: fetch it again")
		}
	}
	return nil
}

// point makes a file refer to the copy of gosmp instead of the checkout.
func point(name, gosmp string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for _, path := range []string{quoted(gosmp), gosmp} {
		text = bytes.ReplaceAll(text, []byte("=> "+path+"\n"), []byte("=> ./"+copied+"\n"))
	}
	return os.WriteFile(name, text, 0o644)
}

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}

// removeVendor removes an incomplete copy.
func removeVendor(folder string) error {
	if err := os.RemoveAll(filepath.Join(folder, "vendor")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
