// SPDX-License-Identifier: BSD-3-Clause
// Every error of every format reaches every rank with the same text.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <memory>

#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_HostMemory.hpp"
#include "TridentProblems_MatrixMarketText.hpp"
#include "TridentProblems_WriteMatrix.hpp"

namespace {

using namespace TestTools;

const std::string banner = "%%MatrixMarket matrix coordinate ";

TEUCHOS_UNIT_TEST(ReadErrors, Missing) {
  const EmptyFolder folder;
  for (const std::string name : {"a.mtx", "a.mtx.gz", "a.bin"}) {
    const std::string path = folder.absent(name);
    TEST_ASSERT(throwsEverywhere([&] { readMatrix(path, world()); }, path));
  }
  TEST_ASSERT(throwsEverywhere([&] { readMatrix("/tmp", world()); }, "directory"));
}

TEUCHOS_UNIT_TEST(ReadErrors, Header) {
  TEST_ASSERT(readingFails("", "is empty"));
  TEST_ASSERT(readingFails("1 2 3\n", ":1: no Matrix Market file"));
  TEST_ASSERT(readingFails("%%MatrixMarket matrix array real general\n2 2\n", "\"array\""));
  TEST_ASSERT(readingFails(banner + "complex general\n1 1 1\n1 1 1 1\n", "\"complex\""));
  TEST_ASSERT(readingFails(banner + "pattern hermitian\n1 1 1\n1 1\n", "\"hermitian\""));
  TEST_ASSERT(readingFails(banner + "pattern skew-symmetric\n1 1 0\n", "\"skew-symmetric\""));
  TEST_ASSERT(readingFails(banner + "real general\n% c\n", "ends before the size line"));
  TEST_ASSERT(readingFails(banner + "real general\n%\n2 2\n", ":3: the size line"));
  TEST_ASSERT(readingFails(banner + "real general\n2 -2 1\n", "the size line"));
  TEST_ASSERT(readingFails(banner + "real general\n2 2 1 9\n", "more than"));
  TEST_ASSERT(readingFails(banner + "real symmetric\n2 3 0\n", "square"));
  TEST_ASSERT(readingFails(gzipped(banner + "complex general\n1 1 0\n"), ":1: field", "a.mtx.gz"));
}

/// Makes 300 good lines on lines 4..303, with `bad` in the middle, on line 154.
std::string withBadLine(const std::string& format, const std::string& bad) {
  std::string text = banner + format + "\n% comment\n100 90 301\n";
  const bool pattern = format.find("pattern") != std::string::npos;
  for (int i = 0; i < 300; ++i) {
    if (i == 150) text += bad + "\n";
    text +=
        std::to_string(i % 90 + 2) + " " + std::to_string(i % 88 + 1) + (pattern ? "\n" : " 1\n");
  }
  return text;
}

TEUCHOS_UNIT_TEST(ReadErrors, Lines) {
  const std::string zeroInside("1 1 2\0\0003", 8);  // strtod ends at a zero byte, a word does not
  for (const std::string bad : {"x 1 1", "1", "1 1", "1 1 y", "1 1 1 1", "1.5 1 1", "1 1 0x1p3",
                                "1 1 1e5z", "99999999999999999999 1 1", "1 1 +-2"}) {
    const std::string text = withBadLine("real general", bad);
    TEST_ASSERT(readingFails(text, ":154: "));
    TEST_ASSERT(readingFails(text, "\"" + bad + "\""));
    TEST_ASSERT(readingFails(gzipped(text), ":154: ", "a.mtx.gz"));
  }
  TEST_ASSERT(readingFails(withBadLine("real general", zeroInside), "it is \"1 1 2??3\""));
  TEST_ASSERT(readingFails(withBadLine("integer general", "1 1 1.5"), "whole number"));
  TEST_ASSERT(readingFails(withBadLine("pattern general", "1 1 1"), "row and a column only"));
}

// Numbers that a double would change, or does not hold.
TEUCHOS_UNIT_TEST(ReadErrors, NumbersTooLarge) {
  for (const std::string bad : {"1 1 1e400", "1 1 -1e309", "1 1 2d308"})
    TEST_ASSERT(readingFails(withBadLine("real general", bad),
                             ":154: the value should be a number, "
                             "up to 1.8e308"));
  for (const std::string value : {"9007199254740993", "-9007199254740993", "9223372036854775807",
                                  "9223372036854775808", "123456789012345678901234567890", "1e16"})
    TEST_ASSERT(readingFails(withBadLine("integer general", "1 1 " + value),
                             ":154: a whole number "
                             "should be at most"));
  TEST_ASSERT(readingFails(withBadLine("integer general", "1 1 inf"), "should be a whole number"));
  TEST_ASSERT(readingFails(withBadLine("unsigned-integer general", "1 1 -1"),
                           ":154: an unsigned-integer should not be negative"));
}

// Lines that another program would end elsewhere must not get lost, nor become comments.
TEUCHOS_UNIT_TEST(ReadErrors, CarriageReturnsInside) {
  const std::string part = "no carriage return inside", good = banner + "real general\n";
  TEST_ASSERT(
      readingFails(banner + "real general\r2 2 1\r1 1 1\r", ":1: a line should have " + part));
  TEST_ASSERT(
      readingFails(good + "% comment\r2 2 1\r1 1 1\n2 2 0\n", ":2: a line should have " + part));
  TEST_ASSERT(readingFails(good + "2 2 1\r1 1 1\r\n", ":2: a line should have " + part));
  TEST_ASSERT(readingFails(good + "2 2 0\n% comment\r1 1 1\n", ":3: a line should have " + part));
  TEST_ASSERT(
      readingFails(withBadLine("real general", "1 1 1\r2 2 2"), ":154: a line should have"));
  TEST_ASSERT(readingFails(std::string("\xff\xfe%\0%\0", 6), ":1: the text is UTF-16"));
  TEST_ASSERT(readingFails(gzipped(std::string("\xfe\xff\0%\0%", 6)), "UTF-16", "a.mtx.gz"));
}

TEUCHOS_UNIT_TEST(ReadErrors, ByteOfTheLine) {
  const std::string text = withBadLine("real general", "oops");
  TEST_ASSERT(readingFails(text, "(byte " + std::to_string(text.find("oops")) + ")"));
}

TEUCHOS_UNIT_TEST(ReadErrors, FirstOfSeveral) {
  std::string text = withBadLine("real general", "0 1 1");
  text += "also bad\n";
  TEST_ASSERT(readingFails(text, ":154: "));
}

TEUCHOS_UNIT_TEST(ReadErrors, Range) {
  TEST_ASSERT(readingFails(withBadLine("real general", "0 1 1"), "1..100"));
  TEST_ASSERT(readingFails(withBadLine("real general", "101 1 1"), "1..100"));
  TEST_ASSERT(readingFails(withBadLine("real general", "1 91 1"), "1..90"));
  TEST_ASSERT(readingFails(banner + "real skew-symmetric\n2 2 1\n1 1 5\n", "diagonal"));
}

TEUCHOS_UNIT_TEST(ReadErrors, Count) {
  const std::string fewer = banner + "real general\n2 2 3\n1 1 1\n2 2 2\n";
  const std::string more = banner + "real general\n2 2 1\n1 1 1\n2 2 2\n";
  TEST_ASSERT(readingFails(fewer, "truncated"));
  TEST_ASSERT(readingFails(more, "promises 1 entries"));
  TEST_ASSERT(readingFails(gzipped(fewer), "truncated", "a.mtx.gz"));
  TEST_ASSERT(readingFails(gzipped(more), "promises 1 entries", "a.mtx.gz"));
}

// A small file that unpacks to far more than its header promises is not held in memory.
TEUCHOS_UNIT_TEST(ReadErrors, NoMoreThanThePromise) {
  std::string text = banner + "real symmetric\n2 2 3\n";
  Text left{text.data(), text.data() + text.size()};
  HeaderParser header;
  TEST_ASSERT(header.parse(left));
  std::string lines;
  for (int n = 0; n < 200000; ++n) lines += "2 1 1\n";
  EntryParser entries(header.header());
  TEST_THROW(entries.parse({lines.data(), lines.data() + lines.size()}), LineError);
  const std::size_t held = entries.take().size();
  TEST_EQUALITY(held, 6u);  // three, and their mirror images
  TEST_ASSERT(readingFails(gzipped(text + lines),
                           ":6: the line should be blank, as the size line "
                           "promises 3 entries",
                           "a.mtx.gz"));
}

TEUCHOS_UNIT_TEST(ReadErrors, Gzip) {
  std::string text = banner + "real general\n5000 5000 5000\n";
  for (int i = 1; i <= 5000; ++i)
    text += std::to_string(i) + " " + std::to_string((i * 37) % 5000 + 1) + " 1\n";
  const std::string good = gzipped(text);
  TEST_ASSERT(readingFails(good.substr(0, good.size() / 2), "truncated", "a.mtx.gz"));
  TEST_ASSERT(readingFails(good.substr(0, 12), "truncated", "a.mtx.gz"));
  std::string damaged = good;
  damaged[good.size() / 2] = static_cast<char>(damaged[good.size() / 2] ^ 0x55);
  TEST_ASSERT(readingFails(damaged, "a.mtx.gz", "a.mtx.gz"));
  TEST_ASSERT(readingFails("", "empty", "a.mtx.gz"));
  // The first bytes say if it is gzipped, whatever the name.
  const std::int64_t expected = checksum(*readText(text).matrix);
  TEST_EQUALITY(checksum(*readText(text, "a.mtx.gz").matrix), expected);
  for (const std::string name : {"a.mtx", "a.gz.txt", "a"}) {
    const ReadResult read = readText(good, name);
    TEST_EQUALITY(checksum(*read.matrix), expected);
    TEST_ASSERT(read.report.description.find("gzipped") != std::string::npos);
  }
}

// Formats that are known and not read are named, with advice.
TEUCHOS_UNIT_TEST(ReadErrors, OtherFormats) {
  const std::string rest(5000, 'x');
  for (const std::string name : {"a.mtx", "a", "a.mtx.gz"}) {
    TEST_ASSERT(readingFails("BZh91AY&SY" + rest, "packed by bzip2", name));
    TEST_ASSERT(readingFails(std::string("\xfd\x37zXZ\0", 6) + rest, "packed by xz", name));
    TEST_ASSERT(readingFails("\x28\xb5\x2f\xfd" + rest, "packed by zstd", name));
    TEST_ASSERT(readingFails("PK\x03\x04" + rest, "packed by zip", name));
    TEST_ASSERT(readingFails(gzipped(gzipped(banner)), "packed by gzip twice", name));
  }
  for (const std::string name : {"a.csr", "a.bin"})
    TEST_ASSERT(readingFails(gzipped(rest), "packed by gzip, and this format is read at", name));
  const std::string boeing =
      "1138_BUS: admittance matrix                                             1138_BUS\n"
      "          1037            72           163           802             0\n"
      "rsa                     1138          1138          2596             0\n"
      "(16I5)          (16I5)          (5E16.8)\n    1    5    6    8\n";
  TEST_ASSERT(readingFails(boeing, "Rutherford-Boeing file, which is not read: convert"));
  TEST_ASSERT(readingFails(gzipped(boeing), "Rutherford-Boeing", "a.rb.gz"));
}

// Sizes that a few bytes can ask for. A reader that allocates first and thinks later is ended by
// the operating system, or says "cannot create std::vector larger than max_size()".
TEUCHOS_UNIT_TEST(ReadErrors, MoreThanThereIs) {
  const auto sized = [](const std::string& sizes) { return banner + "real general\n" + sizes; };
  for (const bool zip : {false, true}) {
    const auto fails = [&](const std::string& text, const std::string& part) {
      return zip ? readingFails(gzipped(text), part, "a.mtx.gz") : readingFails(text, part);
    };
    TEST_ASSERT(fails(sized("1152921504606846976 1 0\n"), "local ordinals"));
    TEST_ASSERT(
        fails(sized("1 9223372036854775807 1\n1 9223372036854775807 1\n"), "local ordinals"));
    TEST_ASSERT(fails(sized("2 2 1152921504606846976\n1 1 1\n"), "truncated"));
  }
  const auto fails = [](const std::string& spec, const std::string& part) {
    return throwsEverywhere([&] { readMatrix(spec, world()); }, part);
  };
  TEST_ASSERT(fails("er:n=1e15,d=0", "local ordinals"));
  TEST_ASSERT(fails("rmat:scale=48,d=0", "local ordinals"));
  TEST_ASSERT(fails("banded:n=1e15,bw=1e15", "local ordinals"));
  TEST_ASSERT(fails("brick3d:n=1e5", "local ordinals"));
  TEST_ASSERT(fails("er:n=1e9,d=1e9", "er:n=1000000000,d=1000000000,seed=1 needs at least"));
}

/// Limits what this process may hold (ulimit -m) to a megabyte while it lives.
class MemoryLimit {
 public:
  MemoryLimit() {
    getrlimit(RLIMIT_RSS, &before_);
    struct rlimit less = before_;
    less.rlim_cur = 1000000;
    setrlimit(RLIMIT_RSS, &less);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_RSS, &before_); }

