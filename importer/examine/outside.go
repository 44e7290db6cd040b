package examine

import (
	"fmt"
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
// the kernel.
func outside(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.ops = append([]probe.Op{{Code: probe.Watch, Flags: probe.MayFail}}, p.ops...)
	l := a.x.reference()
	l.end = true
	p.live(l)
	told := p.add(probe.Op{Code: probe.Told, Flags: probe.MayFail})
	r := a.play(p)
	switch {
	case r.Records[0].Status != 0:
		a.untested("Q11", "this kernel does not allow system calls to be observed")
		return
	case r.Records[told].Runs == 0:
		a.untested("Q11", "a basic life cycle does not work under observation: %s", r.end())
		return
	}
	found, left, at := s.strangers(string(r.Records[told].Out), a.x.scratch)
	if len(left) > 0 {
		a.refuted("Q2", r, min(at, told), "that it removes them", "the FMU leaves %s behind",
			listed(left))
	} else {
		a.proved("Q2")
	}
	if len(found) == 0 {
		a.proved("Q11")
		return
	}
	a.refuted("Q11", r, min(at, told), "only its own files", "the FMU %s", listed(found))
}

// lasting lists folders whose files are memory, semaphores and message queues that exist until they
// are removed.
var lasting = []string{"/dev/shm/", "/dev/mqueue/"}

// remains reports whether a file still exists after the end of the process.
func remains(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// strangers returns the records about objects that do not belong to the FMU, the objects that it
// leaves behind, and the last operation that uses any of them; scratch is the folder of the
// examination.
func (s *subject) strangers(notes, scratch string) (list, left []string, at int) {
	verbs := map[string]string{"read": "reads", "write": "writes", "start": "starts the program",
		"connect": "connects to", "listen": "takes the address"}
	host, _ := os.Executable() // language runtimes read the running program; "" is not a path
	roots := []string{scratch}
	if direct, err := filepath.EvalSymlinks(scratch); err == nil && direct != scratch {
		roots = append(roots, direct)
	}
	within := func(path string, folders []string) bool {
		return slices.ContainsFunc(folders, func(f string) bool {
			return strings.HasPrefix(path, f)
		})
	}
	for line := range strings.Lines(notes) {
		verb, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		what, during, _ := strings.Cut(what, "\t")
		path := filepath.Clean(what)
		switch verb {
		case "read":
			if path == "/" || path == host || within(path+"/", roots) || within(path+"/", usual) ||
				within(path, usual) {
				continue
			}
		case "write":
			if within(path, roots) || within(path, writable) {
				continue // judged by the trial of a plain life
			}
			if within(path, lasting) {
				if remains(path) {
					left, at = append(left, path), max(at, operation(during))
				}
				continue
			}
		case "leave":
			left, at = append(left, what), max(at, operation(during))
			continue
		case "connect":
			if strings.HasPrefix(what, "/var/run/nscd/") || strings.HasPrefix(what, "/run/nscd/") {
				continue // the C library is looking up a name
			}
		}
		list = append(list, fmt.Sprintf("%s %s", verbs[verb], what))
		at = max(at, operation(during))
	}
	slices.Sort(list)
	slices.Sort(left)
	return list, slices.Compact(left), at
}

// operation returns the number of an operation; 0 if there is none.
func operation(text string) int {
	k, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return k
}
