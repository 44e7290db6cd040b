package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/similar"
)

// maxEntries limits how deeply catalog entries may refer to other entries.
const maxEntries = 10

// library holds the catalogs of a scenario, which are read when the first one is needed.
type library struct {
	file     string    // of the scenario
	own      *Document // a catalog resolved on its own; nil for a scenario
	shelf    *shelf
	read     bool
	catalogs []*Document
	names    index
	used     map[*Element]bool // entries, and the roots of their documents
	problems []error           // files and folders; reported only when an entry is not found
}

// shelf caches the catalogs that a document has read, because a sweep resolves the document once
// for each point.
type shelf struct {
	lock  sync.Mutex
	files map[string]volume
	names map[*Document]map[string][]*Element // entries of the catalogs referred to so far
}

type volume struct {
	document *Document
	err      error
	size     int64
	changed  time.Time
}

func (s *shelf) open(name string) (*Document, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	v, ok := s.files[name]
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !ok || v.size != info.Size() || !v.changed.Equal(info.ModTime()) {
		delete(s.names, v.document)
		v.document, v.err = Open(name)
		v.size, v.changed = info.Size(), info.ModTime()
		if s.files == nil {
			s.files = map[string]volume{}
		}
		s.files[name] = v
	}
	return v.document, v.err
}

// entries returns the entries of a catalog by name.
func (s *shelf) entries(d *Document) map[string][]*Element {
	s.lock.Lock()
	defer s.lock.Unlock()
	all := s.names[d]
	if all != nil {
		return all
	}
	all = map[string][]*Element{}
	for _, e := range d.Root.Child("Catalog").Children {
		name := e.Value("name")
		all[name] = append(all[name], e)
	}
	if s.names == nil {
		s.names = map[*Document]map[string][]*Element{}
	}
	s.names[d] = all
	return all
}

// index finds catalogs by their names and by the names of their files.
type index struct {
	named, filed map[string][]*Document
}

func newIndex(catalogs []*Document) index {
	x := index{map[string][]*Document{}, map[string][]*Document{}}
	for _, d := range catalogs {
		name, base := d.Root.Child("Catalog").Value("name"), filepath.Base(d.File)
		file := strings.TrimSuffix(base, filepath.Ext(base))
		x.named[name] = append(x.named[name], d)
		x.filed[file] = append(x.filed[file], d)
	}
	return x
}

// catalogs returns the catalogs with that name. If there are none, it returns the catalogs in files
// of that name, because some authors refer to catalogs by file name.
func (x *index) catalogs(name string) (list []*Document, byFile bool) {
	if list = x.named[name]; len(list) > 0 {
		return list, false
	}
	return x.filed[name], true
}

// entriesOf returns all entries with that name in the catalogs.
func (s *shelf) entriesOf(catalogs []*Document, name string) (list []*Element) {
	for _, d := range catalogs {
		list = append(list, s.entries(d)[name]...)
	}
	return list
}