 private:
  struct rlimit before_;
};

// Lack of memory later on, in whatever words, gets a message that names the file.
TEUCHOS_UNIT_TEST(ReadErrors, LackOfMemoryNamesTheFile) {
  for (const std::string error :
       {"Trident::Multiply: std::bad_alloc", "rank 0 of 2 is out of memory: use more ranks",
        "Kokkos failed to allocate memory for label \"x\".\n\nTraceback"})
    TEST_EQUALITY(lackOfMemory("a.mtx", error),
                  "a.mtx: there is not enough memory: use more hosts or a smaller matrix (" +
                      error.substr(0, error.find('\n')) + ")");
  TEST_EQUALITY(lackOfMemory("a.mtx", "a.mtx: rank 0 of 2 is out of memory"), "");
  TEST_EQUALITY(lackOfMemory("a.mtx", "the matrix is 3 x 2"), "");
}

TEUCHOS_UNIT_TEST(ReadErrors, MoreThanOneRankMayHave) {
  const TempFile csr("a.csr", "");
  writeMatrix(*readMatrix("er:n=1000000,d=0", world()).matrix, csr.path());
  std::unique_ptr<MemoryLimit> limit;
  if (world()->getRank() == 0) limit = std::make_unique<MemoryLimit>();  // the others follow it
  const std::string part = " GB on a rank, which may have 0.001 GB (ulimit -m): use more hosts";
  TEST_ASSERT(readingFails(banner + "real general\n1000000 1 0\n",
                           ": a matrix of 1000000 x 1 and 0 entries needs at least"));
  TEST_ASSERT(readingFails(banner + "real general\n1 1000000 0\n", part));
  TEST_ASSERT(readingFails(gzipped(banner + "real general\n1000000 1 0\n"), part, "a.mtx.gz"));
  TEST_ASSERT(throwsEverywhere([&] { readMatrix(csr.path(), world()); },
                               "a.csr: a matrix of 1000000 x 1000000 and 0 entries needs at"));
  for (const std::string spec : {"er:n=1000000,d=0", "er:n=10000,d=1000", "rmat:scale=16,d=16",
                                 "rmat:scale=20,d=0", "banded:n=10000,bw=100", "laplace2d:n=1000"})
    TEST_ASSERT(throwsEverywhere([&] { readMatrix(spec, world()); }, part));
  readMatrix("er:n=1000,d=4", world());
}

