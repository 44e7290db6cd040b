package dummysensor

// Version is the release of gosmp, which the model description and the documentation of the FMU carry.
const Version = "0.1.0"
