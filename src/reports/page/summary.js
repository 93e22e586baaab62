// The verdict, the breakdown by role, and what the profile says of itself.

function verdictList(sentences, small) {
    return element("ol", {class: small ? "verdict small" : "verdict"}, sentences.map((sentence) => element("li", {}, sentence)));
}

const FIGURES_FIRST = 20;

// Long ones stand in two columns; of machines with many cores the first figures come first.
function breakdownTables(part, title, figures) {
    const rows = part.table.rows.slice(0, figures);
    const half = rows.length > 10 ? Math.ceil(rows.length / 2) : rows.length;
    const made = [breakdownTable(rows.slice(0, half), title + " (" + part.provenance + ")", title)];
    if (half < rows.length)
        made.push(breakdownTable(rows.slice(half), "\u00a0", title + ", continued"));
    return made;
}

function addBreakdown(columns, part) {
    const title = part.model || "breakdown";
    const all = part.table.rows.length;
    const first = all > FIGURES_FIRST + 4 ? FIGURES_FIRST : all;
    const tables = breakdownTables(part, title, first);
    columns.append(...tables);
    if (first === all)
        return;
    const more = element("div", {class: "row-tools"}, element("button", {type: "button", onclick: () => {
        const [whole, ...rest] = breakdownTables(part, title, all);
        tables.slice(1).forEach((one) => one.remove());
        tables[0].replaceWith(whole, ...rest);
        whole.querySelector("[tabindex]").focus();
    }}, countText(all - first) + " more"));
    tables[0].append(more);
}

function breakdownTable(rows, heading, title) {
    const body = element("tbody", {});
    for (const row of rows) {
        const share = typeof row.percent === "number" ? row.percent : null;
        const bar = element("span", {class: "bar"});
        bar.style.width = Math.min(100, share === null ? 0 : share) + "%";
        body.append(element("tr", {},
            element("th", {scope: "row"}, row.name || row.metric || ""),
            element("td", {class: "number"}, typeof row.ns === "number" ? timeText(row.ns) : "absent"),
            element("td", {class: "number"}, share === null ? "" : percentText(share / 100)),
            element("td", {class: "barcell", "aria-hidden": "true"}, share === null ? "" : bar)));
    }
    return element("div", {},
        element("p", {class: "over"}, heading),
        element("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "breakdown of " + title},
            element("table", {},
                element("thead", {class: "unseen"}, element("tr", {}, ["figure", "time", "share", "bar"]
                    .map((word) => element("th", {scope: "col"}, word)))), body)));
}

function fact(name, text) {
    return element("div", {}, element("dt", {}, name), element("dd", {}, text));
}

function factList(analyses, timeline) {
    const list = element("dl", {class: "facts"});
    const add = (name, text) => list.append(fact(name, text));
    add("file", analyses.file);
    add("length", timeText(timeline.length));
    add("events", plural(timeline.spans, "span") + ", " + plural(timeline.instants, "instant") + ", "
        + plural(timeline.samples, "sample"));
    for (const [key, text] of analyses.facts)
        add(key, text);
    return list;
}

function drawSummary(analyses, timeline) {
    const made = section("summary", "Summary");
    made.append(verdictList(analyses.verdict));
    const columns = element("div", {class: "columns"});
    for (const part of analyses.breakdown)
        addBreakdown(columns, part);
    columns.append(element("div", {}, element("p", {class: "over"}, "profile"), factList(analyses, timeline)));
    made.append(columns);
    if (analyses.processes > analyses.breakdown.length)
        made.append(element("p", {class: "note"}, "Of " + plural(analyses.processes, "process") + " the first "
            + analyses.breakdown.length + " are shown; opscope overview has all."));
}

function drawTop(analyses, findName) {
    const made = section("top", "Top", "what takes the time; a name is looked for in the timeline");
    const tabs = [];
    const add = (title, table, bar) => {
        if (table.rows.length > 0) {
            const shown = new Table(table, {caption: title, bar: bar, onName: findName});
            tabs.push({title: title, node: () => shown.node});
        }
    };
    add("spans by name", analyses.name_table, "share");
    add("operators", analyses.operator_table, null);
    add("operators by type", analyses.type_table, null);
    if (tabs.length > 0)
        made.append(tabbed("tables of what takes the time", tabs));
    else
        made.append(element("p", {class: "note"}, "There are no spans."));
}

function drawLedger(analyses) {
    const ledger = analyses.ledger;
    const made = section("ledger", "Ledger", "the account of the data: what there should be, what there is");
    const tile = (name, number) => element("div", {}, element("b", {}, number === null ? "unknown" : countText(number)),
                                           element("span", {}, name));
    made.append(element("div", {class: "tiles"}, tile("expected", ledger.expected), tile("recorded", ledger.recorded),
                        tile("lost", ledger.lost), tile("impossible", ledger.impossible),
                        tile("not carried", ledger.not_carried)));
    if (ledger.notes.length > 0)
        made.append(element("ul", {}, ledger.notes.map((note) =>
            element("li", {}, note.kind + ": " + note.text + (note.count > 1 ? " (" + countText(note.count) + ")" : "")))));
    else
        made.append(element("p", {class: "note"}, "No remarks."));
    if (ledger.tracks.length > 0) {
        const count = (key) => ({key: key, title: key, meaning: key, type: "count"});
        made.append(new Table({columns: [{key: "name", title: "track", meaning: "track", type: "text"},
            count("expected"), count("recorded"), count("lost"), count("impossible")],
                               rows: ledger.tracks, total: ledger.tracks.length},
                              {caption: "tracks that are not whole"}).node);
    }
}

// Of two profiles.
function drawDiff(diff, findName) {
    const made = section("diff", "Difference", "b beside a, part by part");
    if (diff.failure) {
        made.append(element("p", {class: "note mark"}, diff.failure));
        return;
    }
    made.append(verdictList(diff.verdict));
    const most = Math.max(diff.a_ns, diff.b_ns, 1);
    const body = element("tbody", {});
    for (const [name, side, ns] of [["a", diff.a, diff.a_ns], ["b", diff.b, diff.b_ns]]) {
        const bar = element("span", {class: "bar"});
        bar.style.width = (100 * ns / most).toFixed(1) + "%";
        body.append(element("tr", {}, element("th", {scope: "row"}, name), element("td", {class: "wide"}, side.file),
            element("td", {class: "number"}, timeText(ns)), element("td", {class: "barcell", "aria-hidden": "true"}, bar),
            element("td", {}, plural(side.iterations, "iteration") + ", time of the " + side.time
                + (side.modelled ? ", modelled" : ""))));
    }
    made.append(element("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "time of an iteration"},
                        element("table", {}, body)));
    const paint = (cell, column, row) => {
        if (column.key === "verdict" || column.key === "difference_ns")
            cell.classList.add({slower: "worse", faster: "better"}[row.verdict] || "even");
    };
    const find = (text, row) => findName(row.b_name || row.a_name || text);
    made.append(new Table(diff.table, {caption: "what changed", paint: paint, onName: find}).node);
    made.append(element("p", {class: "note"}, "Slower and faster are no chance, with a confidence of "
        + percentText(diff.confidence) + "; several runs of each side tell more: opscope diff --a ... --b ..."));
}
