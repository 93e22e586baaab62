// What limits the run: the critical path, rooflines, memory over time. Charts are SVG, so that they
// print sharply and each point has a text of its own.

function svg(tag, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes || {}))
        made.setAttribute(name, value);
    for (const child of children.flat()) {
        if (child !== null)
            made.append(child);
    }
    return made;
}

// A text at a point of a chart.
function mark(x, y, text, attributes) {
    return svg("text", {x: x, y: y, class: "mark", ...attributes}, text);
}

// Critical path ---------------------------------------------------------------

// All time on one bar: which kind of lane the path is on; what is empty are gaps.
function pathBar(why, timeline) {
    const kinds = new Map(timeline.lanes.map((lane) => [lane.track, lane.kind]));
    const names = new Map(timeline.lanes.map((lane) => [lane.track, lane.name]));
    const canvas = element("canvas", {role: "img", "aria-label": "the critical path over time, by kind of lane; the tables below say the same"});
    canvas.style.height = "34px";
    const draw = () => {
        const context = sharpContext(canvas);
        const colours = kindColours(timeline.kinds);
        const width = canvas.clientWidth;
        context.fillStyle = colour("--paper");
        context.fillRect(0, 0, width, 34);
        for (let i = 0; i < why.path.length; i += 3) {
            const from = why.path[i + 1] / timeline.length * width;
            const to = why.path[i + 2] / timeline.length * width;
            context.fillStyle = colours[kinds.get(why.path[i]) || 0][0].fill;
            context.fillRect(from, 4, Math.max(to - from, .5), 26);
        }
    };
    canvas.addEventListener("pointermove", (event) => {
        const box = canvas.getBoundingClientRect();
        const at = (event.clientX - box.left) / box.width * timeline.length;
        for (let i = 0; i < why.path.length; i += 3) {
            if (at >= why.path[i + 1] && at <= why.path[i + 2]) {
                showTip(event, (names.get(why.path[i]) || "") + "\n" + momentText(why.path[i + 1], 1) + ", "
                    + timeText(why.path[i + 2] - why.path[i + 1]));
                return;
            }
        }
        hideTip();
    });
    canvas.addEventListener("pointerleave", hideTip);
    onRedraw(draw);
    new ResizeObserver(draw).observe(canvas);
    return element("div", {class: "frame"}, canvas);
}

function drawPath(why, timeline, find) {
    if (why.path_pieces === 0)
        return;
    const made = section("path", "Critical path", "what each next piece of work waited for, back from the last end: what is on it, made shorter, makes all shorter");
    made.append(verdictList(why.sentences, true));
    made.append(pathBar(why, timeline), legend(timeline));
    const tabs = [["operators", why.path_operators], ["roles", why.path_roles], ["tracks", why.path_tracks]].map(([title, described]) => {
        const table = new Table(described, {caption: "critical path by " + title, bar: "share",
                                            onName: title === "operators" ? find : null});
        return {title: title, node: () => table.node};
    });
    made.append(tabbed("critical path", tabs));
}

// Roofline --------------------------------------------------------------------

const CHART = {width: 900, height: 340, left: 56, right: 16, top: 12, bottom: 34};

function scaleOf(least, most, from, to) {
    const low = Math.log10(least);
    const high = Math.log10(most);
    return (value) => from + (Math.log10(value) - low) / Math.max(high - low, 1e-9) * (to - from);
}

function powers(least, most) {
    const made = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) {
        const value = Math.pow(10, power);
        if (value >= least && value <= most)
            made.push(value);
    }
    return made;
}

function rooflineChart(why) {
    const points = why.roofline.rows.filter((row) => row.macs_per_byte > 0 && row.gmacs_per_s > 0);
    if (points.length === 0)
        return null;
    const bandwidth = (why.peak_bytes || 0) / 1e9;
    const peaks = [...new Set(points.map((row) => row.peak_gmacs_per_s).filter((peak) => peak > 0))];
    const xs = points.map((row) => row.macs_per_byte).concat(peaks.map((peak) => bandwidth > 0 ? peak / bandwidth : 1));
    const ys = points.map((row) => row.gmacs_per_s).concat(peaks);
    const [left, right] = [Math.min(...xs) / 2, Math.max(...xs) * 2];
    const [low, high] = [Math.min(...ys) / 2, Math.max(...ys) * 2];
    const x = scaleOf(left, right, CHART.left, CHART.width - CHART.right);
    const y = scaleOf(low, high, CHART.height - CHART.bottom, CHART.top);
    const chart = svg("svg", {viewBox: "0 0 " + CHART.width + " " + CHART.height, class: "chart", role: "img",
                              "aria-label": "roofline of " + points.length + " operators; the table below has the numbers"});
    for (const value of powers(left, right))
        chart.append(svg("line", {x1: x(value), x2: x(value), y1: CHART.top, y2: CHART.height - CHART.bottom, class: "grid"}),
                     mark(x(value), CHART.height - CHART.bottom + 14, largeText(value), {"text-anchor": "middle"}));
    for (const value of powers(low, high))
        chart.append(svg("line", {y1: y(value), y2: y(value), x1: CHART.left, x2: CHART.width - CHART.right, class: "grid"}),
                     mark(CHART.left - 6, y(value) + 4, largeText(value), {"text-anchor": "end"}));
    for (const peak of peaks) {
        const corner = bandwidth > 0 ? peak / bandwidth : left;
        chart.append(svg("line", {x1: x(Math.max(left, Math.min(corner, right))), x2: x(right), y1: y(peak), y2: y(peak), class: "roof"}),
                     mark(x(right) - 4, y(peak) - 5, largeText(peak * 1e9) + "MAC/s", {"text-anchor": "end"}));
    }
    if (bandwidth > 0) {
        const end = Math.min(right, (peaks.length > 0 ? Math.max(...peaks) : high) / bandwidth);
        const begin = Math.max(left, low / bandwidth);
        const middle = Math.sqrt(begin * end);
        chart.append(svg("line", {x1: x(begin), y1: y(begin * bandwidth), x2: x(end), y2: y(end * bandwidth), class: "roof"}),
                     mark(x(middle) - 8, y(middle * bandwidth) - 6, largeText(bandwidth * 1e9) + "B/s", {"text-anchor": "end"}));
    }
    const slowest = Math.max(...points.map((row) => row.time_ns), 1);
    for (const row of [...points].sort((a, b) => b.time_ns - a.time_ns)) {
        const point = svg("circle", {cx: x(row.macs_per_byte), cy: y(row.gmacs_per_s), r: (2.5 + 11 * Math.sqrt(row.time_ns / slowest)).toFixed(1),
                                     class: "point " + (row.bound === "memory" ? "memory" : row.bound === "compute" ? "compute" : "unbound")});
        point.addEventListener("pointermove", (event) => showTip(event, row.operator + "\n" + timeText(row.time_ns) + ", "
            + digits(row.gmacs_per_s) + " GMAC/s, " + digits(row.macs_per_byte) + " MAC/B"
            + (typeof row.reached === "number" ? "\nreaches " + percentText(row.reached) + ", bound by " + row.bound : "")));
        point.addEventListener("pointerleave", hideTip);
        chart.append(point);
    }
    chart.append(mark(CHART.width - CHART.right, CHART.height - 4, "multiply-adds for each byte", {"text-anchor": "end"}),
                 mark(CHART.left, CHART.height - 4, "GMAC/s, upward; larger points take more time", {}));
    return chart;
}

