# SPDX-License-Identifier: BSD-3-Clause
set(Trident_VERSION 0.1.0)
