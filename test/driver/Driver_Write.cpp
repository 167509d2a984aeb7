// SPDX-License-Identifier: BSD-3-Clause
// Writing files.

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <sstream>
#include <thread>

#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_WriteMatrix.hpp"
#include "TridentProblems_WriteText.hpp"

namespace {

using namespace TestTools;

TEUCHOS_UNIT_TEST(Write, RoundTrip) {
  for (const std::string spec :
       {"er:n=5000,d=6", "rmat:scale=9,d=4", "banded:n=2,bw=0", "er:n=9,d=0"})
    for (const std::string name : {"out.mtx", "out.csr", "out.mtx.gz"}) {
      const auto A = readMatrix(spec, world()).matrix;
      const TempFile file(name, std::string(2000000, 'x'));  // longer than what is written
      writeMatrix(*A, file.path());
      const auto again = readMatrix(file.path(), world()).matrix;
      TEST_EQUALITY(checksum(*A), checksum(*again));
    }
}

TEUCHOS_UNIT_TEST(Write, RectangularAndSpecialValues) {
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\n2 5 5\n"
      "1 1 0\n1 5 0.1\n2 2 inf\n2 3 -inf\n2 4 nan\n";
  const auto A = readText(text).matrix;
  const TempFile file("out.mtx", "");
  writeMatrixMarket(*A, file.path());
  // Within a row the order of the columns is the matrix' own; here row 1 is rank 0's.
  const std::string written = contents(file.path());
  TEST_EQUALITY(written.size(), text.size());
  const auto again = readMatrix(file.path(), world()).matrix;
  TEST_EQUALITY(checksum(*A), checksum(*again));
  const TempFile rows("out.csr", "");
  writeMatrix(*A, rows.path());
  TEST_EQUALITY_CONST(contents(rows.path()).size(), 24 + 8 * 3 + 12 * 5 + 16);
  TEST_EQUALITY(checksum(*A), checksum(*readMatrix(rows.path(), world()).matrix));
}

/// Values whose digits are many, in every range: what was written reads as the same bits.
TEUCHOS_UNIT_TEST(Write, EveryBitOfValues) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n1 200 200\n";
  for (int j = 1; j <= 200; ++j)
    text += "1 " + std::to_string(j) + " " + std::to_string(j) + "." +
            std::to_string(hash(static_cast<std::uint64_t>(j))) + "e" +
            std::to_string(3 * j - 320) + "\n";
  const auto A = readText(text).matrix;
  const TempFile file("out.mtx", "");
  writeMatrixMarket(*A, file.path());
  TEST_EQUALITY(checksum(*A), checksum(*readMatrix(file.path(), world()).matrix));
}

/// Makes a Map of the rows that each rank lists.
Teuchos::RCP<const map_type> mapOf(const std::vector<global_ordinal_type>& rows, int all) {
  const Teuchos::ArrayView<const global_ordinal_type> view(
      rows.data(), static_cast<Teuchos::Ordinal>(rows.size()));
  return Teuchos::rcp(new map_type(all, view, 0, world()));
}

TEUCHOS_UNIT_TEST(Write, RowsInNoOrder) {
  const auto columns = readMatrix("er:n=7,d=2", world()).matrix->getDomainMap();
  const TempFile file("out.csr", "");
  const auto writing = [&](const Teuchos::RCP<const map_type>& rows) {
    matrix_type A(rows, 1);
    A.fillComplete(columns, rows);
    writeMatrix(A, file.path());
  };
  std::vector<global_ordinal_type> listed, scattered;
  for (int i = 0; i < 7; ++i) {
    if (i * world()->getSize() / 7 == world()->getRank()) listed.push_back(i);
    if ((6 - i) % world()->getSize() == world()->getRank()) scattered.push_back(6 - i);
  }
  writing(mapOf(listed, 7));  // in order, though a list
  if (world()->getSize() == 1) return;
  TEST_ASSERT(throwsEverywhere([&] { writing(mapOf(scattered, 7)); }, "write a .mtx file"));
  const auto everywhere = Teuchos::rcp(new map_type(7, 0, world(), Tpetra::LocallyReplicated));
  TEST_ASSERT(throwsEverywhere([&] { writing(everywhere); }, "write a .mtx file"));
}

