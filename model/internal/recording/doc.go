// Package recording records the messages of one instance of an FMU as OSI trace files, from inside:
// one file per binary variable, in any importer.
//
//	r := recording.New("lidar", channels)
//	err := r.Begin("/tmp/traces")            // Setup
//	r.Take(0, message)                       // each variable of a step
//	err = r.EndStep(span.End)                // the end of a step
//	err = r.Finish()                         // fmi2Terminate, fmi2Reset, fmi2FreeInstance
//
// Rules:
//
//   - A file is created by the first message of its variable. While it is written, its name ends in .part.osi; Finish counts
//     its messages into the name that OSI recommends (OSI 3.8.0, "OSI trace file naming conventions").
//   - Messages are copied to a buffer and written in the same step, without a goroutine: whole messages, in one call, when 64 KiB
//     have come together or a second of simulation time has passed. That is what a killed process leaves behind. After the first
//     steps nothing is allocated.
//   - A message with the time stamp of the one before is the same one, held by its sender, and is recorded once.
//   - The first error ends the recording of all variables and is returned once. The files then end with the last message that
//     was written.
//   - A restored state takes the files back to the messages that belong to it. A state of another recording, of another
//     instance or process, completes the files and begins new ones. So does a state that was saved before the last thousand
//     restorations, unless it lies before them in the recording, too: memory is bounded however often a host goes back.
//
// Type: [Recorder].
package recording
