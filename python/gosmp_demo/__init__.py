"""Plays OSMPDummySensor.fmu in FMPy and shows the results: a table, a CSV file and a picture.

`make run` calls it; by hand, with an interpreter that has the packages of scripts/requirements.txt:

    PYTHONPATH=python .venv/bin/python -m gosmp_demo --help

    __main__         the command line and the exit codes
    options          arguments and their checks; needs the standard library only
    scenario         which file is played, and how long it lasts
    player           one run: start, steps, results, also of a run that is interrupted
    slave            one instance of the FMU: life cycle, log, plain outputs
    columns          columns of the CSV file that come from the decoded SensorData
    report, plot     the table and the picture
    progress         the progress of a long run
    simsensor_rows   a second reader of simsensor files, which the FMU is checked against
"""
