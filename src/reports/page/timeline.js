// The section of the timeline: tools, the canvas, what is selected, and what is added up.

function drawTimeline(timeline, path) {
    const about = plural(timeline.lanes.filter((lane) => !lane.heading).length, "lane") + ", "
        + plural(timeline.spans, "span") + " in " + timeText(timeline.length);
    const made = section("timeline", "Timeline", about);
    const canvas = element("canvas", {tabindex: "0", role: "application", "aria-label":
        "timeline: W and S zoom, A and D pan, arrow keys go from lane to lane and from span to span, question mark lists all keys"});
    const view = new TimelineView(timeline, path);
    const drawing = new TimelineDrawing(canvas, view);
    const details = element("div", {class: "details", id: "details"});
    const tools = new TimelineTools(view, canvas, details, drawing);
    const frame = element("div", {class: "frame"}, canvas);
    frame.style.height = Math.max(130, Math.min(RULER + view.height + 8, Math.max(300, innerHeight * .66))) + "px";
    made.append(tools.node, frame, legend(timeline), details, coverage(timeline));
    new ResizeObserver(() => {
        drawing.draw();
        tools.viewed();
    }).observe(canvas);
    onRedraw(() => drawing.draw());
    drawing.drawn = () => tools.viewed();
    tools.showDetails(null);
    return {view: view, canvas: canvas, tools: tools};
}

function legend(timeline) {
    const used = new Set(timeline.lanes.filter((lane) => !lane.heading).map((lane) => lane.kind));
    if (timeline.waiting.includes(true))
        used.add(timeline.wait_kind);
    const list = element("div", {class: "legend"});
    const swatches = [];
    for (const kind of used) {
        const swatch = element("i", {"aria-hidden": "true"});
        swatches.push([swatch, kind]);
        list.append(element("span", {}, swatch, timeline.kinds[kind].name + (kind === timeline.other_kind ? ", by name" : "")));
    }
    const paint = () => swatches.forEach(([swatch, kind]) => {
        swatch.style.background = kindColours(timeline.kinds)[kind][0].fill;
    });
    onRedraw(paint);
    paint();
    return list;
}

// Where the page has less than the profile.
function coverage(timeline) {
    const notes = [];
    const rough = timeline.lanes.filter((lane) => lane.levels.length > 0 && !lane.isExact());
    if (rough.length > 0) {
        const bucket = Math.max(...rough.map((lane) => lane.levels[0].bucket));
        notes.push("Of " + plural(timeline.spans, "span") + ", " + countText(timeline.exact) + " lie on lanes that are exact here. On "
            + plural(rough.length, "lane") + " spans shorter than " + timeText(bucket) + " that begin close together are one block, pale, with their number"
            + (data.live ? "; zoom in, and the server gives the exact spans." : "; opscope view shows every one."));
    }
    if (timeline.flow_ends > timeline.flow_ends_kept)
        notes.push("Of " + plural(timeline.flow_ends, "end") + " of flows, " + countText(timeline.flow_ends_kept) + " are here.");
    if (timeline.names_left_out > 0)
        notes.push(plural(timeline.names_left_out, "name") + " found no room in the page.");
    if (timeline.lanes_left_out > 0)
        notes.push(plural(timeline.lanes_left_out, "lane") + " found no room in the page.");
    const deeper = timeline.lanes.reduce((sum, lane) => sum + (lane.deeper || 0), 0);
    if (deeper > 0)
        notes.push(plural(deeper, "span") + " lie deeper than 64 others and share the last row.");
    return element("div", {id: "coverage"}, notes.map((note) => element("p", {class: "note"}, note)));
}

class TimelineTools {
    constructor(view, canvas, details, drawing) {
        this.view = view;
        this.canvas = canvas;
        this.details = details;
        this.drawing = drawing;
        this.input = new TimelineInput(canvas, view, drawing, {
            tip: (block) => this.describe(block).join("\n"),
            details: (block) => this.showDetails(block),
            range: (range) => this.showRange(range),
        });
        this.field = element("input", {type: "search", id: "search", placeholder: "search spans  /", "aria-label":
            "search spans by name or operator", oninput: (event) => this.search(event.target.value),
            onkeydown: (event) => this.searchKey(event)});
        this.found = element("span", {class: "count", id: "found"});
        this.shown = element("span", {class: "count", id: "shown"});
        const button = (text, title, action) => element("button", {type: "button", title: title, onclick: () => {
            action();
            this.showDetails(view.selected, true);
        }}, text);
        this.flows = this.switch("flows", "allFlows");
        this.node = element("div", {class: "row-tools"}, this.field,
            button("\u2191", "previous match (Shift+Enter)", () => this.next(-1)),
            button("\u2193", "next match (Enter)", () => this.next(1)), this.found,
            button("+", "zoom in (W)", () => view.zoom(1 / ZOOM_STEP)),
            button("\u2212", "zoom out (S)", () => view.zoom(ZOOM_STEP)),
            button("all", "all of the time (0)", () => view.show(0, view.timeline.length)),
            view.timeline.flows.length > 0 ? this.flows : null,
            view.path.size > 0 ? this.switch("critical path", "showsPath") : null, this.shown);
        for (const made of this.node.querySelectorAll("button[title]"))
            made.setAttribute("aria-label", made.title);
    }

