package regular

// ReadAtMost is ReadOnce with another limit for pipes and devices.
var ReadAtMost = readOnce
