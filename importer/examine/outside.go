package examine

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/importer/worker/probe"
)

// outsideTrials returns the trial that finds everything that an FMU uses outside its own folder,
// and what it leaves in the kernel.
func outsideTrials() []trial {
	return []trial{{rules: []string{"Q11", "Q2"}, make: outside, lacks: compared}}
}

// usual lists places that every program may read: the kernel, the loader, system libraries, time
// zones and locales.
var usual = []string{"/proc/", "/sys/", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom",
	"/dev/full", "/dev/tty", "/etc/ld.so.", "/etc/localtime", "/etc/timezone", "/etc/locale",
	"/etc/nsswitch.conf", "/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/",
	"/usr/local/lib/", "/usr/share/zoneinfo/", "/usr/share/locale", "/usr/libexec/"}

// writable lists places to which every program may write.
var writable = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/proc/self/"}

// outside observes a life and records the files, programs and addresses that the FMU requests from
// the kernel, and after its library is unloaded what it has not removed.
func outside(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.ops = append([]probe.Op{{Code: probe.Watch, Flags: probe.MayFail}}, p.ops...)
	l := a.x.reference()
	l.end = true
	p.live(l)
	told := p.add(probe.Op{Code: probe.Told, Flags: probe.MayFail})
	p.add(probe.Op{Code: probe.Unload, Flags: probe.MayFail}) // covered by R15
	after := p.add(probe.Op{Code: probe.Told, Flags: probe.MayFail})
	r := a.play(p)
	switch {
	case r.Records[0].Status != 0:
		a.untested("Q11", "this kernel does not allow system calls to be observed")
		return
	case r.Records[told].Runs == 0:
		a.untested("Q11", "a basic life cycle does not work under observation: %s", r.end())
		return
	}
	foreign := s.strangers(string(r.Records[told].Out), a.x)
	if len(foreign.list) == 0 {
		a.proved("Q11")
	} else {
		a.refuted("Q11", r, min(foreign.at, told), "only its own files", "the FMU %s",
			listed(foreign.list))
	}
	if r.Records[after].Runs == 0 {
		return // for R15
	}
	left, unknown := a.x.leftovers(string(r.Records[after].Out))
	switch {
	case len(left.list) > 0:
		a.refuted("Q2", r, min(left.at, told), "that it removes them", "the FMU leaves %s behind",
			listed(left.list))
	case len(unknown.list) > 0:
		a.untested("Q2", "the FMU creates %s, and this system does not allow a process to have "+
			"its own (IPC namespaces)", listed(unknown.list))
	default:
		a.proved("Q2")
	}
}

// lasting lists folders whose files are memory, semaphores and message queues that exist until they
// are removed.
var lasting = []string{"/dev/shm/", "/dev/mqueue/"}

// lastingFiles returns the files that are there.
func lastingFiles() map[string]bool {
	found := map[string]bool{}
	for _, folder := range lasting {
		_ = filepath.WalkDir(folder, func(path string, _ os.DirEntry, _ error) error {
			found[path] = true
			return nil // what cannot be read does not belong to the FMU
		})
	}
	return found
}

// remains reports whether a file still exists after the end of the process.
func remains(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// uses is a list of objects and the last operation that uses any of them.
type uses struct {
	list []string
	at   int
}

func (u *uses) add(text, during string) {
	u.list, u.at = append(u.list, text), max(u.at, operation(during))
}

// sorted sorts the list and removes duplicates.
func (u *uses) sorted() uses {
	slices.Sort(u.list)
	return uses{slices.Compact(u.list), u.at}
}

func within(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(path, f) })
}

// verbs are the words for records.
var verbs = map[string]string{"read": "reads", "write": "writes", "create": "writes",
	"remove": "writes", "start": "starts the program", "connect": "connects to",
	"listen": "takes the address"}

// note is a record of the probe.
type note struct{ verb, what, during string }

// notesOf returns the records in a text.
func notesOf(text string) (list []note) {
	for line := range strings.Lines(text) {
		verb, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		what, during, _ := strings.Cut(what, "\t")
		list = append(list, note{verb, what, during})
	}
	return list
}

// strangers returns the uses of objects that do not belong to the FMU.
func (s *subject) strangers(notes string, x *exam) uses {
	host, _ := os.Executable() // language runtimes read the running program; "" is not a path
	roots := []string{x.scratch}
	if direct, err := filepath.EvalSymlinks(x.scratch); err == nil && direct != x.scratch {
		roots = append(roots, direct)
	}
	var found uses
	all := notesOf(notes)
	own := x.lastingOf(all)
	for _, n := range all {
		path := filepath.Clean(n.what)
		switch n.verb {
		case "read":
			if path == "/" || path == host || within(path+"/", roots) || within(path+"/", usual) ||
				within(path, usual) {
				continue
			}
		case "write", "create", "remove":
			// the trial of a plain life judges what is written into its own folders
			if within(path, roots) || within(path, writable) || own[path] {
				continue
			}
		case "connect":
			if within(n.what, []string{"/var/run/nscd/", "/run/nscd/"}) {
				continue // the C library is looking up a name
			}
		}
		found.add(verbs[n.verb]+" "+n.what, n.during)
	}
	return found.sorted()
}

// lastingOf returns the files of memory, semaphores and queues that the FMU creates, and that were
// not there before the examination.
func (x *exam) lastingOf(notes []note) map[string]bool {
	own := map[string]bool{}
	for _, n := range notes {
		path := filepath.Clean(n.what)
		if n.verb == "create" && within(path, lasting) && !x.before[path] {
			own[path] = true
		}
	}
	return own
}

// leftovers returns the objects that the FMU has created and not removed, and those of which it is
// unknown. A file that it removes counts as removed: another life may just have created it again.
func (x *exam) leftovers(text string) (left, unknown uses) {
	notes := notesOf(text)
	own := x.lastingOf(notes)
	for _, n := range notes {
		if n.verb == "remove" {
			delete(own, filepath.Clean(n.what))
		}
	}
	for _, n := range notes {
		path := filepath.Clean(n.what)
		switch {
		case n.verb == "leave" && !x.before[n.what]:
			left.add(n.what, n.during)
		case n.verb == "share":
			unknown.add(n.what, n.during)
		case n.verb == "create" && own[path] && remains(path) && within(path, lasting[:1]):
			left.add(path, n.during)
		}
	}
	return left.sorted(), unknown.sorted()
}

// operation returns the number of an operation; 0 if there is none.
func operation(text string) int {
	k, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return k
}
