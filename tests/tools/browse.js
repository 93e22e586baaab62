// Drives a page in a real Chromium, for tests, benchmarks and pictures.
//
//   node browse.js FOLDER < steps.json
//
// FOLDER has the npm packages playwright-core and axe-core, unpacked (fetch-browser-tools.sh); the
// program is $CHROMIUM or the first of the usual names. Steps are a JSON array of [verb, ...words]:
//
//   goto URL               and waits until the page has drawn its first picture
//   size WIDTH HEIGHT      media dark|light|print|screen
//   press KEYS...          click SELECTOR       fill SELECTOR TEXT       choose SELECTOR VALUE
//   wheel X Y DX DY KEY    drag X1 Y1 X2 Y2 KEY hover X Y (in the page; KEY: held, or "")
//   wait MS                until EXPRESSION     (true within a minute)
//   get EXPRESSION         its value, as JSON, is the step's answer
//   axe                    violations of accessibility
//   picture FILE [SELECTOR]                     pdf FILE
//
// Prints {"answers": [...], "errors": [...], "requests": [...]}: an answer for each step, what the
// page complained of (console, exceptions, refused by its policy), and what it asked for.

"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");

const folder = path.resolve(process.argv[2]);
const {chromium} = require(path.join(folder, "playwright-core"));
const axe = fs.readFileSync(path.join(folder, "axe-core", "axe.min.js"), "utf-8");

const FLAGS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
               "--disable-component-update", "--disable-sync", "--font-render-hinting=none"];

function program() {
    const names = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"].filter((name) => name);
    for (const name of names) {
        for (const place of name.includes("/") ? [""] : process.env.PATH.split(":")) {
            const file = path.join(place, name);
            if (fs.existsSync(file))
                return file;
        }
    }
    throw new Error("no chromium on the path");
}

async function held(page, key, action) {
    if (key)
        await page.keyboard.down(key);
    await action();
    if (key)
        await page.keyboard.up(key);
}

// The page's policy forbids what Playwright's own waiting does.
async function until(page, expression, seconds) {
    for (let left = seconds * 20; !await page.evaluate(expression); left--) {
        if (left === 0)
            throw new Error("waited for " + expression);
        await page.waitForTimeout(50);
    }
}

const FIRST_PICTURE = "performance.getEntriesByName('opscope-first-picture').length > 0";

const VERBS = {
    goto: async (page, url) => {
        await page.goto(url, {timeout: 300000});
        await until(page, FIRST_PICTURE, 300);
    },
    size: (page, width, height) => page.setViewportSize({width: width, height: height}),
    media: (page, name) => page.emulateMedia(name === "dark" || name === "light" ? {colorScheme: name} : {media: name}),
    press: async (page, ...keys) => {
        for (const key of keys)
            await page.keyboard.press(key);
    },
    click: (page, selector) => page.click(selector),
    fill: (page, selector, text) => page.fill(selector, text),
    choose: async (page, selector, value) => {
        await page.selectOption(selector, value);
    },
    hover: (page, x, y) => page.mouse.move(x, y),
    wheel: async (page, x, y, dx, dy, key) => {
        await page.mouse.move(x, y);
        await held(page, key, () => page.mouse.wheel(dx, dy));
    },
    drag: (page, x, y, toX, toY, key) => held(page, key, async () => {
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move((x + toX) / 2, (y + toY) / 2);
        await page.mouse.move(toX, toY);
        await page.mouse.up();
    }),
    wait: (page, ms) => page.waitForTimeout(ms),
    until: (page, expression) => until(page, expression, 60),
    get: (page, expression) => page.evaluate(expression),
    axe: async (page) => {
        await page.evaluate(axe + ";0");
        const found = await page.evaluate("axe.run(document, {resultTypes: ['violations']})");
        return found.violations.map((one) => ({rule: one.id, help: one.help,
                                               nodes: one.nodes.map((node) => node.target.join(" ") + ": " + node.failureSummary)}));
    },
    picture: async (page, file, selector) => {
        await (selector ? page.locator(selector).screenshot({path: file}) : page.screenshot({path: file}));
    },
    pdf: async (page, file) => {
        await page.pdf({path: file, format: "A4", printBackground: true});
    },
};

async function main() {
    const steps = JSON.parse(fs.readFileSync(0, "utf-8"));
    const home = fs.mkdtempSync(path.join(os.tmpdir(), "opscope-browser-"));
    const context = await chromium.launchPersistentContext(home, {
        executablePath: program(), headless: true, chromiumSandbox: false, args: FLAGS, viewport: {width: 1360, height: 900}});
    const answers = [];
    const errors = [];
    const requests = [];
    try {
        const page = context.pages()[0] || await context.newPage();
        page.on("console", (message) => ["error", "warning"].includes(message.type()) && errors.push(message.text()));
        page.on("pageerror", (error) => errors.push(String(error)));
        page.on("dialog", (dialog) => {
            errors.push("dialog: " + dialog.message());
            dialog.dismiss();
        });
        page.on("request", (request) => requests.push(request.url()));
        for (const [verb, ...words] of steps) {
            const answer = await VERBS[verb](page, ...words);
            answers.push(answer === undefined ? null : answer);
        }
    } finally {
        await context.close();
        fs.rmSync(home, {recursive: true, force: true, maxRetries: 5});
    }
    console.log(JSON.stringify({answers: answers, errors: errors, requests: requests}));
}

main().catch((error) => {
    console.error(error.stack || String(error));
    process.exit(1);
});
