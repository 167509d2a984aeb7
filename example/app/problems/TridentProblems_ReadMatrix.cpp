// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_ReadMatrix.hpp"

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_CompressedRows.hpp"
#include "TridentProblems_File.hpp"
#include "TridentProblems_Generators.hpp"
#include "TridentProblems_HostMemory.hpp"
#include "TridentProblems_ReadBinary.hpp"
#include "TridentProblems_ReadMatrixMarket.hpp"
#include "TridentProblems_Rows.hpp"
#include "TridentProblems_SharedFile.hpp"

namespace Trident {
namespace Problems {

namespace {

/// Fills in the matrix and the report, but for the sizes.
void readMatrixMarket(const std::string& path, const Teuchos::RCP<const comm_type>& teuchosComm,
                      const Comm& comm, ReadResult& result) {
  TextInput input(path, comm);
  MatrixMarketEntries file = readMatrixMarket(input, comm);
  result.report.pattern = file.header.field == MatrixMarketHeader::Field::pattern;
  result.report.description = input.name() + " (Matrix Market, " + describe(file.header) +
                              (input.gzipped() ? ", gzipped)" : ")");
  result.matrix = matrixFromEntries(std::move(file.entries), file.header.rows, file.header.columns,
                                    teuchosComm, comm, result.report.duplicates);
  result.report.warning = warningOfBothHalves(input.name(), file, result.report.duplicates);
}

}  // namespace

void requireInputs(const std::string& A, const std::string& B, const Comm& comm) {
  requireInputsApart({A, B}, comm);
  const bool ofA = B == "A" || B == "restriction";
  for (const std::string& spec : {A, ofA ? std::string() : B})
    if (!looksLikeGenerator(spec)) requireReadable({spec}, comm);
}

std::string warningLine(const ReadReport& report) {
  return report.warning.empty() ? "" : "warning: " + report.warning + ".\n";
}

std::int64_t countEntries(const matrix_type& matrix) {
  const Comm comm(*matrix.getComm());
  std::int64_t entries = 0;
  collectively(comm, [&] { entries = static_cast<std::int64_t>(RowReader(matrix).numEntries()); });
  return comm.sum(entries);
}

namespace {

ReadResult readAnyMatrix(const std::string& spec,
                         const Teuchos::RCP<const comm_type>& teuchosComm) {
  const Comm comm(*teuchosComm);
  ReadResult result;
  if (looksLikeGenerator(spec)) {
    const GeneratorSpec generator(spec);
    result.matrix = generate(generator, teuchosComm, comm, result.report.duplicates);
    result.report.description = generator.text();
  } else if (endsIn(spec, ".bin")) {
    BinaryEntries file = readBinary(spec, comm);
    result.report.description = spec + " (binary, by columns)";
    result.matrix = matrixFromEntries(std::move(file.entries), file.size, file.size, teuchosComm,
                                      comm, result.report.duplicates);
  } else if (endsIn(spec, ".csr")) {
    bool hasSum = false;
    result.matrix = readCompressedRows(spec, teuchosComm, comm, result.report.duplicates, hasSum);
    result.report.description =
        spec + (hasSum ? " (binary, by rows)" : " (binary, by rows, without a checksum)");
  } else {
    readMatrixMarket(spec, teuchosComm, comm, result);
  }
  const auto& matrix = *result.matrix;
  result.report.entries = countEntries(matrix);
  result.report.description += ": " + std::to_string(matrix.getRangeMap()->getGlobalNumElements()) +
                               " x " +
                               std::to_string(matrix.getDomainMap()->getGlobalNumElements()) +
                               ", " + std::to_string(result.report.entries) + " entries";
  if (result.report.duplicates > 0)
    result.report.description +=
        " (" + std::to_string(result.report.duplicates) + " duplicates summed)";
  return result;
}

}  // namespace

ReadResult readMatrix(const std::string& spec, const Teuchos::RCP<const comm_type>& teuchosComm) {
  return namingFile(inputName(spec), [&] { return readAnyMatrix(spec, teuchosComm); });
}

}  // namespace Problems
}  // namespace Trident
