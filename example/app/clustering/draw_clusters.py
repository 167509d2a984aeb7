#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws a network with its clusters, as trident-mcl (Trident_MarkovClustering.exe) reads and writes them.

    draw_clusters.py NETWORK CLUSTERS PICTURE.png [--table] [--tab=FILE] [--classes=FILE] [--labels] [--graphml=FILE]

The network is a Matrix Market file (.mtx), whose nodes are numbered from 1, a matrix of mcl as text (.mci), whose nodes
are numbered from 0, or has a line LABEL LABEL [WEIGHT] for each two neighbours (what --abc reads). The clusters are a
line of nodes each, with tabs between, or a matrix of mcl (what --native writes); with --table a line NODE<TAB>CLUSTER
for each node. Any of the files may be gzipped (.gz). Where the network has numbers and the clusters have labels, --tab
has a line NUMBER<TAB>LABEL for each node, numbers as in the network.

Stronger connections pull nodes together; the clusters have no part in where nodes lie. The more connections there
are, the thinner and paler they are. A cluster has a colour and a
marker, and the first 24 have a name; those of fewer than four nodes are small grey dots. With classes (lines
NODE ANYTHING... CLASS) a cluster is
named after the class that most of its nodes are of. --labels writes the nodes' labels, and --graphml the network with
its clusters, for other programs. How far it is goes to standard error. Needs networkx, matplotlib and scipy.
"""
import argparse
import collections
import contextlib
import functools
import gzip
import sys
import time

COLORS = ("#1b3a6b", "#d9772b", "#6fae8f", "#8c2d62", "#c9b037", "#4f8fd0", "#333333", "#b03a2e")
MARKERS = "os^Dv"
NAMED = 24  # clusters, the first, that have a name beside the picture: as many as there is room for


@functools.lru_cache(maxsize=None)  # a pipe can be read once
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


@contextlib.contextmanager
def reading(path):
    """Ends the program with a sentence where a file cannot be read."""
    try:
        yield
    except OSError as error:
        sys.exit("draw_clusters.py: %s cannot be read: %s" % (path, error.strerror or error))
    except (EOFError, IndexError, ValueError) as error:
        sys.exit("draw_clusters.py: %s cannot be read: %s" % (path, error))


def pairs_of(path):
    """Two fields of each line."""
    for line in fields_of(path):
        if len(line) != 2:
            raise ValueError("lines should have two fields with a tab between, but there is \"%s\"" % "\t".join(line))
        yield line


def say(what):
    """Says how far the program is."""
    print("draw_clusters.py: " + what, file=sys.stderr, flush=True)


def matrix_of(path):
    """The columns of a matrix of mcl, as text: a list of (row, value) for each, and their count; None of other files."""
    lines = [line for line in lines_of(path) if not line.lstrip().startswith("#")]
    if not lines or not lines[0].startswith("(mclheader"):
        return None
    text = "\n".join(lines)
    dimensions = text.split("dimensions", 1)[1].split()[0].split("x")
    columns, column = [[] for _ in range(int(dimensions[1].rstrip(")")))], None
    for word in text.split("begin", 1)[1].replace(")", " ").split():
        number, _, value = word.partition(":")
        if word == "$":
            column = None
        elif column is None:
            column = columns[int(number)]
        else:
            column.append((int(number), float(value or 1)))
    return int(dimensions[0]), columns


def numbered_from_0(matrix, label_of):
    """The connections of a matrix of mcl, and its nodes: their labels, where they have one."""
    rows, columns = matrix
    labels = [label_of.get(str(i), str(i)) for i in range(rows)]
    return labels, [(labels[i], labels[j], w) for j, column in enumerate(columns) for i, w in column]


def numbered(path, label_of):
    """The connections of a Matrix Market file, and its nodes from 1 on: their labels, where they have one."""
    import scipy.io
    matrix = scipy.io.mmread(path).tocoo()
    labels = [label_of.get(str(i + 1), str(i + 1)) for i in range(matrix.shape[0])]
    return labels, [(labels[i], labels[j], float(w)) for i, j, w in zip(matrix.row, matrix.col, matrix.data)]


def labelled(path):
    """The connections of lines LABEL LABEL [WEIGHT], the strongest where a pair stands several times; and the nodes."""
    strongest, labels = {}, {}  # as mcl numbers them: by their first place
    for words in words_of(path):
        if len(words) < 2:
            raise ValueError("lines should be LABEL LABEL or LABEL LABEL WEIGHT, with spaces or tabs between, but there "
                             "is \"%s\"" % words[0])
        labels.update(dict.fromkeys(words[:2]))
        pair = tuple(sorted(words[:2]))
        strongest[pair] = max(strongest.get(pair, 0.0), float(words[2]) if len(words) > 2 else 1.0)
    return list(labels), [(i, j, weight) for (i, j), weight in strongest.items() if weight > 0]


def network_of(path, label_of):
    """A graph of labels, its connections with weights; loops are left out."""
    import networkx
    matrix = None if path.endswith((".mtx", ".mtx.gz")) else matrix_of(path)
    if path.endswith((".mtx", ".mtx.gz")):
        labels, connections = numbered(path, label_of)
    else:
        labels, connections = numbered_from_0(matrix, label_of) if matrix else labelled(path)
    graph = networkx.Graph()
    graph.add_nodes_from(labels)
    graph.add_weighted_edges_from((i, j, weight) for i, j, weight in connections if i != j)
    return graph


def clusters_of(path, is_table, labels):
    """Lists of labels; the numbers of a matrix are those of the network's nodes, in their order."""
    matrix = matrix_of(path)
    if matrix:
        if matrix[0] != len(labels):
            sys.exit("draw_clusters.py: %s is of %d nodes, and the network has %d" % (path, matrix[0], len(labels)))
        return [[labels[node] for node, _ in column] for column in matrix[1]]
    if not is_table:
        return fields_of(path)
    clusters = {}
    for n, (label, cluster) in enumerate(pairs_of(path)):
        if n == 0 and cluster == "cluster":
            continue  # what --header writes
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
    many = 500  # nodes from which on networkx takes minutes
    strength = dict(graph.degree(weight="weight"))
    springs = networkx.Graph()
    for i, j, weight in graph.edges(data="weight"):
        springs.add_edge(i, j, pull=20 * weight / (strength[i] * strength[j])**0.5)
    first = next(iter(graph))
    springs.add_edges_from(((first, node) for node in graph if node != first and not springs.has_edge(first, node)),
                           pull=0.02)
    if len(graph) < many:
        return networkx.spring_layout(springs, weight="pull", seed=3, iterations=500)
    return dict(zip(springs, places_by_springs(networkx.to_scipy_sparse_array(springs, weight="pull", dtype="f4"))))