// load reads all catalogs of the folders that CatalogLocations names.
func (r *resolver) load() {
	l := r.catalogs
	if l.read {
		return
	}
	l.read = true
	var folders []string
	defer func() { l.names, l.used = newIndex(l.catalogs), map[*Element]bool{} }()
	if l.own != nil {
		l.catalogs = append(l.catalogs, l.own)
		_ = l.add(filepath.Dir(l.file)) // always sees its own entries
	}
	for _, location := range r.scenario.Root.Child("CatalogLocations").list() {
		d := location.Child("Directory")
		path := d.Value("path")
		if strings.Contains(path, `\`) {
			r.note(RuleBackslash, finding.Warning, d.PlaceOf("path"),
				"found a backslash in a path, expected /",
				"write / , which all systems understand")
		}
		if folder := besides(l.file, path); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
			r.folder(d, folder)
		}
	}
}

// list returns the children of an element; the element may be nil.
func (e *Element) list() []*Element {
	if e == nil {
		return nil
	}
	return e.Children
}

func (r *resolver) folder(d *Element, folder string) {
	known := len(r.catalogs.problems)
	err := r.catalogs.add(folder)
	if isFile(folder) {
		r.note(RuleFolder, finding.Warning, d.PlaceOf("path"),
			"found a file, expected the folder that contains it", "")
	}
	if err != nil {
		text := "found a folder that cannot be read: " + err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			text = "found a folder that does not exist: " + folder
		}
		r.note(RuleFolder, finding.Warning, d.PlaceOf("path"), text+"; expected one with catalogs",
			"paths are relative to the document")
		return
	}
	for _, problem := range r.catalogs.problems[known:] {
		r.note(RuleFolder, finding.Warning, d.PlaceOf("path"),
			"found a catalog that cannot be read: "+problem.Error(), "run gosmp check on it")
	}
}

// CatalogFiles returns the files in the folder of a catalog location that may be catalogs. Some
// authors name a catalog instead of its folder.
func CatalogFiles(folder string) ([]string, error) {
	if isFile(folder) {
		return []string{folder}, nil
	}
	entries, err := os.ReadDir(folder)
	var files []string
	for _, f := range entries {
		if !f.IsDir() && strings.EqualFold(filepath.Ext(f.Name()), ".xosc") {
			files = append(files, filepath.Join(folder, f.Name()))
		}
	}
	return files, err
}

// isFile reports whether a location of catalogs is a file.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// add reads all catalogs of a folder.
func (l *library) add(folder string) error {
	files, err := CatalogFiles(folder)
	if err != nil {
		l.problems = append(l.problems, err)
		return err
	}
	for _, f := range files {
		if l.own != nil && filepath.Base(f) == filepath.Base(l.file) {
			continue
		}
		doc, err := l.shelf.open(f)
		if err != nil {
			l.problems = append(l.problems, err)
			continue
		}
		if doc.Root.Child("Catalog") != nil && !slices.Contains(l.catalogs, doc) {
			l.catalogs = append(l.catalogs, doc)
		}
	}
	return nil
}

// entry returns a copy of the entry that a CatalogReference refers to, or nil if there is an error.
func (r *resolver) entry(reference *Element, outer *scope) *Element {
	if r.elements > maxElements { // already reported
		return nil
	}
	r.load()
	catalog, name := reference.Value("catalogName"), reference.Value("entryName")
	catalogs, byFile := r.catalogs.names.catalogs(catalog)
	list := r.catalogs.shelf.entriesOf(catalogs, name)
	if len(list) == 0 {
		if r.catalogs.own != nil && len(catalogs) == 0 {
			return nil // the other catalog is located by the scenario that uses the entry
		}
		r.noEntry(reference, catalogs, catalog, name)
		return nil
	}
	found := list[0]
	if byFile {
		r.note(RuleCatalog, finding.Warning, reference.PlaceOf("catalogName"), "found "+catalog+
			", which is the name of a file, expected the catalog's name, "+found.Parent.Value(
			"name"), "")
	}
	if len(list) > 1 {
		r.note(RuleEntry, finding.Warning, reference.PlaceOf("entryName"), fmt.Sprintf(
			"found %d entries %s in %s, expected one: the one in %s, line %d, is used", len(list),
			name,
			catalog, found.File, found.Line), "")
	}
	r.uses(found)
	if r.depth++; r.depth > maxEntries {
		r.depth--
		r.fail(reference.Place(), ErrCatalog, "entries that refer to each other more than 10 deep",
			"fewer, or a circle that is broken", "")
		return nil
	}
	defer func() { r.depth-- }()
	c := r.element(found, &scope{outer: outer, entry: true}, r.assignments(reference, found))
	c.Parent = reference
	return c
}

// uses records that the scenario uses an entry and its catalog.
func (r *resolver) uses(entry *Element) {
	used, root := r.catalogs.used, entry.Parent.Parent
	if !used[entry] {
		used[entry] = true
		r.scenario.entries = append(r.scenario.entries, entry)
	}
	if used[root] {
		return
	}
	used[root] = true
	for _, d := range r.catalogs.catalogs {
		if d.Root == root && d != r.catalogs.own {
			r.scenario.Catalogs = append(r.scenario.Catalogs, d)
			return
		}
	}
}

func (r *resolver) noEntry(reference *Element, catalogs []*Document, catalog, name string) {
	expected, word := "a catalog of the folders in CatalogLocations", catalog
	if len(catalogs) > 0 {
		expected, word = "an entry of "+catalog, name
	}
	hint := r.hint(word, func() (known []string) {
		for _, d := range catalogs {
			for _, e := range d.Root.Child("Catalog").Children {
				known = append(known, e.Value("name"))
			}
		}
		if len(catalogs) == 0 {
			for _, d := range r.catalogs.catalogs {
				known = append(known, d.Root.Child("Catalog").Value("name"))
			}
		}
		return known
	})
	switch {
	case len(r.catalogs.problems) > 0:
		hint = r.catalogs.problems[0].Error()
	case len(catalogs) == 0:
		hint = cmp.Or(r.fileHint(catalog), hint)
	}
	r.fail(reference.Place(), ErrCatalog, catalog+"/"+name, expected, hint)
}

// fileHint returns a hint for a reference that names a file instead of a catalog, or "".
func (r *resolver) fileHint(catalog string) string {
	named := func(d *Document) string {
		return strconv.Quote(d.Root.Child("Catalog").Value("name"))
	}
	for _, d := range r.catalogs.catalogs {
		if filepath.Base(d.File) == catalog {
			return catalog + " is a file: the name of the catalog in it is " + named(d)
		}
	}
	file := besides(r.catalogs.file, catalog)
	if catalog == "" || !isFile(file) {
		return ""
	}
	d, err := r.catalogs.shelf.open(file)
	if err != nil || d.Root.Child("Catalog") == nil {
		return catalog + " is a file, but not a catalog of OpenSCENARIO"
	}
	return catalog + " is a file: name its folder in CatalogLocations, and in the reference its " +
		"catalog, " + named(d)
}

// hint returns a hint at a name similar to an unknown one, but only for the first errors, because
// comparing thousands of names with thousands of others takes long.
func (r *resolver) hint(name string, known func() []string) string {
	const most = 100
	if len(r.failures) >= most {
		return ""
	}
	return similar.Hint(name, known())
}

// assignments returns the values that a reference assigns to the parameters of an entry.
func (r *resolver) assignments(reference, entry *Element) given {
	declared := map[string]bool{}
	for _, p := range entry.Child("ParameterDeclarations").All("ParameterDeclaration") {
		declared[ParameterName(p.Value("name"))] = true
	}
	g := given{Values{}, map[string]fault.Place{}}
	for _, a := range reference.Child("ParameterAssignments").All("ParameterAssignment") {
		name := ParameterName(a.Value("parameterRef"))
		if !declared[name] {
			r.fail(a.PlaceOf("parameterRef"), ErrParameter, "an assignment to "+name,
				"a parameter of the entry "+entry.Value("name"),
				r.hint(name, func() []string { return slices.Sorted(maps.Keys(declared)) }))
			continue
		}
		g.values[name], g.places[name] = a.Value("value"), a.PlaceOf("value")
	}
	return g
}
