#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a network with its clusters, as Trident_MarkovClustering.exe has written them.

    draw_clusters.py NETWORK.mtx[.gz] CLUSTERS.txt PICTURE.png [--classes=FILE]

Nodes are numbered from 1, as in the network's file. Stronger connections pull nodes together; the clusters have no
part in where nodes lie. A cluster has a colour and a marker; those of fewer than four nodes are small grey dots. With
classes (lines NODE ANYTHING... CLASS) a cluster is named after the class that most of its nodes are of. Needs networkx,
matplotlib and scipy.
"""
import argparse
import collections
import gzip

import matplotlib
matplotlib.use("Agg")  # no display
import matplotlib.pyplot as plt
import networkx
import scipy.io

COLORS = ("#1b3a6b", "#d9772b", "#6fae8f", "#8c2d62", "#c9b037", "#4f8fd0", "#333333", "#b03a2e")
MARKERS = "os^Dv"


def lines_of(path):
    """The words of each line, plain or gzipped; comments are left out."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as file:
        return [line.split() for line in file if line.strip() and not line.startswith("#")]


def network_of(path):
    """A graph of nodes from 1, its connections with weights; loops are left out."""
    matrix = scipy.io.mmread(path).tocoo()
    graph = networkx.Graph()
    graph.add_nodes_from(range(1, matrix.shape[0] + 1))
    graph.add_weighted_edges_from((i + 1, j + 1, float(w))
                                  for i, j, w in zip(matrix.row, matrix.col, matrix.data) if i != j)
    return graph


def name_of(cluster, classes):
    """The class of most nodes of a cluster, and of how many."""
    counts = collections.Counter(classes[node] for node in cluster if node in classes)
    name, count = counts.most_common(1)[0] if counts else ("", 0)
    if 2 * count <= len(cluster):
        return "%d nodes%s" % (len(cluster), " of several" if counts else "")
    return "%s, %d of %d" % (name, count, len(cluster))


def places_of(graph):
    """Where nodes lie: each is pulled to the nodes that it is connected to, by the share that these have of all its
    connections, and pushed by all others. Parts that are not connected are held together by weak springs."""
    strength = dict(graph.degree(weight="weight"))
    springs = networkx.Graph()
    for i, j, weight in graph.edges(data="weight"):
        springs.add_edge(i, j, pull=20 * weight / (strength[i] * strength[j])**0.5)
    first = next(iter(graph))
    springs.add_edges_from(((first, node) for node in graph if node != first and not springs.has_edge(first, node)),
                           pull=0.02)
    return networkx.spring_layout(springs, weight="pull", seed=3, iterations=500)


def draw(graph, clusters, classes, path):
    """One picture; see above."""
    places = places_of(graph)
    figure, axes = plt.subplots(figsize=(8, 4.8), constrained_layout=True)
    networkx.draw_networkx_edges(graph, places, ax=axes, width=0.3, alpha=0.06)
    for n, cluster in enumerate(clusters):
        small = len(cluster) < 4
        axes.scatter([places[node][0] for node in cluster], [places[node][1] for node in cluster],
                     s=25 if small else 30, marker="." if small else MARKERS[n % len(MARKERS)],
                     color="#9a9a9a" if small else COLORS[n % len(COLORS)], edgecolors="white", linewidths=0.3,
                     zorder=3, label=None if small else name_of(cluster, classes))
    axes.set_axis_off()
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("clusters")
    parser.add_argument("picture")
    parser.add_argument("--classes")
    options = parser.parse_args()
    classes = {int(words[0]): words[-1] for words in lines_of(options.classes)} if options.classes else {}
    clusters = [[int(word) for word in words] for words in lines_of(options.clusters)]
    draw(network_of(options.network), clusters, classes, options.picture)


if __name__ == "__main__":
    main()