def places_by_springs(pulls):
    """Where nodes lie, by the springs between them and by what pushes all apart (Fruchterman and Reingold 1991), in as
    many steps as a few seconds allow."""
    import numpy
    nodes = pulls.shape[0]
    places = numpy.random.default_rng(3).random((nodes, 2), dtype="f4")
    steps = int(min(500, max(40, 4e8 / nodes**2)))
    length = numpy.float32(nodes**-0.5)
    i, j = pulls.nonzero()
    weights = numpy.asarray(pulls[i, j]).ravel()
    spoken = time.time()
    for step in range(steps):
        x, y = places.T
        dx, dy = x[:, None] - x, y[:, None] - y
        push = length**2 / numpy.maximum(dx * dx + dy * dy, numpy.float32(1e-4))
        moves = numpy.stack(((push * dx).sum(1), (push * dy).sum(1)), 1)
        way = places[i] - places[j]
        pull = way * (weights * numpy.hypot(*way.T) / length)[:, None]
        for axis in range(2):
            moves[:, axis] -= numpy.bincount(i, pull[:, axis], nodes)
        lengths = numpy.maximum(numpy.hypot(*moves.T), numpy.float32(1e-2))
        places += moves * (0.1 * (1 - step / steps) / lengths)[:, None].astype("f4")
        if time.time() > spoken + 2:
            spoken = time.time()
            say("%d of %d steps that place the nodes" % (step + 1, steps))
    return places


