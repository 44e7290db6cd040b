package run

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"gosmp/importer"
	"gosmp/importer/worker"
)

// lostBy reports whether this computer rather than the run itself caused the failure, and returns
// the row of such a run.
func (c CaseOptions) lostBy(err error, preparing bool) (row Row, is bool) {
	lost, unfit := blamed(err, preparing)
	if !lost {
		return row, false
	}
	return Row{Outcome: Lost, Seed: c.Seed, Cause: err.Error(), Unfit: unfit}, true
}

// The errors of a system that is out of space or defective. They will affect further runs, too.
var unfitting = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EFBIG, syscall.EIO,
	syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, importer.ErrLibrary}

// blamed reports whether this computer caused an error: the system itself, or a kill from outside,
// for instance by a system that ran out of memory. If unfit is true, other runs will also fail
// here. While a run is being prepared, missing file permissions also count as the fault of the
// computer.
func blamed(err error, preparing bool) (lost, unfit bool) {
	is := func(kind error) bool { return errors.Is(err, kind) }
	if slices.ContainsFunc(unfitting, is) || preparing && errors.Is(err, fs.ErrPermission) {
		return true, true
	}
	var d *worker.DeathError
	return errors.As(err, &d) && d.Signal == "SIGKILL", false
}
