// Tables that are sorted by a click on a column and searched as one types.

const SHOWN_FIRST = 20;
const LONG = 80; // letters

const CELL_TEXT = {
    ns: timeText,
    us: (number) => timeText(number * 1e3),
    ms: (number) => timeText(number * 1e6),
    bytes: bytesText,
    count: countText,
    ratio: percentText,
    percent: (number) => percentText(number / 100),
    hz: (number) => largeText(number) + "Hz",
    real: digits,
    flag: (value) => value ? "yes" : "no",
};

function cellText(column, value) {
    if (value === null || value === undefined)
        return "";
    if (typeof value === "object")
        return JSON.stringify(value);
    if (column.change && typeof value === "number" && value >= 9)
        return digits(1 + value) + "\u00d7";
    const make = typeof value === "string" ? String : CELL_TEXT[column.type] || String;
    const text = (column.signed && value > 0 ? "+" : "") + make(value);
    return column.unit && (column.type === "real" || column.type === "count") ? text + " " + column.unit : text;
}

function compareCells(a, b) {
    const absent = (value) => value === null || value === undefined;
    if (absent(a) || absent(b))
        return absent(a) - absent(b);
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

// A text that may break where a path does. A long one shows its first lines, and all of it where the
// pointer rests.
function longText(text) {
    const parts = text.match(/->|[/:,_]+|(?:(?!->)[^/:,_])+[/:,_]*/g) || [];
    const pieces = parts.flatMap((part) => part === "->" ? [element("span", {class: "whole"}, part)] : [part, element("wbr", {})]);
    return element("span", text.length > LONG ? {class: "long", title: plainText(text)} : {}, pieces);
}

class Table {
    // `described` is {columns, rows, total}; options: caption, onName (called with the text of the
    // first column), bar (key of a column shown with a bar), paint(cell, column, row).
    constructor(described, options) {
        this.options = options || {};
        this.rows = described.rows;
        this.total = described.total;
        this.columns = described.columns.filter((column) =>
            this.rows.some((row) => row[column.key] !== null && row[column.key] !== undefined));
        this.sorted = null;
        this.descending = false;
        this.shown = SHOWN_FIRST;
        this.filter = "";
        this.largest = this.largestBar();
        this.node = this.make();
        this.fill();
    }

    // The value of the longest bar: of shares at most the whole.
    largestBar() {
        const column = this.columns.find((one) => one.key === this.options.bar);
        const most = column ? Math.max(...this.rows.map((row) => Math.abs(row[column.key]) || 0), 1e-300) : 1;
        return column && column.type === "ratio" ? Math.min(most, 1) : most;
    }

    make() {
        this.count = element("span", {class: "count"});
        const search = element("input", {type: "search", placeholder: "search", "aria-label": "search in " + this.options.caption,
                                         oninput: (event) => this.search(event.target.value)});
        this.headings = this.columns.map((column) => this.heading(column));
        this.body = element("tbody", {});
        this.more = element("button", {type: "button", onclick: () => {
            this.shown *= 4;
            this.fill();
        }});
        return element("div", {},
            element("div", {class: "row-tools"}, search, this.count),
            element("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": this.options.caption},
                element("table", {},
                    element("caption", {class: "unseen"}, this.options.caption),
                    element("thead", {}, element("tr", {}, this.headings)), this.body)),
            element("div", {class: "row-tools"}, this.more));
    }

    heading(column) {
        const button = element("button", {type: "button", title: column.meaning,
                                          onclick: () => this.sort(column)}, column.title);
        return element("th", {scope: "col", class: column.type === "text" ? null : "number"}, button);
    }

    sort(column) {
        this.descending = this.sorted === column ? !this.descending : column.type !== "text";
        this.sorted = column;
        this.fill();
        say("sorted by " + column.title + (this.descending ? ", largest first" : ", smallest first"));
    }

    search(text) {
        this.filter = text.toLowerCase();
        this.shown = SHOWN_FIRST;
        this.fill();
    }

    chosen() {
        let rows = this.rows;
        if (this.filter !== "")
            rows = rows.filter((row) => this.columns.some((column) =>
                typeof row[column.key] === "string" && row[column.key].toLowerCase().includes(this.filter)));
        if (this.sorted !== null) {
            const key = this.sorted.key;
            const sign = this.descending ? -1 : 1;
            const known = (row) => row[key] !== null && row[key] !== undefined;
            rows = [...rows].sort((a, b) => known(a) && known(b) ? sign * compareCells(a[key], b[key])
                                                                 : known(b) - known(a));
        }
        return rows;
    }

    cell(row, column, first) {
        const value = row[column.key];
        const text = cellText(column, value);
        const cell = element("td", {class: column.type !== "text" ? "number" : first ? "wide" : "text"});
        if (column.key === this.options.bar && typeof value === "number") {
            const bar = element("span", {class: "bar"});
            bar.style.width = Math.min(60, 60 * Math.abs(value) / this.largest).toFixed(1) + "px";
            cell.append(element("span", {class: "barroom", "aria-hidden": "true"}, bar), element("span", {class: "figure"}, text));
        } else if (first && this.options.onName && text !== "")
            cell.append(element("button", {type: "button", class: "name", onclick: () => this.options.onName(value, row)}, longText(text)));
        else
            cell.append(column.type === "text" ? longText(text) : text);
        if (this.options.paint)
            this.options.paint(cell, column, row);
        return cell;
    }

    fill() {
        const rows = this.chosen();
        empty(this.body);
        for (const row of rows.slice(0, this.shown))
            this.body.append(element("tr", {}, this.columns.map((column, i) => this.cell(row, column, i === 0))));
        this.headings.forEach((heading, i) => {
            if (this.columns[i] === this.sorted)
                heading.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
            else
                heading.removeAttribute("aria-sort");
        });
        const left = rows.length - this.shown;
        this.more.hidden = left <= 0;
        this.more.textContent = left > 0 ? countText(left) + " more" : "";
        this.count.textContent = (rows.length < this.rows.length ? countText(rows.length) + " of " : "")
            + plural(this.rows.length, "row")
            + (this.total > this.rows.length ? ", the first of " + countText(this.total) : "");
    }
}

// Several tables of which one is shown; keys go from tab to tab.
function tabbed(label, tabs) {
    const made = element("div", {});
    const list = element("div", {class: "row-tools", role: "tablist", "aria-label": label});
    const panel = element("div", {role: "tabpanel", id: label.replace(/\W/g, "-") + "-panel"});
    const show = (index) => {
        [...list.children].forEach((button, i) => {
            button.setAttribute("aria-selected", String(i === index));
            button.tabIndex = i === index ? 0 : -1;
        });
        panel.setAttribute("aria-label", tabs[index].title);
        empty(panel).append(tabs[index].node());
    };
    tabs.forEach((tab, i) => list.append(element("button", {type: "button", role: "tab",
        "aria-controls": panel.id, onclick: () => show(i), onkeydown: (event) => {
            const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
            if (step) {
                const next = (i + step + tabs.length) % tabs.length;
                show(next);
                list.children[next].focus();
                event.preventDefault();
            }
        }}, tab.title)));
    made.append(list, panel);
    show(0);
    return made;
}
