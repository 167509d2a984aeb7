// SPDX-License-Identifier: BSD-3-Clause
#ifndef PEERS_DEVICE_HPP
#define PEERS_DEVICE_HPP

/// \file Peers_Device.hpp
/// The device of the libraries: Peers_Device_Host.cpp or Peers_Device_Cuda.cpp, by the build.

namespace Peers {

/// Returns true if matrices are to lie on a GPU.
bool onDevice();

/// Takes this rank's GPU, one after the other of those that it sees. Before any library does.
/// Throws if there is none.
void chooseDevice();

/// Waits for all that this rank's GPU was asked for. Throws what went wrong there.
void finishDevice();

}  // namespace Peers

#endif
