"""Scenario texts of the tests: small, invented, with values that are easy to recognize in an
output."""

from __future__ import annotations

#: All six sensors, stamps in ms from 1000 to 1100, closed by an end row.
SIX_SENSORS = """\
SensorID,Timestamp,Field1,Field2,Field3
1,1000,100,-200,-9800
8,1000,10,-20,30,1000000,-2000000,3000000
16,1000,200,-10,430
2,1000,101325,290
32,1000,288
4,1000,95000,52300000000,13400000000,1700000000123456,140,216,131000,5000,3000,-4000,500,1500,2500,250,785,10,20,9,3
1,1010,300,-400,-9700
8,1010,11,-21,31,1000100,-2000200,3000300
1,1040,500,600,-9600
2,1050,101300,291
16,1060,210,-11,431
4,1100,95500,52300001000,13400002000,1700000000223456,141,217,131500,6000,0,6000,-250,1501,2501,251,1571,11,21,10,4
0
"""

#: Two thermometer rows 40 ms apart, no end row: a round of 40 ms.
LOOPING = "SensorID,Timestamp\n32,500,280\n32,540,281\n"


def thermometer(count: int, distance: int = 10, first: int = 0, end: bool = True) -> str:
    """Thermometer rows at equal distances; the value counts up from 200 K."""
    rows = [f"32,{first + i * distance},{200 + i % 100}" for i in range(count)]
    return "\n".join(rows + ["0"] * end) + "\n"
