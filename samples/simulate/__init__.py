"""Simulated jobs: what CPUs cannot record, written through the real writers and labelled simulated everywhere.

`plan` draws a job and its fault from a seed; `physics` turns it into what GPUs and hosts do in time; `story` into what
ranks print and the kernel and scheduler note; `record` writes node directories, `export` the files an operator would
have gathered without inquest. Detectors know nothing of the constants here, and no test of theirs uses one set only.
"""
