"""Writes standard input as a deflate stream, as small as libdeflate can make it."""

import sys

import deflate

sys.stdout.buffer.write(deflate.deflate_compress(sys.stdin.buffer.read(), 12))
