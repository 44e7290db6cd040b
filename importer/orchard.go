package importer

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// orchard holds the unpacked FMUs of a reserve. A tree left unchanged by a process is reused for
// the next one; a changed tree is removed.
type orchard struct {
	mu    sync.Mutex
	trees trees
	grown []*tree
}

type tree struct {
	hash, folder string
	files        []leaf
	used         bool
}

// leaf holds the properties that reveal changes of a file or folder.
type leaf struct {
	name    string
	mode    fs.FileMode
	size    int64
	changed time.Time
	status  time.Time // when content, mode or links changed; not for files that have other names
}

// tick is longer than the resolution of file times: a file written at least this long after the
// creation of its tree has a different time.
const tick = 20 * time.Millisecond

// plant returns the folder of an unpacked FMU that is not in use.
func (o *orchard) plant(f *FMU) (string, error) {
	folder, made, err := o.find(f)
	if made {
		time.Sleep(tick)
	}
	return folder, err
}

// find is like plant, but also reports whether the folder was just created.
func (o *orchard) find(f *FMU) (folder string, made bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for k := len(o.grown) - 1; k >= 0; k-- {
		t := o.grown[k]
		if t.used || t.hash != f.SHA256 {
			continue
		}
		if states, err := statesOf(f, t.folder); err == nil && slices.Equal(states, t.files) {
			t.used = true
			return t.folder, false, nil
		}
		o.fell(k)
	}
	o.trees.wary = true
	if folder, err = o.trees.plant(f); err != nil {
		return "", false, err
	}
	states, err := statesOf(f, folder)
	if err != nil {
		return "", false, f.invalid("unpacking", err)
	}
	o.grown = append(o.grown, &tree{hash: f.SHA256, folder: folder, files: states, used: true})
	return folder, true, nil
}

// intact reports whether the processes of a tree have left it unchanged.
func (o *orchard) intact(f *FMU, folder string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	k := slices.IndexFunc(o.grown, func(t *tree) bool { return t.folder == folder })
	if k < 0 {
		return false
	}
	states, err := statesOf(f, folder)
	return err == nil && slices.Equal(states, o.grown[k].files)
}

// fell removes a tree. Files that cannot be removed yet are removed later with the other trees.
func (o *orchard) fell(k int) {
	makeWritable(o.grown[k].folder)
	_ = os.RemoveAll(o.grown[k].folder)
	o.grown = slices.Delete(o.grown, k, k+1)
}

// leave marks a tree as unused because its process has ended. If there are too many unused trees,
// it removes the one unused for the longest time.
func (o *orchard) leave(folder string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	k := slices.IndexFunc(o.grown, func(t *tree) bool { return t.folder == folder })
	if k < 0 {
		return
	}
	t := o.grown[k]
	t.used = false
	o.grown = append(slices.Delete(o.grown, k, k+1), t)
	free := 0
	for k := len(o.grown) - 1; k >= 0; k-- {
		if !o.grown[k].used {
			free++
		}
		if free > mostReady() {
			o.fell(k)
			return
		}
	}
}

func (o *orchard) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.grown = nil
	return o.trees.close()
}

// statesOf describes the folder of an FMU and everything in it, ordered by name.
func statesOf(f *FMU, folder string) (list []leaf, err error) {
	err = filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		s := leaf{name: path, mode: info.Mode(), size: info.Size(), changed: info.ModTime()}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if !isLibraryFile(path) && (e.IsDir() || !f.isFixed(filepath.ToSlash(name))) {
			s.status = statusTime(info)
		}
		list = append(list, s)
		return nil
	})
	return list, err
}
