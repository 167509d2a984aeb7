# SPDX-License-Identifier: BSD-3-Clause
"""What stands beside `measure`: the scripts of bash, and one_program."""
import os
import shutil
import subprocess
import unittest

import fakes


def run(*words, **more):
    return subprocess.run(words, check=False, capture_output=True, text=True, **more)


class ShellTest(fakes.Machine):
    """The scripts of bash: their syntax, and what they say to who calls them wrongly."""

    def script(self, name, *words, status=0, **more):
        done = run(os.path.join(fakes.SCRIPTS, name), *words, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_syntax_and_usage(self):
        for name in ("two_level_network", "bundle"):
            self.assertEqual(run("bash", "-n", os.path.join(fakes.SCRIPTS, name)).returncode, 0)
            self.script(name, status=2)

    @unittest.skipUnless(os.geteuid() == 0, "the network needs root")
    def test_the_network_installs_nothing(self):
        for tool in ("bash", "readlink", "id"):
            os.symlink("/usr/bin/" + tool, os.path.join(self.folder, tool))
        done = self.script("two_level_network", "bytes", status=1, env={"PATH": self.folder})
        self.assertEqual(done.stderr, "two_level_network: ip and tc are missing: install iproute2\n")

    # Else an Open MPI from 4.1.5 on makes no window where there is no InfiniBand.
    def test_the_network_has_windows_by_any_transport(self):
        for name, text in (("ip", "printf 'trident-node0\\ntrident-node1\\n'"), ("tc", ""), ("id", "echo 0"),
                           ("mpirun", "echo \"$@\"")):
            self.program(name, "#!/bin/sh\n%s\n" % text)
        for osc, more in (("ucx,sm", {}), ("sm", {"OMPI_MCA_osc": "sm"})):
            env = {**{name: value for name, value in os.environ.items() if name != "OMPI_MCA_osc"},
                   "PATH": self.bin + os.pathsep + os.environ["PATH"], **more}
            done = self.script("two_level_network", "run", "2", "1", "true", env=env)
            self.assertEqual(done.stderr, "")
            self.assertIn(" --mca osc " + osc + " ", done.stdout)
            self.assertIn(" --mca opal_common_ucx_tls any --mca opal_common_ucx_devices any ", done.stdout)

    @unittest.skipUnless(shutil.which("xz"), "no xz")
    def test_bundle(self):
        build = os.path.join(self.folder, "build/example/app/driver")
        for folder in (build, os.path.join(self.folder, "ipt/lib")):
            os.makedirs(folder)
        os.symlink("/bin/true", os.path.join(build, "Trident_SpGEMM.exe"))
        for tool in ("ip", "tc"):  # which start what they are told, as ip starts ranks
            shutil.copy(os.path.realpath("/usr/bin/env"), os.path.join(self.folder, "ipt", tool))
        subprocess.run(["tar", "cf", "iproute2.tar", "ipt"], cwd=self.folder, check=True)
        self.script("bundle", "bundled", "--build=build", "--iproute2=iproute2.tar", cwd=self.folder)
        done = run("bash", "-c", "source bundled/env.sh; command -v ip; ip printenv LD_LIBRARY_PATH", cwd=self.folder)
        self.assertEqual(done.stdout.split()[0], os.path.join(self.folder, "bundled/ipt/ip"))
        self.assertNotIn("ipt/lib", done.stdout)
        for words in ([], ["gpu"], ["threads"]):
            done = run(os.path.join(self.folder, "bundled/bin/measure"), *words, "--help")
            self.assertEqual(done.returncode, 0, done.stderr)


# What CMake 3.31 and newer write for Ninja, where the linker is new enough: it notes what it read, by a relative path.
BUILD_NINJA = """rule CXX_EXECUTABLE_LINKER
  command = : && c++ {option}test/M.dir/link.d test/main.o -o $out  libteuchoscore.a && :
build test/Trident_M.exe: CXX_EXECUTABLE_LINKER test/main.o
"""
TEUCHOS = """#include <string>
namespace Teuchos {
class UnitTestBase;
struct UnitTestRepository { static void addUnitTest(UnitTestBase*, std::string, std::string); };
void UnitTestRepository::addUnitTest(UnitTestBase*, std::string, std::string) {}
}
"""


@unittest.skipUnless(all(map(shutil.which, ("ninja", "ctest", "c++", "ar", "nm", "objcopy", "strip"))), "no compiler")
class OneProgramTest(fakes.Machine):
    def write(self, name, text):
        self.program(os.path.join(self.folder, name), text)

    def compile(self, name, text):
        self.write(name + ".cpp", text)
        subprocess.run(["c++", "-c", name + ".cpp", "-o", name + ".o"], cwd=self.folder, check=True)

    def test_link_commands_of_newer_cmakes(self):
        self.compile("test/main", "int main() { return 7; }")
        self.compile("teuchos", TEUCHOS)
        subprocess.run(["ar", "qc", "libteuchoscore.a", "teuchos.o"], cwd=self.folder, check=True)
        for name in ("test/Trident_M.exe", "CTestTestfile.cmake"):
            self.write(name, "")
        for n, option in enumerate(("-Wl,--dependency-file=", "-Wl,--dependency-file,", "-Xlinker --dependency-file=")):
            self.write("build.ninja", BUILD_NINJA.format(option=option))
            into = os.path.join(self.folder, "one_%d" % n)
            done = run(os.path.join(fakes.SCRIPTS, "one_program"), self.folder, into)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(run(os.path.join(into, "Trident_M.exe")).returncode, 7)


if __name__ == "__main__":
    unittest.main()