TEUCHOS_UNIT_TEST(Write, FullDisk) {
  const auto A = readMatrix("er:n=2000,d=5", world()).matrix;
  TEST_ASSERT(throwsEverywhere([&] { writeMatrixMarket(*A, "/dev/full"); }, "/dev/full"));
  struct stat info;
  TEST_EQUALITY(stat("/dev/full", &info), 0);  // only files are removed
}

/// A folder of this test's own, gone with what is in it. Collective.
class TempFolder {
 public:
  TempFolder() : path_(tempName("folder")) {
    if (world()->getRank() == 0) mkdir(path_.c_str(), 0700);
    world()->barrier();
  }
  ~TempFolder() {
    world()->barrier();
    if (world()->getRank() != 0) return;
    chmod(path_.c_str(), 0700);
    for (const std::string& name : names()) unlink((*this / name).c_str());
    rmdir(path_.c_str());
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  /// Lists the names in the folder. Local.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    DIR* const folder = opendir(path_.c_str());
    if (folder == nullptr) return all;
    while (const dirent* entry = readdir(folder))
      if (std::string(entry->d_name) != "." && std::string(entry->d_name) != "..")
        all.push_back(entry->d_name);
    closedir(folder);
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::string path_;
};

/// Calls `work` on rank 0 before the other ranks go on. Collective.
template <class Work>
void onFirst(const Work& work) {
  world()->barrier();
  if (world()->getRank() == 0) work();
  world()->barrier();
}

/// A folder so deep that its path has `bytes` bytes, in one of this test's own; gone with it.
/// Collective.
class DeepFolder {
 public:
  explicit DeepFolder(std::size_t bytes) : path_(tempName("deep")) {
    while (path_.size() < bytes) {
      made_.push_back(path_);
      path_ += "/" + std::string(std::min<std::size_t>(bytes - path_.size(), 200), 'd');
    }
    made_.push_back(path_);
    onFirst([&] {
      for (const std::string& folder : made_) mkdir(folder.c_str(), 0700);
    });
  }
  ~DeepFolder() {
    onFirst([&] {
      for (const char* name : {"A.mtx", "A.csr", "A.mtx.gz"}) unlink((*this / name).c_str());
      for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) rmdir(folder->c_str());
    });
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  std::vector<std::string> made_;
};

// Paths as long as the system takes. (MPI-IO of Open MPI 4.1 ends a program at about 245 bytes.)
TEUCHOS_UNIT_TEST(Write, DeepFolders) {
  const Comm comm(*world());
  const auto A = readMatrix("er:n=500,d=4", world()).matrix;
  for (const std::size_t bytes : {250u, 1000u, 4060u}) {
    const DeepFolder folder(bytes);
    for (const char* name : {"A.mtx", "A.csr", "A.mtx.gz"}) {
      const std::string path = folder / name;
      requireWritable({path}, comm);
      writeMatrix(*A, path);
      requireInputs(path, "A", comm);
      TEST_EQUALITY(checksum(*readMatrix(path, world()).matrix), checksum(*A));
    }
  }
  // What the system does not take is refused on all ranks.
  for (const std::string& path :
       {std::string(256, 'n') + ".mtx", std::string(5000, '/') + "a.mtx"}) {
    TEST_ASSERT(throwsEverywhere([&] { requireWritable({path}, comm); }, "a name 255"));
    TEST_ASSERT(throwsEverywhere([&] { requireInputs(path, "A", comm); }, "a name 255"));
    TEST_ASSERT(throwsEverywhere([&] { writeMatrix(*A, path); }, "a name 255"));
    TEST_ASSERT(throwsEverywhere([&] { readMatrix(path, world()); }, "a name 255"));
  }
}

using Names = std::vector<std::string>;

/// A failed run keeps what an older one wrote, and leaves nothing beside it.
TEUCHOS_UNIT_TEST(Write, FailingKeepsTheOlderFile) {
  const auto A = readMatrix("er:n=3000,d=5", world()).matrix;
  for (const std::string name : {"K.csr", "K.mtx", "K.mtx.gz"}) {
    const TempFolder folder;
    onFirst([&] { std::ofstream(folder / name) << "older"; });
    {
      const SmallDisk disk(9000);
      TEST_ASSERT(throwsEverywhere([&] { writeMatrix(*A, folder / name); }, name));
    }
    world()->barrier();
    TEST_EQUALITY(contents(folder / name), "older");
    TEST_ASSERT(folder.names() == Names{name});
    writeMatrix(*A, folder / name);
    TEST_EQUALITY(checksum(*A), checksum(*readMatrix(folder / name, world()).matrix));
    TEST_ASSERT(folder.names() == Names{name});
  }
}

/// An older file's mode stays, though its owner alone may read it or nobody.
TEUCHOS_UNIT_TEST(Write, ModeStays) {
  for (const mode_t mode : {0600, 0664, 0222}) {
    const TempFolder folder;
    onFirst([&] {
      std::ofstream(folder / "a") << "older";
      chmod((folder / "a").c_str(), mode);
    });
    const Comm comm(*world());
    requireWritable({folder / "a"}, comm);  // a write-only file was deleted by this
    TEST_ASSERT(folder.names() == Names{"a"});
    world()->barrier();
    writeText(folder / "a", "text\n", comm);
    struct stat info;
    TEST_EQUALITY_CONST(stat((folder / "a").c_str(), &info), 0);
    TEST_EQUALITY(static_cast<int>(info.st_mode & 07777), static_cast<int>(mode));
    TEST_EQUALITY(static_cast<int>(info.st_size), 5 * comm.size());
  }
}

/// Links stay, and lead to what was written, also where nothing was there.
TEUCHOS_UNIT_TEST(Write, Links) {
  const TempFolder folder;
  const Comm comm(*world());
  bool made = true;
  onFirst([&] {
    std::ofstream(folder / "target") << "older";
    made = symlink("target", (folder / "link").c_str()) == 0 && made;
    made = symlink("link", (folder / "second").c_str()) == 0 && made;
    made = symlink("nothing", (folder / "dangling").c_str()) == 0 && made;
    made = symlink("circle", (folder / "circle").c_str()) == 0 && made;
  });
  TEST_ASSERT(made);
  const Names before = folder.names();
  world()->barrier();
  requireWritable({folder / "second", folder / "dangling"}, comm);
  TEST_ASSERT(folder.names() == before);
  const std::string text = comm.rank() == 0 ? "new" : "";
  for (const char* name : {"second", "dangling"}) writeText(folder / name, text, comm);
  TEST_EQUALITY(contents(folder / "target"), "new");
  TEST_EQUALITY(contents(folder / "nothing"), "new");
  struct stat info;
  for (const char* name : {"link", "second", "dangling"}) {
    TEST_EQUALITY_CONST(lstat((folder / name).c_str(), &info), 0);
    TEST_ASSERT(S_ISLNK(info.st_mode));
  }
  TEST_ASSERT(throwsEverywhere([&] { writeText(folder / "circle", "x", comm); }, "in a circle"));
}

/// A write that cannot succeed is refused before it begins; nothing waits or changes.
TEUCHOS_UNIT_TEST(Write, Refused) {
  const TempFolder folder;
  const Comm comm(*world());
  bool made = true;
  onFirst([&] {
    std::ofstream(folder / "a") << "older";
    made = symlink("a", (folder / "link").c_str()) == 0 && made;
    made = mkfifo((folder / "pipe").c_str(), 0600) == 0 && made;
  });
  TEST_ASSERT(made);
  const Names before = folder.names();
  world()->barrier();
  const auto refuses = [&](const Names& paths, const std::string& why) {
    return throwsEverywhere([&] { requireWritable(paths, comm); }, why);
  };
  const std::string same = "a name of its own";
  TEST_ASSERT(refuses({folder / "new", "", folder / "new"}, same));
  TEST_ASSERT(refuses({folder / "a", folder / "link"}, same));
  TEST_ASSERT(refuses({folder / "new", folder.path() + "/../" + folder / "new"}, same));
  TEST_ASSERT(refuses({folder.path()}, "a directory"));
  TEST_ASSERT(refuses({folder / "new/"}, "cannot be written"));
  TEST_ASSERT(refuses({folder / "no/such"}, "No such file"));
  TEST_ASSERT(refuses({"-", "-"}, same));
  TEST_ASSERT(refuses({folder / "pipe", folder / "pipe"}, same));
  for (const std::string& path : {folder / "pipe", std::string("-")}) {
    requireWritable({path}, comm);
    TEST_ASSERT(throwsEverywhere([&] { requireWritableAnywhere({path}, comm); }, "name a file"));
  }
  requireWritable({"/dev/null", "/dev/null", "", ""}, comm);
  TEST_ASSERT(folder.names() == before);
  TEST_EQUALITY(contents(folder / "a"), "older");
  for (const char* name : {"x.bin", "x.csr.gz", "x.mtx.bz2"})
    TEST_ASSERT(throwsEverywhere([&] { requireFormat(folder / name); }, "not written; name it"));
}

/// Root may create files everywhere; while this lives it is nobody. Local.
class NoRoot {
 public:
  NoRoot() : user_(geteuid()) {
    constexpr uid_t nobody = 65534;
    if (user_ == 0 && seteuid(nobody) != 0) std::perror("seteuid");
  }
  ~NoRoot() {
    if (seteuid(user_) != 0) std::perror("seteuid");
  }

