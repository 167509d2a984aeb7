# SPDX-License-Identifier: BSD-3-Clause
"""The script compare_and_swap, on PTX that is made up: no compiler, no GPU."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "compare_and_swap")
NARROW, WIDE = "atom.shared.cas.b32 %r1, [%r2], %r3, %r4;", "atom.cas.relaxed.gpu.b64 %rd1,[%rd2],%rd3,%rd4;"
CALL = "call.uni (retval0), \n\tdevice_function, \n\t(\n\tparam0\n\t);"


def mangled(name, arguments="d"):
    return "_ZN7Trident4Impl%d%sI%sEEvi" % (len(name), name, arguments)


def kernel(name, *instructions):
    return ".visible .entry %s(\n\t.param .u32 n\n)\n{\n\t%s\n\tret;\n}\n" % (name, "\n\t".join(instructions))


NUMERIC = mangled("computeNumericRows", "Li4ELi1ENS0_12ColumnBlocksEd")
MEANT = [mangled(name) for name in ("countRowsByWarps", "countBlockedRows", "CountTableRows", "NumericTeamRows")] + [NUMERIC]
FUNCTION = ".func  (.param .b32 func_retval0) device_function(\n\t.param .b32 p\n)\n{\n\t%s\n\tret;\n}\n"


@unittest.skipUnless(shutil.which("c++filt"), "no c++filt")
class CompareAndSwapTest(unittest.TestCase):
    def read(self, *kernels):
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write("".join(kernels))
            file.flush()
            return subprocess.run([sys.executable, "-B", SCRIPT, "--ptx", file.name], check=False, capture_output=True,
                                  text=True)

    def passes(self, *kernels):
        done = self.read(*kernels)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def fails(self, why, *kernels):
        done = self.read(*kernels)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(why, done.stderr)
        return done.stdout

    def test_hash_tables_may(self):
        self.passes(*(kernel(name, NARROW) for name in MEANT), kernel(mangled("ZeroRows"), "atom.add.u64 %rd1, %rd2;"))

    def test_others_and_other_widths_may_not(self):
        meant = [kernel(name, NARROW) for name in MEANT]
        for swap in NARROW, WIDE:
            printed = self.fails("1 kernels compare", *meant, kernel(mangled("ZeroRows"), "mov.u32 %r1, 0;", swap))
            self.assertIn("  ZeroRows<double>", printed)
        self.fails("1 kernels compare", *meant[1:], kernel(MEANT[0], NARROW, WIDE))

    def test_those_that_a_kernel_calls_count(self):
        meant = [kernel(name, NARROW) for name in MEANT]
        self.fails("1 kernels compare", *meant, FUNCTION % WIDE, kernel(mangled("ZeroRows"), CALL))
        self.passes(*meant, FUNCTION % WIDE, kernel(mangled("ZeroRows"), "ret;"))

    def test_the_lock_of_a_team_and_what_is_not_ours(self):
        meant = [kernel(name, NARROW) for name in MEANT]
        team = mangled("ZeroRows", "N6Kokkos10TeamPolicyIiEE")
        self.passes(*meant, kernel(team, NARROW), kernel("_ZN6Tpetra4packIdEEvi", WIDE))
        self.fails("1 kernels compare", *meant, kernel(team, NARROW, NARROW))

    def test_no_kernel_and_a_row_that_fits_none(self):
        self.fails("no kernel of Trident", "")
        self.fails("no kernel of Trident", kernel("_ZN6Tpetra4packIdEEvi", WIDE))
        self.fails("fits computeNumericRows", *(kernel(name, NARROW) for name in MEANT[:-1]))


if __name__ == "__main__":
    unittest.main()
