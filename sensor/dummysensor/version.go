package dummysensor

import "gosmp/internal/release"

// Version is the release of gosmp, which the model description and the documentation of the FMU
// contain.
const Version = release.Version
