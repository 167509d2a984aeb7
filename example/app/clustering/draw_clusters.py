#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a network with its clusters, as trident-mcl (Trident_MarkovClustering.exe) reads and writes them.

    draw_clusters.py NETWORK CLUSTERS PICTURE.png [--table] [--tab=FILE] [--classes=FILE]

The network is a Matrix Market file (.mtx), whose nodes are numbered from 1, or has a line LABEL LABEL [WEIGHT] for each
two neighbours (what --abc reads). The clusters are a line of nodes each, with tabs between; with --table a line
NODE<TAB>CLUSTER for each node. Any of the files may be gzipped (.gz). Where the network has numbers and the clusters
have labels, --tab has a line NUMBER<TAB>LABEL for each node, numbers as in the network.

Stronger connections pull nodes together; the clusters have no part in where nodes lie. A cluster has a colour and a
marker; those of fewer than four nodes are small grey dots. With classes (lines NODE ANYTHING... CLASS) a cluster is
named after the class that most of its nodes are of. Needs networkx, matplotlib and scipy.
"""
import argparse
import collections
import gzip
import sys

COLORS = ("#1b3a6b", "#d9772b", "#6fae8f", "#8c2d62", "#c9b037", "#4f8fd0", "#333333", "#b03a2e")
MARKERS = "os^Dv"


def lines_of(path):
    """The lines of a file, plain or gzipped, without those that are blank."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\r\n") for line in file if line.strip()]


def words_of(path):
    """The words of each line: what tabs part, in a line with tabs, else what spaces do. Comments are left out."""
    return [line.split("\t") if "\t" in line else line.split() for line in lines_of(path) if not line.startswith("#")]


def fields_of(path):
    """What tabs part, of each line."""
    return [line.split("\t") for line in lines_of(path)]


def numbered(path, label_of):
    """The connections of a Matrix Market file, and its nodes from 1 on: their labels, where they have one."""
    import scipy.io
    matrix = scipy.io.mmread(path).tocoo()
    labels = [label_of.get(str(i + 1), str(i + 1)) for i in range(matrix.shape[0])]
    return labels, [(labels[i], labels[j], float(w)) for i, j, w in zip(matrix.row, matrix.col, matrix.data)]


def labelled(path):
    """The connections of lines LABEL LABEL [WEIGHT], the strongest where a pair stands several times; and the nodes."""
    strongest = {}
    for words in words_of(path):
        pair = tuple(sorted(words[:2]))
        strongest[pair] = max(strongest.get(pair, 0.0), float(words[2]) if len(words) > 2 else 1.0)
    labels = dict.fromkeys(label for pair in strongest for label in pair)
    return labels, [(i, j, weight) for (i, j), weight in strongest.items() if weight > 0]


def network_of(path, label_of):
    """A graph of labels, its connections with weights; loops are left out."""
    import networkx
    is_matrix = path.endswith((".mtx", ".mtx.gz"))
    labels, connections = numbered(path, label_of) if is_matrix else labelled(path)
    graph = networkx.Graph()
    graph.add_nodes_from(labels)
    graph.add_weighted_edges_from((i, j, weight) for i, j, weight in connections if i != j)
    return graph


def clusters_of(path, is_table):
    """Lists of labels."""
    lines = fields_of(path)
    if not is_table:
        return lines
    clusters = {}
    for label, cluster in lines:
        clusters.setdefault(int(cluster), []).append(label)
    return [clusters[number] for number in sorted(clusters)]


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
    import networkx
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
    import matplotlib
    matplotlib.use("Agg")  # no display
    import matplotlib.pyplot as plt
    import networkx
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
    if any(len(cluster) >= 4 for cluster in clusters):
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("clusters")
    parser.add_argument("picture")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--tab", metavar="FILE")
    parser.add_argument("--classes", metavar="FILE")
    options = parser.parse_args()
    label_of = dict(fields_of(options.tab)) if options.tab else {}
    classes = {words[0]: words[-1] for words in words_of(options.classes)} if options.classes else {}
    clusters = clusters_of(options.clusters, options.table)
    graph = network_of(options.network, label_of)
    strangers = [node for cluster in clusters for node in cluster if node not in graph]
    if strangers:
        sys.exit("draw_clusters.py: %s has no node \"%s\", which is in %s; --tab gives numbers their labels, and "
                 "--table says that the clusters are a table" % (options.network, strangers[0], options.clusters))
    draw(graph, clusters, classes, options.picture)


if __name__ == "__main__":
    main()
