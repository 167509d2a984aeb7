# SPDX-License-Identifier: BSD-3-Clause
"""What `measure` is made of.

  main      finds the subcommand, which is a module of commands/
  options   those that several subcommands have
  mpi       starts programs: by mpirun, or in the network of two_level_network
  measure   runs the driver, in turns, and counts what failed and what was skipped
  products  forms A·A by Trident and by other libraries
  facts     names what was measured: machine, commit, versions, matrices
  tables    writes Markdown and CSV
  plots     draws; this one alone needs pandas and matplotlib
  gpu_*     parts of `measure gpu`

Python 3.8 with nothing else will do for all but the plots: the machines with GPUs have no more.
"""