 private:
  uid_t user_;
};

/// One file, and standard output by two of its names, get one output.
TEUCHOS_UNIT_TEST(Write, OnePlaceForTwo) {
  const TempFolder folder;
  const Comm comm(*world());
  bool made = true;
  onFirst([&] {
    for (const char* name : {"a", "b"}) std::ofstream(folder / name) << "older";
    made = symlink("a", (folder / "link").c_str()) == 0 && made;
    made = link((folder / "a").c_str(), (folder / "hard").c_str()) == 0 && made;
  });
  TEST_ASSERT(made);
  const auto refuses = [&](const Names& paths) {
    return throwsEverywhere([&] { requireWritable(paths, comm); }, "a name of its own");
  };
  TEST_ASSERT(refuses({folder / "a", folder / "a"}));
  TEST_ASSERT(refuses({folder / "b", folder / "link", folder / "a"}));
  TEST_EQUALITY(contents(folder / "a"), "older");
  requireWritable({folder / "a", folder / "hard"}, comm);  // each is replaced by its own
  for (const Names& paths : {Names{"-", "/dev/stdout"}, Names{"/dev/stdout", folder / "b", "-"}})
    TEST_ASSERT(refuses(paths));
  TEST_ASSERT(writesToStandardOutput({"x", "/dev/stdout"}));
}

/// A file in a folder where nothing may be created is refused; one that cannot be replaced at the
/// end leaves the whole new one, which the error names.
TEUCHOS_UNIT_TEST(Write, NotReplaced) {
  const TempFolder folder;
  const Comm comm(*world());
  onFirst([&] {
    std::ofstream(folder / "a") << "older";
    chmod((folder / "a").c_str(), 0666);
    chmod(folder.path().c_str(), 0555);
  });
  {
    const NoRoot user;
    TEST_ASSERT(
        throwsEverywhere([&] { requireWritable({folder / "a"}, comm); }, "Permission denied"));
  }
  onFirst([&] { chmod(folder.path().c_str(), 0755); });
  const auto writes = [&] {
    writeFile(folder / "b", comm, [&](const File& file) {
      if (comm.rank() == 0) mkdir((folder / "b").c_str(), 0700);
      file.writeAt(comm.rank(), "x", 1);
    });
  };
  TEST_ASSERT(throwsEverywhere(writes, "the whole file is " + folder / "b.new-"));
  onFirst([&] { rmdir((folder / "b").c_str()); });
  const Names names = folder.names();
  TEST_EQUALITY_CONST(names.size(), 2);
  TEST_EQUALITY(contents(folder / names[1]), std::string(comm.size(), 'x'));
  TEST_EQUALITY(contents(folder / "a"), "older");
}

/// A pipe gets the parts of all ranks in their order, in blocks, and formats that are written
/// elsewhere are errors.
TEUCHOS_UNIT_TEST(Write, Pipe) {
  const TempFolder folder;
  const Comm comm(*world());
  const std::string path = folder / "pipe";
  bool made = true;
  onFirst([&] { made = mkfifo(path.c_str(), 0600) == 0; });
  TEST_ASSERT(made);
  const auto readBy = [&](const auto& work) {
    std::string read;
    std::thread reader([&] {
      if (comm.rank() == 0) read = contents(path);
    });
    work();
    reader.join();
    return read;
  };
  const auto A = readMatrix("er:n=40000,d=5", world()).matrix;  // several blocks
  writeMatrix(*A, folder / "a.mtx");
  const std::string expected = contents(folder / "a.mtx");
  const std::string written = readBy([&] { writeMatrix(*A, path); });
  if (comm.rank() == 0) TEST_ASSERT(written == expected);
  readBy([&] {
    TEST_ASSERT(throwsEverywhere(
        [&] {
          writeFile(path, comm, [&](const File& file) {
            for (const std::int64_t at : {8, 0}) file.writeAt(at, "x", 1);
          });
        },
        "bytes in their order"));
  });
}

TEUCHOS_UNIT_TEST(Write, LongNames) {
  const TempFolder folder;
  const Comm comm(*world());
  const std::string name(255, 'n');
  writeText(folder / name, comm.rank() == 0 ? "new" : "", comm);
  TEST_EQUALITY(contents(folder / name), "new");
}

/// Texts of ranks are members of one gzipped file, also those of ranks that have none.
TEUCHOS_UNIT_TEST(Write, GzippedText) {
  const TempFolder folder;
  const Comm comm(*world());
  const auto readsAs = [&](const std::string& text) {
    char read[4096];
    const gzFile file = gzopen((folder / "a.gz").c_str(), "rb");
    const int size = gzread(file, read, sizeof read);
    const bool packed = gzdirect(file) == 0;
    gzclose(file);
    return packed && size >= 0 && std::string(read, static_cast<std::size_t>(size)) == text;
  };
  writeText(folder / "a.gz", std::string(3, static_cast<char>('a' + comm.rank())), comm);
  std::string all;
  for (int rank = 0; rank < comm.size(); ++rank)
    all += std::string(3, static_cast<char>('a' + rank));
  TEST_ASSERT(readsAs(all));
  world()->barrier();
  writeText(folder / "a.gz", comm.rank() == 0 ? "first" : "", comm);
  TEST_ASSERT(readsAs("first"));
}

/// The file has the same checksum on any number of ranks, and each wrong byte is found.
TEUCHOS_UNIT_TEST(Write, ChecksumOfRows) {
  const auto A = readText(
                     "%%MatrixMarket matrix coordinate real general\n5 3 6\n"
                     "1 3 1.5\n1 1 -2\n3 2 0\n4 1 1\n4 3 3\n5 2 4\n")
                     .matrix;
  const TempFile file("a.csr", "");
  writeMatrix(*A, file.path());
  const std::string good = contents(file.path());
  TEST_EQUALITY_CONST(good.size(), 24 + 8 * 6 + 12 * 6 + 16);
  TEST_EQUALITY(good.substr(good.size() - 16, 8), "checksum");
  TEST_ASSERT(readMatrix(file.path(), world()).report.description.find("checksum") ==
              std::string::npos);
  // Files of others, and of before, have none, and that is said.
  TEST_ASSERT(readText(good.substr(0, good.size() - 16), "a.csr")
                  .report.description.find("without a checksum") != std::string::npos);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    TEST_ASSERT(readingFails(bad, "a.csr", "a.csr"));
  }
  const std::size_t values = 24 + 8 * 6 + 4 * 6;
  std::string swapped = good, holes = good;
  for (std::size_t k = 0; k < 8; ++k) std::swap(swapped[values + k], swapped[values + 8 + k]);
  for (std::size_t k = 0; k < 8; ++k) holes[values + 8 * 4 + k] = 0;
  for (const std::string& bad : {swapped, holes})
    TEST_ASSERT(readingFails(bad, "its checksum is another one", "a.csr"));
  TEST_ASSERT(readingFails(good.substr(0, good.size() - 1), "damaged", "a.csr"));
  TEST_ASSERT(readingFails(good + "x", "damaged", "a.csr"));
}

TEUCHOS_UNIT_TEST(Write, Unwritable) {
  const auto A = readMatrix("er:n=20,d=5", world()).matrix;
  const EmptyFolder folder;
  const std::string absent = folder.absent("x");
  TEST_ASSERT(throwsEverywhere([&] { writeMatrixMarket(*A, absent); }, absent));
  TEST_ASSERT(throwsEverywhere([&] { writeMatrixMarket(*A, "/tmp"); }, "/tmp"));
  for (const std::string name : {"x", "x.csr"})
    TEST_ASSERT(throwsEverywhere([&] { writeMatrix(matrix_type(A->getRowMap(), 1), name); },
                                 "fillComplete"));
}

}  // namespace
