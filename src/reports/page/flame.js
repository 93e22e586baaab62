// The flame graph: what lies in what, the widest first; keys and mouse go into it and out again.

const FLAME_ROW = 18;

class Flame {
    constructor(described, canvas, told) {
        this.canvas = canvas;
        this.told = told;
        this.nodes = [];
        for (let i = 0; i < described.nodes.length; i += 5)
            this.nodes.push({parent: described.nodes[i], name: described.nodes[i + 1], total: described.nodes[i + 2],
                             self: described.nodes[i + 3], count: described.nodes[i + 4], children: [], depth: 0});
        this.nodes.forEach((node, i) => {
            node.index = i;
            if (i > 0) {
                const parent = this.nodes[node.parent];
                node.depth = parent.depth + 1;
                parent.children.push(node);
            }
        });
        for (const node of this.nodes)
            node.children.sort((a, b) => b.total - a.total);
        this.root = this.nodes[0];
        this.at = this.root;
        this.depth = this.nodes.reduce((most, node) => Math.max(most, node.depth), 0) + 1;
        canvas.style.height = Math.min(this.depth, 40) * FLAME_ROW + 2 + "px";
        canvas.addEventListener("click", (event) => this.click(event));
        canvas.addEventListener("pointermove", (event) => this.hover(event));
        canvas.addEventListener("pointerleave", hideTip);
        canvas.addEventListener("keydown", (event) => this.key(event));
    }

    // Where nodes lie while `root` has all of the width.
    layout(width) {
        this.boxes = [];
        for (let up = this.root; up !== this.nodes[0]; up = this.nodes[up.parent])
            this.boxes.push({node: this.nodes[up.parent], x: 0, width: width, above: true});
        const place = (node, x, room) => {
            const todo = [[node, x, room]];
            while (todo.length > 0) {
                const [one, left, wide] = todo.pop();
                this.boxes.push({node: one, x: left, width: wide});
                let next = left;
                for (const child of one.children) {
                    const size = one.total > 0 ? wide * child.total / one.total : 0;
                    if (size >= .4)
                        todo.push([child, next, size]);
                    next += size;
                }
            }
        };
        place(this.root, 0, width);
    }

    draw() {
        const context = sharpContext(this.canvas);
        const width = this.canvas.clientWidth;
        const height = this.canvas.clientHeight;
        const dark = isDark();
        context.fillStyle = colour("--paper");
        context.fillRect(0, 0, width, height);
        context.font = "11px system-ui, sans-serif";
        context.textBaseline = "middle";
        this.layout(width);
        for (const box of this.boxes) {
            const y = box.node.depth * FLAME_ROW;
            if (y > height)
                continue;
            const hue = box.node.depth < 2 ? 215 : 14 + 3.4 * shadeOf(box.node.name);
            context.fillStyle = box.node.depth < 2 ? colour("--sheet")
                : "hsl(" + hue + (dark ? " 42% 34%)" : " 78% 77%)");
            context.globalAlpha = box.above ? .6 : 1;
            context.fillRect(box.x, y, Math.max(box.width - .7, .4), FLAME_ROW - 1);
            context.globalAlpha = 1;
            if (box.node === this.at) {
                context.strokeStyle = colour("--focus");
                context.lineWidth = 2;
                context.strokeRect(box.x + 1, y + 1, Math.max(1, box.width - 3), FLAME_ROW - 3);
            }
            if (box.width > 34) {
                context.fillStyle = dark ? "#f2f4f6" : "#1b232c";
                const letters = Math.floor((box.width - 8) / LETTER);
                const text = plainText(box.node.name || "(no name)");
                context.fillText(text.length > letters ? text.slice(0, letters - 1) + "\u2026" : text, box.x + 4, y + FLAME_ROW / 2);
            }
        }
    }

    text(node) {
        const whole = this.nodes[0].total || 1;
        return (node.name || "(no name)") + "\n" + timeText(node.total) + ", " + percentText(node.total / whole) + " of all lanes"
            + "\nitself " + timeText(node.self) + (node.count > 0 ? ", " + plural(node.count, "span") : "");
    }

    boxAt(event) {
        const frame = this.canvas.getBoundingClientRect();
        const x = event.clientX - frame.left;
        const depth = Math.floor((event.clientY - frame.top) / FLAME_ROW);
        return this.boxes.find((box) => box.node.depth === depth && x >= box.x && x < box.x + box.width);
    }

    hover(event) {
        const box = this.boxAt(event);
        if (box)
            showTip(event, this.text(box.node));
        else
            hideTip();
    }

    go(node, opens) {
        this.at = node;
        if (opens)
            this.root = node;
        this.told.textContent = this.text(node).split("\n").join("; ");
        say(this.told.textContent);
        this.draw();
    }

    click(event) {
        const box = this.boxAt(event);
        if (box)
            this.go(box.node, true);
    }

    key(event) {
        const parent = this.nodes[this.at.parent];
        const siblings = parent.children;
        const place = siblings.indexOf(this.at);
        const moves = {
            ArrowDown: () => this.at.children[0],
            ArrowUp: () => this.at !== this.nodes[0] && parent,
            ArrowRight: () => siblings[place + 1],
            ArrowLeft: () => siblings[place - 1],
        };
        if (moves[event.key]) {
            const next = moves[event.key]();
            if (next)
                this.go(next, false);
        } else if (event.key === "Enter") {
            this.go(this.at, true);
        } else if (event.key === "Escape") {
            this.go(this.nodes[0], true);
        } else {
            return;
        }
        event.preventDefault();
    }
}

function drawFlame(described) {
    const made = section("flame", "Flame graph", "time of all lanes, by what lies in what; click or Enter opens a part, Escape all");
    if (described.nodes.length <= 5) {
        made.append(element("p", {class: "note"}, "There are no spans."));
        return;
    }
    const canvas = element("canvas", {tabindex: "0", role: "application", "aria-label":
        "flame graph: arrow keys go from part to part, Enter opens one, Escape shows all"});
    const told = element("p", {class: "note", id: "flame-told"});
    const flame = new Flame(described, canvas, told);
    made.append(element("div", {class: "frame"}, canvas), told);
    if (described.total > described.nodes.length / 5)
        made.append(element("p", {class: "note"}, "The " + countText(described.nodes.length / 5) + " largest of "
            + countText(described.total) + " parts; the others count for what they lie in."));
    onRedraw(() => flame.draw());
    flame.draw();
}