template <class T>
void append(std::string& bytes, std::initializer_list<T> numbers) {
  for (T number : numbers) bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string binary(std::initializer_list<std::int64_t> head,
                   std::initializer_list<std::int32_t> rows, std::initializer_list<double> values) {
  std::string bytes;
  append(bytes, head);
  append(bytes, rows);
  append(bytes, values);
  return bytes;
}

TEUCHOS_UNIT_TEST(ReadErrors, Binary) {
  const std::string good = binary({3, 3, 0, 1, 2, 3}, {0, 1, 2}, {1, 2, 3});
  readText(good, "a.bin");
  TEST_ASSERT(readingFails(good.substr(0, 10), "truncated", "a.bin"));
  TEST_ASSERT(readingFails(good.substr(0, good.size() - 1), "truncated", "a.bin"));
  TEST_ASSERT(readingFails(good + "x", "damaged", "a.bin"));
  TEST_ASSERT(readingFails("%%MatrixMarket matrix", "no binary matrix", "a.bin"));
  TEST_ASSERT(readingFails(binary({3, 3, 0, 2, 1, 3}, {0, 1, 2}, {1, 2, 3}), "ascend", "a.bin"));
  TEST_ASSERT(readingFails(binary({3, 3, 1, 1, 2, 3}, {0, 1, 2}, {1, 2, 3}), "ascend", "a.bin"));
  TEST_ASSERT(readingFails(binary({3, 3, 0, 1, 2, 2}, {0, 1, 2}, {1, 2, 3}), "ascend", "a.bin"));
  TEST_ASSERT(readingFails(binary({3, 3, 0, 1, 2, 3}, {0, 1, 3}, {1, 2, 3}), "row 3", "a.bin"));
  TEST_ASSERT(readingFails(binary({3, 3, 0, 1, 2, 3}, {0, -1, 2}, {1, 2, 3}), "row -1", "a.bin"));
}

TEUCHOS_UNIT_TEST(ReadErrors, CompressedRows) {
  const auto fails = [](const std::string& bytes, const std::string& part) {
    return readingFails(bytes, part, "a.csr");
  };
  const std::string good = binary({3, 2, 3, 0, 1, 2, 3}, {0, 1, 1}, {1, 2, 3});
  readText(good, "a.csr");
  TEST_ASSERT(fails("", "truncated"));
  TEST_ASSERT(fails(good.substr(0, 20), "truncated"));
  TEST_ASSERT(fails(good.substr(0, good.size() - 1), "truncated"));
  TEST_ASSERT(fails(good + "x", "damaged"));
  TEST_ASSERT(fails("%%MatrixMarket matrix coordinate", "no binary matrix"));
  TEST_ASSERT(fails(binary({-1, 2, 3, 0}, {}, {}), "no binary matrix"));
  TEST_ASSERT(fails(binary({0, std::int64_t{1} << 32, 0, 0}, {}, {}), "no binary matrix"));
  TEST_ASSERT(fails(binary({3, 2, 3, 0, 2, 1, 3}, {0, 1, 1}, {1, 2, 3}), "row offset 2"));
  TEST_ASSERT(fails(binary({3, 2, 3, 0, 1, 9, 3}, {0, 1, 1}, {1, 2, 3}), "row offset 2"));
  TEST_ASSERT(fails(binary({3, 2, 3, 0, 1, 2, 2}, {0, 1, 1}, {1, 2, 3}), "ascend"));
  TEST_ASSERT(fails(binary({3, 2, 3, 0, 1, 2, 3}, {0, 1, 2}, {1, 2, 3}), "column 2 of 2"));
  TEST_ASSERT(fails(binary({3, 2, 3, 0, 1, 2, 3}, {0, -1, 1}, {1, 2, 3}), "column -1"));
  const EmptyFolder folder;
  const std::string path = folder.absent("a.csr");
  TEST_ASSERT(throwsEverywhere([&] { readMatrix(path, world()); }, path));
}

/// A folder of this rank's own, in which it is while the object lives. Collective.
class OwnFolder {
 public:
  OwnFolder()
      : name_(tempName("rank") + std::to_string(world()->getRank())),
        before_(open(".", O_RDONLY | O_DIRECTORY)) {
    if (mkdir(name_.c_str(), 0700) != 0 || chdir(name_.c_str()) != 0) std::perror(name_.c_str());
  }
  ~OwnFolder() {
    for (const char* name : {"a.csr", "a.bin"}) std::remove(name);
    if (fchdir(before_) == 0) rmdir(name_.c_str());
    close(before_);
  }

 private:
  std::string name_;
  int before_;
};

// Each rank opens its own file under a name that others may give to a new one meanwhile.
TEUCHOS_UNIT_TEST(ReadErrors, RanksSeeSeveralFiles) {
  if (world()->getSize() == 1) return;
  const std::string plain = binary({2, 2, 2, 0, 1, 2}, {0, 1}, {1, 2});
  for (const int other : {0, world()->getSize() - 1}) {
    const OwnFolder folder;
    const bool mine = world()->getRank() == other;
    // What a checksum would be is not looked at before all agree that there is one.
    std::ofstream("a.csr", std::ios::binary) << plain + (mine ? "checksum01234567" : "");
    std::ofstream("a.bin", std::ios::binary)
        << (mine ? binary({1, 0, 0, 0}, {}, {}) : binary({2, 0, 0, 0, 0}, {}, {}));
    for (const std::string name : {"a.csr", "a.bin"})
      TEST_ASSERT(throwsEverywhere([&] { readMatrix(name, world()); },
                                   name + ": ranks see several files of this name"));
  }
}

TEUCHOS_UNIT_TEST(ReadErrors, Generators) {
  const auto fails = [](const std::string& spec, const std::string& part) {
    return throwsEverywhere([&] { readMatrix(spec, world()); }, part);
  };
  TEST_ASSERT(fails("foo:n=3", "brick3d:n="));
  TEST_ASSERT(fails("er", "n=NUMBER is missing"));
  TEST_ASSERT(fails("er:d=3", "n=NUMBER is missing"));
  TEST_ASSERT(fails("er:n=3,m=2", "no key \"m\""));
  TEST_ASSERT(fails("er:n=3,n=2", "twice"));
  TEST_ASSERT(fails("er:n", "KEY=NUMBER"));
  TEST_ASSERT(fails("er:n=abc", "not a number"));
  TEST_ASSERT(fails("er:n=10x", "not a number"));
  TEST_ASSERT(fails("er:n=", "not a number"));
  TEST_ASSERT(fails("er:n=2.5", "whole number"));
  TEST_ASSERT(fails("er:n=0", "should lie in"));
  TEST_ASSERT(fails("er:n=nan", "n="));
  TEST_ASSERT(fails("er:n=4,d=5", "d should be at most n"));
  TEST_ASSERT(fails("rmat:scale=60", "should lie in"));
}

}  // namespace