def write_graphml(graph, clusters, path):
    """The network with the number of each node's cluster, from 1."""
    import networkx
    for number, cluster in enumerate(clusters, 1):
        for node in cluster:
            graph.nodes[node]["cluster"] = number
    networkx.write_graphml(graph, path)


def draw(graph, clusters, classes, path, with_labels):
    """One picture; see above."""
    import matplotlib
    matplotlib.use("Agg")  # no display
    import matplotlib.patheffects
    import matplotlib.pyplot as plt
    import networkx
    places = places_of(graph)
    figure, axes = plt.subplots(figsize=(8, 4.8), constrained_layout=True)
    many = max(graph.number_of_edges(), 100)  # the more, the thinner and paler
    networkx.draw_networkx_edges(graph, places, ax=axes, width=max(0.1, 3 / many**0.25),
                                 alpha=max(0.01, 6 / many**0.5))
    small = [node for cluster in clusters if len(cluster) < 4 for node in cluster]
    if small:
        axes.scatter(*zip(*(places[node] for node in small)), s=25, marker=".", color="#9a9a9a", edgecolors="white",
                     linewidths=0.3, zorder=3)
    for n, cluster in enumerate(clusters):
        if len(cluster) >= 4:
            axes.scatter(*zip(*(places[node] for node in cluster)), s=30, marker=MARKERS[n % len(MARKERS)],
                         color=COLORS[n % len(COLORS)], edgecolors="white", linewidths=0.3, zorder=3,
                         label=None if n >= NAMED else name_of(cluster, classes))
    axes.set_axis_off()
    if any(len(cluster) >= 4 for cluster in clusters):
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8)
    if with_labels:
        figure.draw_without_rendering()  # what else there is gets its place once, and labels have no part in that
        figure.set_layout_engine("none")
        rim = [matplotlib.patheffects.withStroke(linewidth=0.9, foreground="white")]
        for node, (x, y) in places.items():
            axes.text(x, y, node, fontsize=3, ha="center", va="center", zorder=4, parse_math=False, path_effects=rim)
    say("drawing %d nodes and %d connections" % (graph.number_of_nodes(), graph.number_of_edges()))
    figure.savefig(path, dpi=300 if with_labels else 110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("clusters")
    parser.add_argument("picture")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--native", action="store_true", help="taken; a matrix of mcl is known by its first line")
    parser.add_argument("--tab", metavar="FILE")
    parser.add_argument("--classes", metavar="FILE")
    parser.add_argument("--labels", action="store_true")
    parser.add_argument("--graphml", metavar="FILE")
    options = parser.parse_args()
    with reading(options.tab):
        label_of = dict(pairs_of(options.tab)) if options.tab else {}
    with reading(options.classes):
        classes = {words[0]: words[-1] for words in words_of(options.classes)} if options.classes else {}
    say("reading " + options.network)
    with reading(options.network):
        graph = network_of(options.network, label_of)
    with reading(options.clusters):
        clusters = clusters_of(options.clusters, options.table, list(graph))
    strangers = [node for cluster in clusters for node in cluster if node not in graph]
    if strangers:
        sys.exit("draw_clusters.py: %s has no node \"%s\", which is in %s; --tab gives numbers their labels, and "
                 "--table says that the clusters are a table" % (options.network, strangers[0], options.clusters))
    if options.graphml:
        write_graphml(graph, clusters, options.graphml)
    draw(graph, clusters, classes, options.picture, options.labels)


if __name__ == "__main__":
    main()
