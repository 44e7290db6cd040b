package importer

import (
	"errors"
	"fmt"
	"strings"

	"gosmp/fmi"
	"gosmp/importer/worker"
	"gosmp/internal/fault"
)

// ended returns the error for a worker that has ended or violated the protocol.
func (i *Instance) ended(err error) error {
	var d *worker.DeathError
	if !errors.As(err, &d) {
		i.process.Kill()
		return fault.Wrap(ErrFailed, fault.In(i.fmu.Path), err)
	}
	e := fault.Wrap(ErrFailed, fault.In(i.fmu.Path), fmt.Errorf("%w%s", d, i.argumentsOf(d)))
	switch {
	case errors.Is(d.Cause, worker.ErrTimeout):
		e.Kind = ErrTimeout
		e.Hint = "give it more time if it needs it (--timeout)"
	case d.Signal == "SIGKILL":
		e.Hint = "the system may have run out of memory"
	case len(d.Printed) > 0:
		e.Hint = "the last lines it printed: " +
			printable(strings.Join(d.Printed[max(0, len(d.Printed)-3):], " | "))
	}
	return e
}

// argumentsOf formats the arguments of the call in which a worker has ended.
func (i *Instance) argumentsOf(d *worker.DeathError) string {
	a := &i.arguments
	switch {
	case isStep(d.Function):
		return fmt.Sprintf("(currentCommunicationPoint=%v, communicationStepSize=%v)", a.Time,
			a.Step)
	case d.Function == "osmp_read":
		return " of the bytes whose address and size it has put out for " + i.variablesOf(d.Plan,
			d.Group)
	}
	if names := i.variablesOf(d.Plan, d.Group); names != "" && strings.Contains(d.Function, "et") {
		return "(" + names + ")"
	}
	return ""
}

const namedVariables = 5

// variablesOf returns the names of the variables in a group of a plan if the worker has specified
// an existing group.
func (i *Instance) variablesOf(plan, group int) string {
	b := i.plans[plan]
	if b == nil || group < 0 || group >= len(b.names) {
		return ""
	}
	names := b.names[group]
	if n := len(names); n > namedVariables {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:namedVariables], ", "),
			n-namedVariables)
	}
	return strings.Join(names, ", ")
}

// refused returns the error for a status and determines which calls remain legal.
func (i *Instance) refused(r worker.Reply) error {
	e := fault.New(ErrFailed, fault.In(i.fmu.Path), "", "")
	i.phase = failed
	what := fmt.Sprintf("%s returned %v", r.Function,
		fmi.Status(r.Status).Name(i.fmu.Model.Major()))
	switch r.Status {
	case int(fmi.Fatal):
		i.phase = lost
		i.process.Kill()
	case worker.StatusNull:
		i.phase = lost
		what, e.Hint = r.Function+" returned NULL", i.whyNull()
	case worker.StatusUnloadable:
		i.phase = lost
		e.Kind, e.Hint, what = ErrInvalid, whyUnloadable(r.Reason), r.Reason
	case worker.StatusMissing:
		what = "the library has no function " + r.Reason
	case worker.StatusFull:
		what = fmt.Sprintf("%s: %s do not fit into the shared memory", r.Function, r.Reason)
		if strings.HasPrefix(r.Reason, "no memory") {
			what, e.Hint = r.Reason, "raise its limit (--memory)"
		}
	case worker.StatusUnsettled:
		what = fmt.Sprintf("%s requests another update after %s", r.Function, r.Reason)
	case worker.StatusBadValue:
		what = fmt.Sprintf("%s returned %s", r.Function, r.Reason)
	case worker.StatusMisuse:
		what = "a meaningless command: " + r.Reason
	}
	if names := i.variablesOf(r.Plan, r.Group); names != "" {
		what += " for " + names
	}
	if r.Status == int(fmi.Error) && r.Reason != "" {
		what += " (" + r.Reason + ")"
	}
	if text := i.lastText.Load(); text != nil {
		what += ": " + *text
	}
	e.Cause = errors.New(what)
	if r.Status == worker.StatusUnloadable && lacksLibrary(r.Reason) {
		e.Cause = libraryError(what)
	}
	return e
}

// libraryError is the error for an FMU that needs a library that this machine does not have.
type libraryError string

func (l libraryError) Error() string { return string(l) }

// Is reports that the error is an ErrLibrary.
func (libraryError) Is(kind error) bool { return kind == ErrLibrary }

// lacksLibrary reports whether a message of the dynamic loader concerns this machine, so that the
// FMU may load on another one.
func lacksLibrary(reason string) bool {
	for _, part := range []string{"libraries that cannot be loaded: ", "version `",
		"cannot open shared object file"} {
		if strings.Contains(reason, part) {
			return true
		}
	}
	return false
}

func (i *Instance) whyNull() string {
	if i.o.LoggingOn {
		return ""
	}
	return "run it with --logging-on, which may show the reason"
}

// whyUnloadable describes what to do about a message of the dynamic loader. The first two kinds of
// message come from glibc, the third from the worker.
func whyUnloadable(reason string) string {
	switch {
	case strings.Contains(reason, "libraries that cannot be loaded: "):
		return "install these libraries, or pack them next to the FMU's own"
	case strings.Contains(reason, "version `"):
		return "the FMU was built for a newer system: run it there, or export it for this one"
	case strings.Contains(reason, "undefined symbol"):
		return "the FMU does not name the library with this symbol: link it when you " +
			"export the FMU, " +
			"or load it with --preload"
	case strings.Contains(reason, "cannot open shared object file"):
		return "install what is missing"
	}
	return ""
}
