// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DROPINSYMBOLS_HPP
#define TRIDENT_DROPINSYMBOLS_HPP

#include <TpetraExt_MatrixMatrix_decl.hpp>
#include <TpetraExt_TripleMatrixMultiply_decl.hpp>
#include <string>

#include "dropin/Trident_DropInFunctions.hpp"

// Macros that define functions with the symbols of Tpetra's functions. Programs then call these
// functions instead of Tpetra's. Only the source that cmake/TridentDropIn.cmake writes uses the
// macros. Each macro gets a name, one of Tpetra's symbols, and the types of that symbol.
//
// In a shared library such a function has Tpetra's symbol itself. The loader finds this function
// before Tpetra's own, which is the next one with that symbol. In a static library such a function
// has the symbol __wrap_<symbol>, for the linker's --wrap=<symbol>; Tpetra's has __real_<symbol>.

#ifdef TRIDENT_WRAPS
#define TRIDENT_PLACE "__wrap_"
#define TRIDENT_OWN(name, symbol, Function)         \
  Function tpetras##name __asm__("__real_" symbol); \
  inline Function* own##name() { return tpetras##name; }
#else
#include <dlfcn.h>

#include "Trident_Error.hpp"

namespace Trident::Impl {

/// Returns the function of a symbol in the libraries that the loader searches after this one.
/// Throws Trident::Error if none has the symbol.
template <class Function>
Function* nextFunction(const char* symbol) {
  if (void* const found = dlsym(RTLD_NEXT, symbol)) return reinterpret_cast<Function*>(found);
  throw Error("libtrident_dropin",
              std::string("no library behind it has Tpetra's ") + symbol +
                  "; the program has another Tpetra than this library was built for");
}

}  // namespace Trident::Impl

#define TRIDENT_PLACE ""
#define TRIDENT_OWN(name, symbol, Function)                      \
  inline Function* own##name() {                                 \
    static Function* const own = nextFunction<Function>(symbol); \
    return own;                                                  \
  }
#endif

// Defines types of a symbol, and a function that returns Tpetra's own function of this symbol. Does
// not compile unless Tpetra's function has the arguments of `Function`.
#define TRIDENT_TYPES(name, symbol, tpetras, Function, ...)                                      \
  using Functions##name = DropInFunctions<__VA_ARGS__>;                                          \
  using Matrix##name = Functions##name::Matrix;                                                  \
  using Checked##name = decltype(static_cast<Functions##name::Function*>(tpetras<__VA_ARGS__>)); \
  TRIDENT_OWN(name, symbol, Functions##name::Function)

#define TRIDENT_DROPIN_Multiply(name, symbol, ...)                                              \
  TRIDENT_TYPES(name, symbol, Tpetra::MatrixMatrix::Multiply, MultiplyFunction, __VA_ARGS__)    \
  void dropIn##name(const Matrix##name&, bool, const Matrix##name&, bool, Matrix##name&, bool,  \
                    const std::string&,                                                         \
                    const Teuchos::RCP<Teuchos::ParameterList>&) __asm__(TRIDENT_PLACE symbol); \
  void dropIn##name(const Matrix##name& A, bool transposeA, const Matrix##name& B,              \
                    bool transposeB, Matrix##name& C, bool complete, const std::string& label,  \
                    const Teuchos::RCP<Teuchos::ParameterList>& params) {                       \
    Functions##name::multiply(own##name(), A, transposeA, B, transposeB, C, complete, label,    \
                              params);                                                          \
  }

#define TRIDENT_DROPIN_Jacobi(name, symbol, ...)                                                  \
  TRIDENT_TYPES(name, symbol, Tpetra::MatrixMatrix::Jacobi, JacobiFunction, __VA_ARGS__)          \
  void dropIn##name(Functions##name::Scalar, const Functions##name::Vector&, const Matrix##name&, \
                    const Matrix##name&, Matrix##name&, bool, const std::string&,                 \
                    const Teuchos::RCP<Teuchos::ParameterList>&) __asm__(TRIDENT_PLACE symbol);   \
  void dropIn##name(Functions##name::Scalar omega, const Functions##name::Vector& Dinv,           \
                    const Matrix##name& A, const Matrix##name& B, Matrix##name& C, bool complete, \
                    const std::string& label,                                                     \
                    const Teuchos::RCP<Teuchos::ParameterList>& params) {                         \
    Functions##name::jacobi(own##name(), omega, Dinv, A, B, C, complete, label, params);          \
  }

#define TRIDENT_DROPIN_MultiplyRAP(name, symbol, ...)                                           \
  TRIDENT_TYPES(name, symbol, Tpetra::TripleMatrixMultiply::MultiplyRAP, MultiplyRAPFunction,   \
                __VA_ARGS__)                                                                    \
  void dropIn##name(const Matrix##name&, bool, const Matrix##name&, bool, const Matrix##name&,  \
                    bool, Matrix##name&, bool, const std::string&,                              \
                    const Teuchos::RCP<Teuchos::ParameterList>&) __asm__(TRIDENT_PLACE symbol); \
  void dropIn##name(const Matrix##name& R, bool transposeR, const Matrix##name& A,              \
                    bool transposeA, const Matrix##name& P, bool transposeP, Matrix##name& Ac,  \
                    bool complete, const std::string& label,                                    \
                    const Teuchos::RCP<Teuchos::ParameterList>& params) {                       \
    Functions##name::multiplyRAP(own##name(), R, transposeR, A, transposeA, P, transposeP, Ac,  \
                                 complete, label, params);                                      \
  }

#endif
