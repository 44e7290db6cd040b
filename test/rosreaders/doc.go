// Package rosreaders reads recordings of the message bridge with third-party decoders: rosbags, and
// mcap-ros2-support for recordings with a profile of ROS 2. They see the file alone, so its
// schemas, names and bytes have to agree. Every type of the tables of systems is in it, in both
// byte orders.
//
// decode.py prints what the decoders find. It needs a Python with both of them: GOSMP_PYTHON names
// one, as `make test` does; the tests are skipped without it.
package rosreaders
