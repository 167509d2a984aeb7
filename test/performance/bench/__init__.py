# SPDX-License-Identifier: BSD-3-Clause
"""What `measure` is made of: main finds the subcommand, a module of commands/; gpu_* are parts of `measure gpu`.

Python 3.8 with nothing else will do for all but plots: the machines with GPUs have no more.
"""
