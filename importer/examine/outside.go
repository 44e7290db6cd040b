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

// outsideTrials returns the trial that finds everything an FMU uses outside its own folder.
func outsideTrials() []trial {
	return []trial{{rules: []string{"Q11"}, make: outside, lacks: compared}}
}

// usual lists places that every program may read: the kernel, the loader, system libraries, time
// zones and locales.
var usual = []string{"/proc/", "/sys/", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom",
	"/dev/full", "/dev/tty", "/etc/ld.so.", "/etc/localtime", "/etc/timezone", "/etc/locale",
	"/etc/nsswitch.conf", "/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/",
	"/usr/local/lib/", "/usr/share/zoneinfo/", "/usr/share/locale", "/usr/libexec/"}

// writable lists places to which every program may write.
var writable = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/proc/self/",
	"/dev/shm"}

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
	found, at := s.strangers(string(r.Records[told].Out), a.x.scratch)
	if len(found) == 0 {
		a.proved("Q11")
		return
	}
	a.refuted("Q11", r, min(at, told), "only its own files", "the FMU %s", listed(found))
}

// remains reports whether shared memory or a semaphore is still there after the end of the process.
func remains(path string) bool {
	if !strings.HasPrefix(path, "/dev/shm/") {
		return false
	}
	_, err := os.Stat(path)
	return err == nil
}

// strangers returns the records about objects that do not belong to the FMU and the last operation
// that uses any of them; scratch is the folder of the examination.
func (s *subject) strangers(notes, scratch string) (list []string, at int) {
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
			if within(path, roots) || within(path, writable) && !remains(path) {
				continue // judged by the trial of a plain life
			}
		case "connect":
			if strings.HasPrefix(what, "/var/run/nscd/") || strings.HasPrefix(what, "/run/nscd/") {
				continue // the C library is looking up a name
			}
		}
		list = append(list, fmt.Sprintf("%s %s", verbs[verb], what))
		if k, err := strconv.Atoi(during); err == nil {
			at = max(at, k)
		}
	}
	slices.Sort(list)
	return list, at
}
