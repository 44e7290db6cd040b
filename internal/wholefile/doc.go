// Package wholefile writes files completely or not at all, for the commands that create them.
// Rules:
//
//   - a regular file is replaced in one moment, so that a reader sees the old one or the new one,
//     and what fails or is interrupted leaves the old one;
//   - otherwise the result is the same as with plain creation: a new file has the mode bits that
//     the umask allows, an old one keeps its own, a file without write permission is refused, and
//     links are followed;
//   - the file is first written next to its place, under its name and .part; a process that is
//     killed leaves that file there, and the next one writes .part2;
//   - what cannot be replaced, such as a device, a pipe or the standard output, is written
//     directly.
//
// [Write] writes a file, [Direct] reports which way is used, and [Left] what killed processes have
// left.
package wholefile
