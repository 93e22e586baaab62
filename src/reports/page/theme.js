// Light and dark: what the system prefers until the reader chooses.

const listeners = [];
let forPaper = false;

function storedTheme() {
    try {
        return localStorage.getItem("opscope-theme");
    } catch (refused) {
        return null;
    }
}

function isDark() {
    return !forPaper && document.documentElement.dataset.theme === "dark";
}

function setTheme(name) {
    document.documentElement.dataset.theme = name;
    byId("theme").textContent = name === "dark" ? "light" : "dark";
    byId("theme").setAttribute("aria-label", "switch to the " + (name === "dark" ? "light" : "dark") + " theme");
    redrawAll();
}

function redrawAll() {
    for (const listener of listeners)
        listener();
}

// Called whenever what is drawn by hand must be drawn anew: another theme or size, or paper.
function onRedraw(listener) {
    listeners.push(listener);
}

function colour(name) {
    if (forPaper)
        return {"--paper": "#fff", "--sheet": "#f6f7f9", "--rule": "#ccc", "--ink": "#111", "--soft": "#555",
                "--link": "#0b57a4", "--mark": "#b3560b", "--focus": "#0b57a4", "--worse": "#b3261e"}[name] || "#111";
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function startTheme() {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const chosen = storedTheme();
    setTheme(chosen === "dark" || chosen === "light" ? chosen : system.matches ? "dark" : "light");
    system.addEventListener("change", () => storedTheme() || setTheme(system.matches ? "dark" : "light"));
    byId("theme").addEventListener("click", () => {
        const next = isDark() ? "light" : "dark";
        try {
            localStorage.setItem("opscope-theme", next);
        } catch (refused) {
            // A page that may keep nothing forgets it with the tab.
        }
        setTheme(next);
    });
    const paper = (on) => () => {
        forPaper = on;
        const kept = document.documentElement.dataset.theme;
        if (on)
            document.documentElement.dataset.theme = "light";
        redrawAll();
        if (on)
            addEventListener("afterprint", () => setTheme(kept), {once: true});
    };
    addEventListener("beforeprint", paper(true));
    addEventListener("afterprint", paper(false));
    addEventListener("resize", redrawAll);
}

// Colours of kinds, in three shades each, so that neighbours of one kind are told apart.
function mixed(rgb, target, part) {
    return rgb.map((one) => Math.round(one + (target - one) * part));
}

function kindColours(kinds) {
    const dark = isDark();
    return kinds.map((kind) => {
        let rgb = [kind.colour >> 16, (kind.colour >> 8) & 255, kind.colour & 255];
        const light = (rgb[0] * 299 + rgb[1] * 587 + rgb[2] * 114) / 1000;
        if (dark)
            rgb = light < 90 ? mixed(rgb, 255, .38) : mixed(rgb, 0, .12);
        return [rgb, mixed(rgb, 255, dark ? .12 : .2), mixed(rgb, 0, .1)].map((one) => ({
            fill: "rgb(" + one.join(" ") + ")",
            ink: (one[0] * 299 + one[1] * 587 + one[2] * 114) / 1000 > 140 ? "#1f2933" : "#ffffff",
        }));
    });
}

// Where nobody said what work it is, names have colours of their own.
const NAME_HUES = [210, 28, 150, 265, 48, 340, 185, 95, 300, 12, 235, 125];

function nameColours() {
    const dark = isDark();
    return NAME_HUES.map((hue) => ({fill: "hsl(" + hue + (dark ? " 34% 52%)" : " 46% 68%)"), ink: "#1f2933"}));
}

// The canvas as sharp as the screen, with a context in points.
function sharpContext(canvas) {
    const scale = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(canvas.clientWidth * scale));
    const height = Math.max(1, Math.round(canvas.clientHeight * scale));
    if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width;
        canvas.height = height;
    }
    const context = canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    return context;
}
