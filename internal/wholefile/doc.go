// Package wholefile writes files completely or not at all, for the commands that create them.
// Rules:
//
//   - a regular file is replaced atomically: a reader sees either the old one or the new one,
//     and a failed or interrupted write leaves the old one;
//   - otherwise, the result is the same as if the file were simply created: a new file has the mode
//     bits that the umask allows, an old one keeps its own, a file without write permission is
//     refused, and links are followed;
//   - the file is first written next to its destination, under its name with .part appended; a
//     process that is killed leaves that file there, and the next process writes .part2;
//   - a file that may be written but not replaced, because it is mounted by itself or its folder
//     takes no new file, is overwritten once its content is complete; what was written next to it
//     stays if that fails; if nothing could be written next to it, a full disk leaves the old
//     content, except on file systems that copy on write;
//   - what is no regular file, such as a device, a pipe or standard output, is written
//     directly.
//
// [Write] writes a file, [Direct] reports which way is used, and [Left] lists files that killed
// processes have left behind.
package wholefile
