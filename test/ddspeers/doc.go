// Package ddspeers tests package bridge/dds with third-party peers on this machine: Cyclone DDS
// (pip install cyclonedds), and rclpy, the Python library of ROS 2, on Fast DDS (pip install
// ros-jazzy-rclpy or ros-kilted-rclpy, with the packages of their messages).
//
// GOSMP_DDS_PYTHON lists interpreters that have one or the other, separated as in PATH; without it,
// the interpreter of `make test` is tried. A test that finds no peer is skipped and says so.
// Nothing leaves loopback; `unshare -rn` with `ip link set lo up` also keeps everything else away.
package ddspeers