function drawRoofline(why, find) {
    if (why.roofline.rows.length === 0)
        return;
    const made = section("roofline", "Roofline", "how near each operator comes to what its machine can do"
        + (why.peaks_from ? "; peaks: " + why.peaks_from : "; no peaks are known"));
    const chart = rooflineChart(why);
    if (chart)
        made.append(element("div", {class: "frame"}, chart),
                    element("div", {class: "legend"}, ["compute", "memory", "unbound"].map((bound) => element("span", {},
                        element("i", {class: "dot " + bound, "aria-hidden": "true"}), bound === "unbound" ? "no bound known" : "bound by " + bound))));
    made.append(new Table(why.roofline, {caption: "roofline", bar: "reached", onName: find}).node);
    const near = why.roofline.rows.filter((row) => row.gmacs_per_s > 0 && row.bytes_moved && row.gb_per_s === 0).length;
    if (near > 0)
        made.append(element("p", {class: "note"}, "For " + plural(near, "operator") + " nothing was moved to or from the far memory: "
            + (near === 1 ? "it has" : "they have") + " no place in the picture."));
    if (why.without_work > 0)
        made.append(element("p", {class: "note"}, "Of " + plural(why.without_work, "operator") + " that took time the work is not known."));
}

// Memory ----------------------------------------------------------------------

function memoryChart(memory, length) {
    const width = 900;
    const height = 120;
    const x = (ns) => 8 + ns / length * (width - 16);
    const y = (bytes) => height - 18 - bytes / Math.max(memory.peak, 1) * (height - 40);
    const step = (memory.to - memory.from) / Math.max(memory.most.length, 1);
    let path = "M" + x(memory.from).toFixed(1) + " " + y(0).toFixed(1);
    memory.most.forEach((bytes, i) => {
        path += "V" + y(bytes).toFixed(1) + "H" + x(memory.from + (i + 1) * step).toFixed(1);
    });
    path += "V" + y(0).toFixed(1) + "Z";
    const right = x(memory.at) > width * .7;
    return svg("svg", {viewBox: "0 0 " + width + " " + height, class: "chart", role: "img", "aria-label":
        memory.memory + ": at most " + bytesText(memory.peak) + " in use, at " + momentText(memory.at, 1)},
        svg("path", {d: path, class: "area"}),
        svg("line", {x1: 8, x2: width - 8, y1: y(0), y2: y(0), class: "axis"}),
        svg("line", {x1: x(memory.at), x2: x(memory.at), y1: y(0), y2: 8, class: "peak"}),
        mark(x(memory.at) + (right ? -5 : 5), 14, bytesText(memory.peak) + " at " + momentText(memory.at, 1), {"text-anchor": right ? "end" : "start"}),
        mark(8, height - 4, "0", {}),
        mark(width - 8, height - 4, timeText(length), {"text-anchor": "end"}));
}

function drawMemory(why, length, find) {
    if (why.memories.length === 0)
        return;
    const made = section("memory", "Memory", "what was in use over time, and who held it at the peak");
    const columns = element("div", {class: "columns wide"});
    for (const memory of why.memories)
        columns.append(element("div", {}, element("h3", {}, memory.memory), element("div", {class: "frame"}, memoryChart(memory, length))));
    made.append(columns);
    if (why.memory_count > why.memories.length)
        made.append(element("p", {class: "note"}, "The " + why.memories.length + " fullest of " + countText(why.memory_count) + " memories."));
    if (why.holders.rows.length > 0)
        made.append(new Table(why.holders, {caption: "who held memory at its peak", bar: "share"}).node);
}
