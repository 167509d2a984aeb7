#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the rules of CONTRIBUTING.md that a machine can check: who includes whom, which headers stay
# inside, names of tests, SPDX lines, lengths. Usage: check_rooms.sh <root of the repository>
set -u
cd "${1:?the root of the repository}" || exit 2

failures=0
complain() { echo "rooms: $*" >&2; failures=$((failures + 1)); }

# What a room may include: itself and rooms below it. transport and exchange know no matrix. What
# multiplies (kernels, rounds) knows nothing of how matrices come to the grid (layout, move), nor
# these of that. A backend of the kernels knows no other backend.
# The public face (src) is a room too: markov, muelu and dropin are built on it, and nothing on these.
# Its headers are src/*.hpp, and these are all for programs. A few belong to rooms below or above it.
below="base grid transport exchange matrix"
backends="kernels/host kernels/cuda kernels/teams kernels/cusparse"
rooms="$below layout move $backends kernels rounds tpetra product"
declare -A allowed=(
  [base]="base"
  [grid]="base grid"
  [transport]="base grid transport"
  [exchange]="base grid transport exchange"
  [matrix]="$below"
  [layout]="$below layout"
  [move]="$below move"
  [kernels/host]="$below kernels/host"
  [kernels/cuda]="$below kernels/cuda"
  [kernels/teams]="$below kernels/teams"
  [kernels/cusparse]="$below kernels/cusparse"
  [kernels]="$below $backends kernels"
  [rounds]="$below $backends kernels rounds"
  [tpetra]="$below move tpetra"
  [product]="$rooms"
  [src]="$rooms src"
  [markov]="$rooms src markov"
  [muelu]="$rooms src muelu"
  [dropin]="$rooms src dropin"
)

declare -A home=(
  [Trident_Error.hpp]=base [Trident_config.hpp]=base
  [Trident_Parameters.hpp]=product [Trident_Report.hpp]=product
  [Trident_ClusterEdges.hpp]=markov [Trident_MarkovCluster.hpp]=markov
  [Trident_AmalgamationFactory.hpp]=muelu [Trident_CoalesceDropFactory.hpp]=muelu
  [Trident_FactoryFactory.hpp]=muelu [Trident_RAPFactory.hpp]=muelu [Trident_SaPFactory.hpp]=muelu
  [Trident_TransPFactory.hpp]=muelu [Trident_Preconditioner.hpp]=muelu
)

# The room of a file in src/: its folder, from there, but for public headers that have another home.
room_of_file() {
  local folder=${1%/*} name=${1##*/}
  name=${name%.in}
  if [ "$folder" = src ] && [ -n "${home[$name]:-}" ]; then
    echo "${home[$name]}"
  else
    echo "${folder#src/}"
  fi
}

# The room of every header, those too that CMake writes from a .in. Public headers are included by
# their bare name, others with their room; a name may exist once.
declare -A room_of
public=" "
for header in src/*.hpp src/*.hpp.in src/*/*.hpp src/*/*/*.hpp src/*/*.hpp.in; do
  [ -e "$header" ] || continue
  name=${header##*/}
  name=${name%.in}
  [[ $name == Trident_* ]] || complain "$header: name does not start with Trident_"
  if [ "${header%/*}" = src ]; then
    public+="$name "
    [[ $name != *_decl.hpp && $name != *_def.hpp ]] ||
      complain "$header: lies among the public headers; programs include what needs it"
  fi
  [ -z "${room_of[$name]:-}" ] || complain "$header: a second header of this name"
  room_of[$name]=$(room_of_file "$header")
done

includes_of() { sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]([^>"]+)[>"].*/\1/p' "$1"; }

check_includes() {  # file, room
  local include target name path
  for include in $(includes_of "$1"); do
    case $include in
      *Trident_*)
        name=${include##*/}
        target=${room_of[$name]:-}
        path=$name
        [[ $public == *" $name "* ]] || path=$target/$name
        if [ -z "$target" ]; then
          complain "$1 includes $include: no header in src/ has this name"
        elif [ "$include" != "$path" ]; then
          complain "$1 includes $include: it is \"$path\" (public headers by their name, others with their room)"
        elif [[ " ${allowed[$2]} " != *" $target "* ]]; then
          complain "$1 includes $include: room $2 may include only ${allowed[$2]}"
        fi ;;
      Tpetra*|*/Tpetra*)
        [[ " src tpetra product markov muelu dropin " == *" $2 "* ]] || complain "$1 includes $include: only tpetra/ and what is above it know Tpetra" ;;
      MueLu*|Xpetra*)
        [[ $2 == muelu ]] || complain "$1 includes $include: only muelu/ knows MueLu" ;;
      nccl.h|cusparse*.h|mpi-ext.h)
        [[ $1 != *.hpp ]] || complain "$1 includes $include: installed headers must not" ;;
    esac
  done
}

