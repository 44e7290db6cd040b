"""Runs OSMPDummySensor.fmu in FMPy and shows the results: a table, a CSV file and a picture.

`make run` calls it; by hand, with an interpreter that has the packages of scripts/requirements.txt:

    PYTHONPATH=python .venv/bin/python -m gosmp_demo --help

    __main__   the command line; the standard library is enough to check it
    play       fmpy.simulate_fmu, and gosmp.read for the message of each step
    plot       the picture
"""
