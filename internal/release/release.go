// Package release holds the version of gosmp, which the command line, the packed FMUs and their log
// lines state, so that a bug report can include it.
//
// The version is a constant instead of the one that the go command stamps into a binary: a stamp
// contains the revision of the checkout, but the same sources must yield the same FMU, in a clone,
// an archive without history, and a checkout with other branches. Builds of one version are
// distinguished by the guid of an FMU, which is a hash of its content, and for the command by
// [Revision].
package release

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
)

// Version is the release of this module.
const Version = "0.2.0"

// Tool is the name with the version, such as "gosmp 0.2.0".
const Tool = "gosmp " + Version

// Module is the path of this module, which scripts/module_path.sh changes.
var Module = strings.TrimSuffix(reflect.TypeFor[here]().PkgPath(), "/internal/release")

type here struct{}

// Revision returns the commit from which a binary was built, as "0c8a20f4... with changes" for a
// modified work tree. It is empty if the go command has not recorded a commit; go build and go
// install record one in a checkout.
func Revision(info *debug.BuildInfo) string {
	var revision, changes string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = " with changes"
		}
	}
	if revision == "" {
		return ""
	}
	return fmt.Sprint(revision, changes)
}
