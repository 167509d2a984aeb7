# SPDX-License-Identifier: BSD-3-Clause
"""What stands beside `measure`: the scripts of bash, and one_program."""
import os
import shutil
import subprocess
import unittest

import fakes


class ShellTest(fakes.Machine):
    """The scripts of bash: their syntax, and what they say to who calls them wrongly."""

    def test_syntax(self):
        for name in ("two_level_network", "bundle"):
            done = subprocess.run(["bash", "-n", os.path.join(fakes.SCRIPTS, name)], check=False, capture_output=True,
                                  text=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_usage(self):
        for name in ("two_level_network", "bundle"):
            done = subprocess.run([os.path.join(fakes.SCRIPTS, name)], check=False, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)

    def test_the_network_installs_nothing(self):
        with open(os.path.join(fakes.SCRIPTS, "two_level_network"), encoding="utf-8") as file:
            self.assertNotIn("apt-get", file.read())
        if os.geteuid() == 0:
            empty = os.path.join(self.folder, "empty")
            os.mkdir(empty)
            for tool in ("bash", "readlink", "id"):
                os.symlink("/usr/bin/" + tool, os.path.join(empty, tool))
            done = subprocess.run(["/bin/bash", os.path.join(fakes.SCRIPTS, "two_level_network"), "bytes"], check=False,
                                  capture_output=True, text=True, env={"PATH": empty})
            self.assertEqual((done.returncode, done.stderr),
                             (1, "two_level_network: ip and tc are missing: install iproute2\n"))

    # Else an Open MPI from 4.1.5 on makes no window where there is no InfiniBand.
    def test_the_network_has_windows_by_any_transport(self):
        for name, text in (("ip", "#!/bin/sh\nprintf 'trident-node0\\ntrident-node1\\n'\n"), ("tc", "#!/bin/sh\n"),
                           ("id", "#!/bin/sh\necho 0\n"),
                           ("mpirun", "#!/bin/sh\necho \"$@\"\n")):
            self.program(name, text)
        for osc, more in (("ucx,sm", {}), ("sm", {"OMPI_MCA_osc": "sm"})):
            env = {**{name: value for name, value in os.environ.items() if name != "OMPI_MCA_osc"},
                   "PATH": self.bin + os.pathsep + os.environ["PATH"], **more}
            done = subprocess.run([os.path.join(fakes.SCRIPTS, "two_level_network"), "run", "2", "1", "true"], env=env,
                                  check=False, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(" --mca osc " + osc + " ", done.stdout)
            self.assertIn(" --mca opal_common_ucx_tls any --mca opal_common_ucx_devices any ", done.stdout)

    @unittest.skipUnless(shutil.which("xz"), "no xz")
    def test_bundle(self):
        build = os.path.join(self.folder, "build/example/app/driver")
        os.makedirs(build)
        os.symlink("/bin/true", os.path.join(build, "Trident_SpGEMM.exe"))
        os.makedirs(os.path.join(self.folder, "ipt/lib"))
        for tool in ("ip", "tc"):  # which start what they are told, as ip starts ranks
            shutil.copy(os.path.realpath("/usr/bin/env"), os.path.join(self.folder, "ipt", tool))
        subprocess.run(["tar", "cf", "iproute2.tar", "ipt"], cwd=self.folder, check=True)
        folder = os.path.join(self.folder, "bundled")
        done = subprocess.run([os.path.join(fakes.SCRIPTS, "bundle"), folder,
                               "--build=" + os.path.join(self.folder, "build"),
                               "--iproute2=" + os.path.join(self.folder, "iproute2.tar")], check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(["bash", "-c", "source bundled/env.sh; command -v ip; ip printenv LD_LIBRARY_PATH"],
                              check=True, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.stdout.split()[0], os.path.join(folder, "ipt/ip"))
        self.assertNotIn("ipt/lib", done.stdout)
        for words in ([], ["gpu"], ["threads"]):
            done = subprocess.run([os.path.join(folder, "bin/measure"), *words, "--help"], check=False,
                                  capture_output=True, text=True)
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
    def compile(self, name, text):
        with open(os.path.join(self.folder, name + ".cpp"), "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run(["c++", "-c", name + ".cpp", "-o", name + ".o"], cwd=self.folder, check=True)

    def test_link_commands_of_newer_cmakes(self):
        os.mkdir(os.path.join(self.folder, "test"))
        self.compile("test/main", "int main() { return 7; }")
        self.compile("teuchos", TEUCHOS)
        subprocess.run(["ar", "qc", "libteuchoscore.a", "teuchos.o"], cwd=self.folder, check=True)
        for name in ("test/Trident_M.exe", "CTestTestfile.cmake"):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8"):
                pass
        for n, option in enumerate(("-Wl,--dependency-file=", "-Wl,--dependency-file,", "-Xlinker --dependency-file=")):
            with open(os.path.join(self.folder, "build.ninja"), "w", encoding="utf-8") as file:
                file.write(BUILD_NINJA.format(option=option))
            into = os.path.join(self.folder, "one_%d" % n)
            done = subprocess.run([os.path.join(fakes.SCRIPTS, "one_program"), self.folder, into], check=False,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = subprocess.run([os.path.join(into, "Trident_M.exe")], check=False)
            self.assertEqual(done.returncode, 7)


if __name__ == "__main__":
    unittest.main()
