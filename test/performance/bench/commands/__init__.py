# SPDX-License-Identifier: BSD-3-Clause
"""What `measure` can measure: a module for each subcommand, with add_arguments(parser) and run(arguments, tally)."""
