// Puts the page together.

const KEYS = [
    ["W / S", "zoom in / out"], ["A / D", "pan left / right"],
    ["Ctrl + wheel", "zoom where the pointer is"], ["wheel", "scroll the lanes"],
    ["Shift + wheel, Shift + drag", "pan"], ["drag", "select a range of time"],
    ["drag in the strip", "move the window"], ["click a lane's name, Enter", "open or close it"],
    ["click", "select a span"], ["arrow up / down", "lane above / below"],
    ["arrow left / right, or , and .", "span before / after"], ["F", "fit what is selected"],
    ["M", "select the range of a span"], ["[ / ]", "along a flow, back and forth"],
    ["0", "all of the time"], ["/", "search"], ["Enter / Shift + Enter", "next / previous match"],
    ["Escape", "select nothing"], ["?", "this list"],
];

function drawHelp() {
    const dialog = byId("help");
    empty(dialog).append(element("h2", {id: "help-title"}, "Keys and mouse"),
        element("table", {}, element("tbody", {}, KEYS.map(([keys, meaning]) =>
            element("tr", {}, element("th", {scope: "row"}, keys), element("td", {}, meaning))))),
        element("p", {}, element("button", {type: "button", onclick: () => dialog.close()}, "close")));
    byId("help-open").addEventListener("click", () => dialog.showModal());
}

function subtitle(analyses, timeline) {
    const ledger = analyses.ledger;
    const wrong = ledger.lost + ledger.impossible + ledger.not_carried;
    const kept = new Map(analyses.facts);
    return [analyses.file, kept.get("format"), plural(timeline.spans, "span"),
            wrong === 0 ? "nothing lost" : countText(wrong) + " events are not here (ledger)"]
        .filter((part) => part).join("  \u00b7  ");
}

let shown = null;

function showProfile(index) {
    const described = data.profiles[index];
    const analyses = described.analyses;
    const timeline = new Timeline(described.timeline, index);
    empty(byId("main"));
    empty(byId("sections"));
    listeners.length = 0;
    byId("title").textContent = analyses.title;
    byId("subtitle").textContent = subtitle(analyses, timeline);
    const find = (text) => shown.tools.find(text);
    if (data.diff)
        drawDiff(data.diff, find);
    drawSummary(analyses, timeline);
    shown = drawTimeline(timeline, analyses.why.path);
    drawTop(analyses, find);
    drawFlame(analyses.flame);
    drawPath(analyses.why, timeline, find);
    drawRoofline(analyses.why, find);
    drawMemory(analyses.why, timeline.length, find);
    drawLedger(analyses);
}

// Keys that work wherever nothing is being typed, while the timeline is in view.
function globalKeys(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || byId("help").open;
    if (typing || event.ctrlKey || event.metaKey || event.altKey)
        return;
    if (event.key === "/") {
        byId("timeline").scrollIntoView({block: "nearest"});
        shown.tools.field.focus();
        event.preventDefault();
    } else if (event.key === "?") {
        byId("help").showModal();
        event.preventDefault();
    } else if (event.target === document.body && /^[wasdfm0]$/i.test(event.key)) {
        const box = shown.canvas.getBoundingClientRect();
        if (box.top < innerHeight && box.bottom > 0)
            shown.tools.input.key(event);
    }
}

function start() {
    startTheme();
    drawHelp();
    if (data.profiles.length > 1) {
        const choice = byId("profile");
        data.profiles.forEach((profile, i) => choice.append(element("option", {value: i},
            (data.diff ? "ab"[i] + ": " : "") + profile.analyses.file)));
        byId("profile-choice").hidden = false;
        choice.addEventListener("change", () => showProfile(Number(choice.value)));
    }
    showProfile(0);
    byId("foot").textContent = "Written by opscope. " + (data.live ? "Served from this machine alone."
        : "This page is one file; it asks nothing of the network.");
    document.addEventListener("keydown", globalKeys);
    requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("opscope-first-picture")));
}

start();
