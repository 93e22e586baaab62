// Elements, and figures as people read them. Texts of files only ever become text nodes.

function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (name.startsWith("on"))
            made.addEventListener(name.slice(2), value);
        else if (value !== null && value !== undefined && value !== false)
            made.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat()) {
        if (child !== null && child !== undefined)
            made.append(child);
    }
    return made;
}

function byId(id) {
    return document.getElementById(id);
}

function empty(node) {
    node.replaceChildren();
    return node;
}

// What a screen reader should say now.
function say(text) {
    byId("said").textContent = text;
}

const TIME_UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

function digits(number) {
    return Math.abs(number) >= 1000 ? String(Math.round(number)) : String(Number(number.toPrecision(3)));
}

// Three, also where they are zeros.
function exactDigits(number) {
    return Math.abs(number) >= 999.5 ? String(Math.round(number)) : number.toPrecision(3);
}

// 12845000 is "12.8 ms".
function timeText(ns) {
    if (ns === 0)
        return "0 ns";
    for (const [size, unit] of TIME_UNITS) {
        if (Math.abs(ns) >= size)
            return size === 1 ? digits(ns) + " ns" : exactDigits(ns / size) + " " + unit;
    }
    return digits(ns) + " ns";
}

// All digits that tell a moment from its neighbours `step` ns apart.
function momentText(ns, step) {
    const [size, unit] = TIME_UNITS.find((one) => ns >= one[0]) || TIME_UNITS[3];
    const places = Math.max(0, Math.min(9, Math.ceil(Math.log10(size / Math.max(step, 1e-3)))));
    return (ns / size).toFixed(size === 1 ? 0 : places) + " " + unit;
}

function countText(number) {
    return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

function bytesText(bytes) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let at = 0;
    while (Math.abs(bytes) >= 1024 && at < units.length - 1) {
        bytes /= 1024;
        at += 1;
    }
    return digits(bytes) + " " + units[at];
}

function largeText(number) {
    const letters = ["", " k", " M", " G", " T", " P"];
    let at = 0;
    while (Math.abs(number) >= 1000 && at < letters.length - 1) {
        number /= 1000;
        at += 1;
    }
    return digits(number) + letters[at];
}

// Of a counter.
function amountText(number, unit) {
    return unit === "bytes" ? bytesText(number) : largeText(number) + (unit === "bytes/s" ? "B/s" : " " + unit);
}

function percentText(part) {
    const percent = 100 * part;
    if (percent !== 0 && Math.abs(percent) < .1)
        return "<0.1 %";
    return (Math.abs(percent) < 99.95 ? Number(percent.toFixed(1)) : Math.round(percent)) + " %";
}

function plural(number, word) {
    return countText(number) + " " + word + (number === 1 ? "" : /(s|ch)$/.test(word) ? "es" : "s");
}

// The first item for which `reaches` holds, of items for which it holds from some place on.
function firstWhere(count, reaches) {
    let low = 0;
    let high = count;
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (reaches(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// A text drawn on a canvas has one line and steers nothing.
function plainText(text) {
    return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

// A section of the page, with its entry in the navigation.
function section(id, title, about) {
    const head = element("div", {class: "head"}, element("h2", {id: id + "-title"}, title));
    if (about)
        head.append(element("span", {class: "about"}, about));
    const made = element("section", {id: id, "aria-labelledby": id + "-title"}, head);
    byId("main").append(made);
    byId("sections").append(element("a", {href: "#" + id}, title));
    return made;
}

// Tooltips follow the pointer.
function showTip(event, text) {
    const tip = byId("tip");
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 6)) + "px";
    tip.style.top = (event.clientY + 18 + box.height > innerHeight
        ? event.clientY - box.height - 10 : event.clientY + 18) + "px";
}

function hideTip() {
    byId("tip").hidden = true;
}

function download(address, query) {
    const words = new URLSearchParams(query);
    return fetch(address + "?" + words, {credentials: "same-origin", cache: "no-store"})
        .then((answer) => answer.ok ? answer.json() : Promise.reject(new Error("HTTP " + answer.status)));
}
