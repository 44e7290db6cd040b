# Prints the table of moving objects that omega-prime makes of a trace, as CSV.
import sys

from omega_prime import Recording

columns = [
    *("total_nanos", "idx", "x", "y", "z", "vel_x", "vel_y", "vel_z", "acc_x", "acc_y", "acc_z", "length", "width", "height"),
    *("roll", "pitch", "yaw", "type", "role", "subtype"),
]
recording = Recording.from_file(sys.argv[1], apply_proj=False)
sys.stdout.write(recording.df.select(columns).sort("total_nanos", "idx").write_csv())
