package dummysensor

// Version is the release of gosmp, which the model description and the documentation of the FMU carry.
const Version = "0.1.0"

// The release of OSI in every message: osmp.OSIVersion in numbers, which a test compares.
const osiMajor, osiMinor, osiPatch = 3, 8, 0
