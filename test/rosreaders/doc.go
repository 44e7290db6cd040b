// Package rosreaders reads recordings of the message bridge with third-party decoders: rosbags, and
// mcap-ros2-support for recordings with a profile of ROS 2. They see only the file, so its schemas,
// names and bytes have to agree. It contains every type in the tables of systems, in both byte
// orders.
//
// decode.py prints what the decoders find. It needs a Python with both of them, which GOSMP_PYTHON
// names; `make test` sets it. Without it the tests are skipped.
package rosreaders
