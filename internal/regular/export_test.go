package regular

// ReadAtMost is ReadOnce with another limit for pipes and devices.
var ReadAtMost = readOnce

// OpenStreamWithin is OpenStream with another time limit for pipes.
var OpenStreamWithin = openStream