for file in src/*.[ch]pp src/*/*.[ch]pp src/*/*/*.[ch]pp; do
  [ -e "$file" ] || continue
  room=$(room_of_file "$file")
  if [ "$room" != src ] && [ -z "${allowed[$room]:-}" ]; then
    complain "$file: $room is not a room"
    continue
  fi
  check_includes "$file" "$room"
  [ "${file##*/}" = Trident_MueLuMatrix.hpp ] || ! grep -q Xpetra "$file" ||
    complain "$file: Xpetra; muelu/Trident_MueLuMatrix.hpp instead, which says why"
  [ "${file##*/}" = Trident_Device.hpp ] || ! grep -q KOKKOS_LAMBDA "$file" ||
    complain "$file: KOKKOS_LAMBDA; TRIDENT_LAMBDA instead (matrix/Trident_Device.hpp says why)"
  [[ $room != kernels/host ]] || ! grep -q 'TRIDENT_LAMBDA(' "$file" ||
    complain "$file: TRIDENT_LAMBDA, which no host runs in a build for CUDA; a functor or a plain lambda instead"
  [ "${file##*/}" = Trident_LocalEntries.hpp ] || ! grep -qE 'getLocal(Matrix|Graph)(Device|Host)\(' "$file" ||
    complain "$file: Tpetra's local arrays; localMatrixOf() or localGraphOf() instead (tpetra/Trident_LocalEntries.hpp says why)"
  ! grep -qE 'MPI_Comm_i?dup(_with_info)?\([^)]' "$file" ||
    complain "$file: MPI_Comm_dup; Communicator::duplicate() instead (grid/Trident_Communicator.hpp says why)"
  [ "${file##*/}" != Trident_PlainNumbers.hpp ] || continue
  ! grep -qE 'std::o?stringstream|strto(d|f|ld)\(|std::sto(d|f|ld)\(|std::atof\(' "$file" ||
    complain "$file: a number by the program's locale; plainText() or numberAtFront() instead (base/Trident_PlainNumbers.hpp)"
  ! grep -qE '"[^"]*%[-0-9.]*l?[efg]' "$file" ||
    complain "$file: a number by the program's locale; plainText() instead (base/Trident_PlainNumbers.hpp)"
done

# Programs include public headers alone. The predictor is one of the library's own: it computes by its
# rules what products would do.
for file in example/*/*.[ch]pp example/*/*/*.[ch]pp; do
  [[ -e $file && $file != example/app/predict/* ]] || continue
  for include in $(includes_of "$file"); do
    name=${include##*/}
    [[ $name == Trident_* ]] || continue
    [[ $public == *" $name "* && $include == "$name" ]] ||
      complain "$file includes $include: not public; programs include headers of src/ itself"
  done
  ! grep -qE '\bImpl::' "$file" || complain "$file: Impl::, which is not public"
done

# The programs leave numbers to the locale that a process begins with, which has a point.
while read -r file; do
  complain "$file: takes another locale; numbers in files would have its marks"
done < <(grep -rlE 'setlocale\(|locale::global' src example --include='*.[ch]pp')

# The budget of lines of the product: CONTRIBUTING.md, "Style", has its rule.
budget=40380
lines=$(find src -name '*.[ch]pp' ! -path 'src/markov/*' ! -path 'src/muelu/*' -exec cat {} + | wc -l)
[ "$lines" -le $budget ] ||
  complain "src without markov and muelu: $lines lines, more than $budget; take something out, or raise the number and say why"

while read -r file; do
  head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || complain "$file: no SPDX line"
  lines=$(wc -l < "$file")
  [ "$lines" -le 600 ] || complain "$file: $lines lines, more than 600"
done < <(find src test example cmake doc -type f \
           \( -name '*.[ch]pp' -o -name '*.cmake' -o -name 'CMakeLists.txt' -o -name '*.sh' \))

# Commands that cmake/ci/release.sh runs.
while read -r path; do
  [ -e "$path" ] || complain ".ci/release_checks: there is no $path"
done < <(grep -oE '(^|[ ;])(cmake|test|packaging)/[-A-Za-z0-9_/.]+' .ci/release_checks)

# Whose name of a test finds its folder: it begins with the folder's, or with one of these.
declare -A more_prefixes=(
  [product]="multiply contract program"
  [stress]="publicstress"
  [lessons]="lesson"
)
while IFS=: read -r list name; do
  folder=${list#test/}
  folder=${folder%%/*}
  prefix=${name%%_*}
  [[ " $folder ${more_prefixes[$folder]:-} " == *" ${prefix,,} "* ]] ||
    complain "$list: a test $name; names of test/$folder begin with ${folder^}_"
done < <(grep -oE '\b(trident_add_test|trident_mpi_test|add_test)\(NAME [A-Za-z][A-Za-z]*_?' \
           test/*/CMakeLists.txt test/*/*/CMakeLists.txt | sed 's/:.*NAME /:/')

[ "$failures" -eq 0 ] && echo "rooms: all rules hold"
exit $((failures > 0))
