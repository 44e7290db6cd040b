package flow

// Quaternion is quaternion for tests.
var Quaternion = quaternion