    // A button that is pressed while the view has a property.
    switch(text, property) {
        const button = element("button", {type: "button", "aria-pressed": String(this.view[property]), onclick: () => {
            this.view[property] = !this.view[property];
            button.setAttribute("aria-pressed", String(this.view[property]));
            this.view.changed();
        }}, text);
        return button;
    }

    // Searching ---------------------------------------------------------------

    search(text) {
        this.view.search(text);
        clearTimeout(this.counting);
        if (this.view.hits === null) {
            this.found.textContent = "";
            return;
        }
        this.counting = setTimeout(() => {
            const all = this.view.allHits();
            const spans = all.reduce((sum, block) => sum + block.count, 0);
            this.found.textContent = spans > all.length ? countText(all.length) + " blocks of " + countText(spans) + " spans"
                : plural(all.length, "match");
        }, 120);
    }

    searchKey(event) {
        if (event.key === "Enter")
            this.next(event.shiftKey ? -1 : 1);
        else if (event.key === "Escape") {
            this.field.value = "";
            this.search("");
            this.canvas.focus();
        }
    }

    next(direction) {
        const hit = this.view.nextHit(direction);
        if (hit !== null) {
            clearTimeout(this.counting);
            this.found.textContent = countText(hit.at + 1) + " of " + countText(hit.of);
            this.showDetails(this.view.selected);
        }
    }

    find(text) {
        this.field.value = text;
        this.search(text);
        byId("timeline").scrollIntoView();
        this.canvas.focus({preventScroll: true});
        this.next(1);
    }

    // What is selected --------------------------------------------------------

    describe(block) {
        const timeline = this.view.timeline;
        const lines = [block.count > 1 ? countText(block.count) + (block.instant ? " instants" : " spans, most of their time: ")
            + (block.instant ? "" : timeline.nameOf(block.name)) : timeline.nameOf(block.name)];
        if (!block.instant)
            lines.push(block.count > 1 ? timeText(block.busy) + " together within " + timeText(block.end - block.start)
                : timeText(block.end - block.start));
        return lines;
    }

    showDetails(block, quiet) {
        empty(this.details);
        if (!block) {
            this.details.append(element("p", {class: "note screen"}, "Click a span, or drag over a range of time. ",
                element("kbd", {}, "?"), " lists all keys."));
            return;
        }
        const timeline = this.view.timeline;
        const list = element("dl", {class: "facts"});
        const add = (name, text) => list.append(fact(name, text));
        const [first, second] = this.describe(block);
        add(block.count > 1 ? "spans" : block.instant ? "instant" : "span", first);
        if (second)
            add("duration", second);
        add("start", momentText(block.start, 1));
        add("lane", block.lane.name + (block.row > 0 ? ", row " + (block.row + 1) : ""));
        if (block.count === 1 && block.operator > 0 && timeline.operators[block.operator]) {
            const [name, type] = timeline.operators[block.operator];
            add("operator", type && type !== name ? name + " (" + type + ")" : name);
        }
        if (block.count > 1)
            add("exact", data.live ? "zoom in" : "opscope view " + data.profiles[timeline.profile].analyses.file);
        this.details.append(list);
        if (!quiet)
            say([first, second, "on", block.lane.name].filter((word) => word).join(" "));
        if (data.live && block.count === 1)
            liveDetails(timeline, block, list);
    }

    // What takes the time in a range, from the finest levels that the page has.
    showRange(range) {
        const sums = new Map();
        let rough = false;
        for (const lane of this.view.timeline.lanes) {
            if (lane.levels.length === 0)
                continue;
            rough = rough || !lane.isExact();
            for (const list of lane.level(0).rows) {
                let i = Math.max(0, firstWhere(list.count, (at) => list.starts[at] > range.from) - 1);
                for (; i < list.count && list.starts[i] < range.to; i++) {
                    const extent = list.ends[i] - list.starts[i];
                    const inside = Math.min(list.ends[i], range.to) - Math.max(list.starts[i], range.from);
                    if (inside < 0)
                        continue;
                    const sum = sums.get(list.names[i]) || {ns: 0, count: 0};
                    sum.ns += extent > 0 ? list.busy[i] * inside / extent : 0;
                    sum.count += list.counts[i];
                    sums.set(list.names[i], sum);
                }
            }
        }
        const rows = [...sums].map(([name, sum]) => ({name: this.view.timeline.nameOf(name), ns: sum.ns, count: sum.count}))
            .sort((a, b) => b.ns - a.ns);
        const column = (key, title, type, meaning) => ({key: key, title: title, type: type, meaning: meaning});
        empty(this.details).append(element("p", {}, timeText(range.to - range.from) + " from " + momentText(range.from, 1)
            + (rough ? "; what is added up counts by the name of most of its time" : "")));
        if (rows.length > 0)
            this.details.append(new Table({columns: [column("name", "name", "text", "of the spans"),
                column("ns", "total", "ns", "in the range, with what lies inside"),
                column("count", "spans", "count", "that touch the range")], rows: rows, total: rows.length},
                                          {caption: "spans in the range", bar: "ns"}).node);
        say(timeText(range.to - range.from) + " selected");
    }

    // After every frame: a server may have finer blocks.
    viewed() {
        this.shown.textContent = timeText(this.view.to - this.view.from) + " from " + momentText(this.view.from, 1);
        if (data.live)
            liveBlocks(this.view, this.drawing);
    }
}
