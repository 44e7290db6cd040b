"""A node of ROS 2 that keeps the vehicle of gosmp on its lane: python3 follow.py [Y] [SPEED]."""

import math
import sys

import rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool

LANE = float(sys.argv[1]) if len(sys.argv) > 1 else -5.25  # m, the middle of the lane
SPEED = float(sys.argv[2]) if len(sys.argv) > 2 else 15.0  # m/s
WHEELBASE, STEERING_RATIO = 2.8, 15.0  # m, and steering wheel to wheels


class Follow(Node):
    def __init__(self):
        super().__init__("follow")
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.engage = self.create_publisher(Bool, "/engage", latched)
        self.engage.publish(Bool(data=True))
        self.pedals = self.create_publisher(Twist, "/cmd_vel", 10)
        self.create_subscription(Odometry, "/odom", self.drive, 10)

    def drive(self, odom):
        pose, v = odom.pose.pose, odom.twist.twist.linear.x
        yaw = 2 * math.atan2(pose.orientation.z, pose.orientation.w)
        ahead = max(8.0, 1.2 * v)  # pure pursuit of a point on the lane
        angle = math.atan2(LANE - pose.position.y, ahead) - yaw
        command = Twist()
        command.linear.x = min(1.0, max(0.0, 0.2 * (SPEED - v) + 0.1))  # throttle
        command.linear.y = min(1.0, max(0.0, 0.2 * (v - SPEED - 1)))  # brake
        command.angular.z = STEERING_RATIO * math.atan2(2 * WHEELBASE * math.sin(angle), ahead)
        self.pedals.publish(command)


rclpy.init()
rclpy.spin(Follow())
