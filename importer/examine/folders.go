package examine

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"gosmp/internal/finding"
)

// leftFiles judges the files that appeared in the working directory.
func (a *attempt) leftFiles(r *run) {
	if len(r.files) > 0 {
		a.refuted("Q5", r, r.Last, "an empty folder", "the working directory has new files: %s",
			listed(r.files))
		return
	}
	if name := a.s.altered(); name != "" {
		a.refuted("Q5", r, r.Last, "the files of the archive",
			"a file of the FMU differs from the packed one: %s", name)
		return
	}
	if name := a.s.strange(); name != "" {
		a.refuted("Q5", r, r.Last, "the files of the archive",
			"the folder of the FMU has a new file: %s",
			name)
		return
	}
	if text := strings.TrimSpace(r.Printed); text != "" && !r.Crashed() {
		a.refuted("Q5", r, r.Last, "messages by the logger only",
			"the FMU prints to standard output or error: %s", cut(text)).as(finding.Note)
		return
	}
	a.proved("Q5")
}

// altered returns a file of the archive whose size or time has changed since it was unpacked.
func (s *subject) altered() string {
	for _, name := range s.fmu.Files() {
		at := filepath.Join(s.folder, filepath.FromSlash(name))
		info, err := os.Stat(at)
		was, known := s.unpacked[name]
		if known && (err != nil || info.Size() != was.Size() ||
			!info.ModTime().Equal(was.ModTime())) {
			return name
		}
	}
	return ""
}

// strange returns a file in the FMU's folder that was not in the archive.
func (s *subject) strange() (name string) {
	known := map[string]bool{}
	for _, f := range s.fmu.Files() {
		known[filepath.FromSlash(f)] = true
	}
	_ = filepath.WalkDir(s.folder, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil //nolint:nilerr // unreadable files are not judged
		}
		if local, err := filepath.Rel(s.folder, path); err == nil && !known[local] {
			name = local
		}
		return nil
	})
	return name
}

// copyLibrary copies the library to a separate folder next to the FMU's other libraries, under
// another name.
func (s *subject) copyLibrary(x *exam) (string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	folder := filepath.Join(x.scratch, "other")
	name := filepath.Join(folder, "other"+filepath.Base(s.library))
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(filepath.Dir(s.library))
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		to := filepath.Join(folder, e.Name())
		if e.Name() == filepath.Base(s.library) {
			to = name
		}
		if e.Type().IsRegular() {
			if err := copyFile(to, filepath.Join(filepath.Dir(s.library), e.Name())); err != nil {
				return "", err
			}
		}
	}
	return name, nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // opened for reading only
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err != nil {
		_ = out.Close() // the copy has already failed
		return err
	}
	return out.Close()
}

// oddFolder returns a folder that contains the FMU's resources, and whose name has blanks, an
// umlaut and characters that must be escaped in a URI.
func (s *subject) oddFolder(x *exam) (string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return linked(s.folder, filepath.Join(x.scratch, oddName))
}

// oddName and longName are the names of folders within a temporary one.
const oddName = "ödd folder %20 #1"

var longName = filepath.Join(strings.Repeat("a long folder name ", 12),
	strings.Repeat("and a second one ", 14), strings.Repeat("third ", 40))

// linked makes a folder accessible under another name and returns that name.
func linked(folder, name string) (string, error) {
	if _, err := os.Lstat(name); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	return name, os.Symlink(folder, name)
}
