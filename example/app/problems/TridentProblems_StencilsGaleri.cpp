// SPDX-License-Identifier: BSD-3-Clause
#include <Galeri_XpetraProblemFactory.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Tpetra_MultiVector.hpp>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_Generators.hpp"

namespace Trident {
namespace Problems {

namespace {
const char* galeriName(const std::string& name) {
  if (name == "laplace2d") return "Laplace2D";
  if (name == "brick2d") return "Star2D";
  return name == "laplace3d" ? "Laplace3D" : "Brick3D";
}
}  // namespace

Teuchos::RCP<matrix_type> stencilMatrix(const std::string& name, std::int64_t side,
                                        const Teuchos::RCP<const map_type>& map) {
  using vector_type = Tpetra::MultiVector<scalar_type, local_ordinal_type, global_ordinal_type>;
  Teuchos::ParameterList list;
  for (const char* direction : {"nx", "ny", "nz"})
    list.set(direction, static_cast<global_ordinal_type>(side));
  return Galeri::Xpetra::BuildProblem<scalar_type, local_ordinal_type, global_ordinal_type,
                                      map_type, matrix_type, vector_type>(galeriName(name), map,
                                                                          list)
      ->BuildMatrix();
}

}  // namespace Problems
}  // namespace Trident
