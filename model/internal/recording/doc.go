// Package recording records the messages of one instance of an FMU as OSI trace files, from inside
// the FMU and therefore in any importer: one file per binary variable.
//
//	r := recording.New("lidar", channels)
//	err := r.Begin("/tmp/traces")            // Setup
//	r.Take(0, message)                       // each variable of a step
//	err = r.EndStep(span.End)                // the end of a step
//	err = r.Finish()                         // fmi2Terminate, fmi2Reset, fmi2FreeInstance
//
// Rules:
//
//   - A file is created by the first message of its variable. While it is written, its name ends in
//     .part.osi. Finish gives it the name that OSI recommends, which contains the number of
//     messages (OSI 3.8.0, "OSI trace file naming conventions").
//   - Messages are copied to a buffer and written in the same step, without a goroutine: whole
//     messages, in one call, once 64 KiB have accumulated or a second of simulation time has
//     passed. If the process is killed, the files hold everything written until then. After the
//     first steps, nothing is allocated.
//   - A message with the same time stamp as the previous one is considered the same message,
//     repeated by its sender, and is recorded once.
//   - The first error ends the recording of all variables and is returned once. The files then end
//     with the last message that was written.
//   - Restoring a state truncates the files to the messages that belong to it. A state of another
//     recording, of another instance or process, completes the files and starts new ones. So does a
//     state that was saved before the last thousand restorations, unless its position in the
//     recording is also before theirs. Memory is bounded no matter how often a host goes back.
//
// Type: [Recorder].
package recording
