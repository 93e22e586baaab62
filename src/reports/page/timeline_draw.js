// Draws a timeline on a canvas: the strip of all time, the ruler, and the lanes that are in view.

const LETTER = 6.3; // about as wide as one is

class TimelineDrawing {
    constructor(canvas, view) {
        this.canvas = canvas;
        this.view = view;
        this.asked = false;
        view.changed = () => this.ask();
        this.strip = null;
        this.measure();
    }

    // How wide the names of lanes are, as of the last drawing: to ask the canvas costs a layout.
    labels() {
        return this.left;
    }

    measure() {
        this.width = this.canvas.clientWidth;
        this.height = this.canvas.clientHeight;
        this.left = this.width < 620 ? 96 : this.width < 1000 ? 170 : 230;
    }

    ask() {
        if (this.asked)
            return;
        this.asked = true;
        requestAnimationFrame(() => {
            this.asked = false;
            const began = performance.now();
            this.draw();
            // For whoever measures how long a frame takes.
            performance.measure("opscope-frame", {start: began, end: performance.now()});
            if (performance.getEntriesByName("opscope-frame").length > 500)
                performance.clearMeasures("opscope-frame");
            if (this.drawn)
                this.drawn();
        });
    }

    x(ns) {
        const left = this.labels();
        return left + (ns - this.view.from) / (this.view.to - this.view.from) * (this.width - left);
    }

    moment(x) {
        const left = this.labels();
        return this.view.from + (x - left) / (this.width - left) * (this.view.to - this.view.from);
    }

    nsPerPixel() {
        return (this.view.to - this.view.from) / Math.max(1, this.width - this.labels());
    }

    draw() {
        const context = sharpContext(this.canvas);
        this.measure();
        this.inks = {paper: colour("--paper"), sheet: colour("--sheet"), rule: colour("--rule"), ink: colour("--ink"),
                     soft: colour("--soft"), mark: colour("--mark"), focus: colour("--focus"),
                     worse: colour("--worse")};
        this.colours = kindColours(this.view.timeline.kinds);
        this.byName = nameColours();
        context.fillStyle = this.inks.paper;
        context.fillRect(0, 0, this.width, this.height);
        context.font = "11px system-ui, sans-serif";
        context.textBaseline = "middle";
        const visible = this.height - RULER;
        this.view.top = Math.max(0, Math.min(this.view.top, this.view.height - visible));
        context.save();
        context.beginPath();
        context.rect(0, RULER, this.width, visible);
        context.clip();
        this.drawGrid(context);
        for (const place of this.view.places) {
            const y = RULER + place.y - this.view.top;
            if (y + place.height >= RULER && y <= this.height)
                this.drawLane(context, place, y);
        }
        this.drawFlows(context);
        this.drawMarks(context);
        context.restore();
        this.drawRuler(context);
    }

    ticks() {
        const length = this.view.to - this.view.from;
        const most = Math.max(2, (this.width - this.labels()) / 110);
        const power = Math.pow(10, Math.floor(Math.log10(length / most)));
        const step = [1, 2, 5, 10].map((one) => one * power).find((one) => length / one <= most);
        const ticks = [];
        for (let at = Math.ceil(this.view.from / step) * step; at <= this.view.to; at += step)
            ticks.push(at);
        return {step: step, ticks: ticks};
    }

    drawGrid(context) {
        context.fillStyle = this.inks.rule;
        for (const at of this.ticks().ticks)
            context.fillRect(Math.round(this.x(at)), RULER, .5, this.height);
    }

    // All time, by kind: how busy lanes are. The window that is shown is bright.
    drawRuler(context) {
        const left = this.labels();
        context.fillStyle = this.inks.sheet;
        context.fillRect(0, 0, this.width, RULER);
        this.drawStrip(context, left);
        context.fillStyle = this.inks.soft;
        context.textAlign = "left";
        const {step, ticks} = this.ticks();
        for (const at of ticks) {
            const x = Math.round(this.x(at));
            context.fillRect(x, RULER - 5, 1, 5);
            if (x + 60 < this.width)
                context.fillText(momentText(at, step), x + 3, RULER - 10);
        }
        context.fillStyle = this.inks.rule;
        context.fillRect(0, RULER - 1, this.width, 1);
        context.fillStyle = this.inks.soft;
        context.fillText(timeText(this.view.to - this.view.from), 8, RULER - 10);
        context.fillText(this.labels() > 120 ? "all: " + timeText(this.view.timeline.length) : "all", 8, 13);
    }

    stripBins() {
        const bins = 400;
        if (this.strip !== null)
            return this.strip;
        const timeline = this.view.timeline;
        const sums = timeline.kinds.map(() => new Float64Array(bins));
        const width = timeline.length / bins;
        for (const lane of timeline.lanes) {
            if (lane.levels.length === 0 || lane.rows === 0)
                continue;
            const list = lane.level(lane.levels.length - 1).rows[0];
            for (let i = 0; i < list.count; i++) {
                const kind = timeline.waiting[list.names[i]] ? timeline.wait_kind : lane.kind;
                const begin = list.starts[i];
                const end = Math.min(list.ends[i], timeline.length);
                const share = list.busy[i] / Math.max(list.ends[i] - begin, 1) / width;
                const last = Math.min(bins - 1, Math.floor(end / width));
                for (let bin = Math.min(last, Math.floor(begin / width)); bin <= last; bin++) {
                    const inside = Math.min(end, (bin + 1) * width) - Math.max(begin, bin * width);
                    sums[kind][bin] += Math.max(inside, 0) * share;
                }
            }
        }
        let most = 1e-9;
        for (let bin = 0; bin < bins; bin++)
            most = Math.max(most, sums.reduce((sum, one) => sum + one[bin], 0));
        this.strip = {bins: bins, sums: sums, most: most};
        return this.strip;
    }

    drawStrip(context, left) {
        const {bins, sums, most} = this.stripBins();
        const width = this.width - left;
        const height = 22;
        for (let bin = 0; bin < bins; bin++) {
            let y = 2 + height;
            const x = left + bin / bins * width;
            sums.forEach((sum, kind) => {
                const tall = sum[bin] / most * height;
                if (tall > .2) {
                    context.fillStyle = this.colours[kind][0].fill;
                    context.fillRect(x, y - tall, width / bins + .5, tall);
                    y -= tall;
                }
            });
        }
        const from = left + this.view.from / this.view.timeline.length * width;
        const to = left + this.view.to / this.view.timeline.length * width;
        context.fillStyle = isDark() ? "rgb(0 0 0 / .55)" : "rgb(255 255 255 / .62)";
        context.fillRect(left, 0, from - left, height + 4);
        context.fillRect(to, 0, this.width - to, height + 4);
        context.strokeStyle = this.inks.focus;
        context.strokeRect(from + .5, .5, Math.max(2, to - from - 1), height + 3);
    }

    drawLane(context, place, y) {
        const lane = place.lane;
        const left = this.labels();
        if (lane.heading) {
            context.fillStyle = this.inks.sheet;
            context.fillRect(0, y, this.width, place.height);
        }
        if (place.spans > 0 && !lane.heading)
            this.drawSpans(context, place, y + 2);
        if (lane.counterPiece)
            this.drawCounter(context, lane, y + place.spans + 2, COUNTER - 4);
        context.fillStyle = lane.heading ? this.inks.sheet : this.inks.paper;
        context.fillRect(0, y, left, place.height);
        context.fillStyle = this.inks.rule;
        context.fillRect(0, y + place.height - .5, this.width, .5);
        context.fillRect(left - .5, y, .5, place.height);
        if (place.index === this.view.focused) {
            context.fillStyle = this.inks.focus;
            context.fillRect(0, y, 3, place.height);
        }
        this.drawLabel(context, place, y, left);
    }

    drawLabel(context, place, y, left) {
        const lane = place.lane;
        const indent = 8 + Math.min(lane.depth, 5) * 9;
        const opens = this.view.hasChildren(place.index);
        const closed = this.view.closed[place.index] || (!opens && lane.rows > this.view.rowsOpen[place.index]);
        const sign = opens || lane.rows > 1 ? (closed ? "\u25b8 " : "\u25be ") : "";
        context.fillStyle = lane.heading ? this.inks.ink : this.inks.soft;
        context.textAlign = "left";
        context.font = (lane.heading ? "600 " : "") + "11px system-ui, sans-serif";
        context.fillText(this.cut(sign + plainText(lane.name || "(no name)"), left - indent - 4), indent,
                         y + Math.min(place.height / 2, HEADING / 2 + 1));
        context.font = "11px system-ui, sans-serif";
        if (lane.counterPiece && left > 120)
            context.fillText(this.cut(amountText(lane.most, plainText(lane.unit)), left - indent - 4), indent,
                             y + place.height - 9);
    }

    cut(text, room) {
        const letters = Math.floor(room / LETTER);
        if (text.length <= letters)
            return text;
        return letters < 4 ? text.slice(0, Math.max(0, letters)) : text.slice(0, letters - 1) + "\u2026";
    }

    // Rectangles by colour, so that colours change seldom: what is drawn is quick, what changes is not.
    drawSpans(context, place, y) {
        const view = this.view;
        const nsPerPixel = this.nsPerPixel();
        const blocks = view.blocksOf(place.lane, nsPerPixel);
        const rows = Math.min(blocks.rows.length, Math.max(1, view.rowsOpen[place.index]));
        const batches = new Map();
        const labels = [];
        for (let row = 0; row < rows; row++)
            this.collectRow(place.lane, blocks, row, y + row * ROW, batches, labels);
        for (const [fill, byStrength] of batches) {
            context.fillStyle = fill;
            for (const [strength, rectangles] of byStrength) {
                context.globalAlpha = strength;
                for (let i = 0; i < rectangles.length; i += 3)
                    context.fillRect(rectangles[i], rectangles[i + 1], rectangles[i + 2], ROW - 2);
            }
        }
        context.globalAlpha = 1;
        this.drawNames(context, labels);
        this.drawInstants(context, blocks.instants, y);
        if (view.showsPath)
            this.drawPath(context, view.path.get(place.lane.track) || [], y + place.spans - 5);
    }

    // A line below what is on the critical path.
    drawPath(context, ends, y) {
        const left = this.labels();
        context.fillStyle = this.inks.worse;
        for (let i = 0; i < ends.length; i += 2) {
            const from = Math.max(left, this.x(ends[i]));
            const to = Math.min(this.width, this.x(ends[i + 1]));
            if (to >= from)
                context.fillRect(from, y, Math.max(1, to - from), 3);
        }
    }

    collectRow(lane, blocks, row, y, batches, labels) {
        const view = this.view;
        const timeline = view.timeline;
        const list = blocks.rows[row];
        const left = this.labels();
        let i = Math.max(0, firstWhere(list.count, (at) => list.starts[at] > view.from) - 1);
        let lastPixel = -1;
        for (; i < list.count && list.starts[i] < view.to; i++) {
            const begin = Math.max(left - 1, this.x(list.starts[i]));
            const end = Math.min(this.width + 1, this.x(list.ends[i]));
            if (end < left || (end <= lastPixel && end - begin < 1))
                continue;
            const narrow = end - begin < 1;
            const x = narrow ? Math.floor(begin) : begin;
            const width = narrow ? 1 : Math.max(1, end - begin - (end - begin > 4 ? .75 : 0));
            lastPixel = x + width;
            const name = list.names[i];
            const kind = timeline.waiting[name] ? timeline.wait_kind : lane.kind;
            const place = timeline.shades[name] || 0;
            const shade = kind === timeline.other_kind ? this.byName[place] : this.colours[kind][place % 3];
            const several = list.counts[i] > 1;
            const cover = several ? list.busy[i] / Math.max(1, list.ends[i] - list.starts[i]) : 1;
            const strength = view.hits !== null && !view.isHit(list, i) ? .14
                : several && !narrow ? .3 + .4 * (cover > .5) : several ? .5 + .5 * (cover > .5) : 1;
            let byStrength = batches.get(shade.fill);
            if (byStrength === undefined)
                batches.set(shade.fill, byStrength = new Map());
            let batch = byStrength.get(strength);
            if (batch === undefined)
                byStrength.set(strength, batch = []);
            batch.push(x, y, width);
            if (width > 26)
                labels.push({x: x, y: y, width: width, several: several, ink: several ? this.inks.ink : shade.ink,
                             text: several ? countText(list.counts[i]) + " spans" : timeline.nameOf(name),
                             dim: strength < .2});
        }
    }

    drawNames(context, labels) {
        context.textAlign = "left";
        for (const label of labels) {
            context.fillStyle = label.ink;
            context.globalAlpha = label.dim ? .25 : 1;
            context.fillText(this.cut(plainText(label.text), label.width - 8), label.x + 4, label.y + (ROW - 2) / 2 + .5,
                label.width - 8); // wide letters are set narrower
        }
        context.globalAlpha = 1;
    }

    drawInstants(context, list, y) {
        if (!list || list.count === 0)
            return;
        context.fillStyle = this.inks.ink;
        context.beginPath();
        let i = firstWhere(list.count, (at) => list.starts[at] >= this.view.from);
        let last = -9;
        for (; i < list.count && list.starts[i] <= this.view.to; i++) {
            const x = this.x(list.starts[i]);
            if (x - last < 1)
                continue;
            last = x;
            context.moveTo(x, y + 6);
            context.lineTo(x - 3, y - 1);
            context.lineTo(x + 3, y - 1);
        }
        context.fill();
    }

    drawCounter(context, lane, y, height) {
        const points = lane.counterPoints();
        if (points.count === 0)
            return;
        const least = Math.min(0, lane.least);
        const span = Math.max(lane.most - least, 1e-300);
        const at = (value) => y + height - (value - least) / span * height;
        const left = this.labels();
        const columns = Math.max(0, Math.ceil(this.width - left));
        const base = at(0);
        const tops = new Float64Array(columns).fill(Infinity);
        const bottoms = new Float64Array(columns).fill(-Infinity);
        let i = Math.max(0, firstWhere(points.count, (k) => points.at[k] > this.view.from) - 1);
        for (; i < points.count && points.at[i] < this.view.to; i++) {
            const from = Math.floor(Math.max(0, this.x(points.at[i]) - left));
            const next = i + 1 < points.count ? this.x(points.at[i + 1]) - left : columns;
            const to = Math.min(columns, Math.max(from + 1, Math.floor(next)));
            const value = at(points.most[i]);
            for (let column = from; column < to; column++) {
                tops[column] = Math.min(tops[column], value, base);
                bottoms[column] = Math.max(bottoms[column], value, base);
            }
        }
        this.fillColumns(context, left, tops, bottoms, this.colours[lane.kind][0].fill);
    }

    // One shape, so that what is next to each other does not show where it meets.
    fillColumns(context, left, tops, bottoms, fill) {
        context.fillStyle = fill;
        context.globalAlpha = .75;
        context.beginPath();
        for (let from = 0; from < tops.length;) {
            let to = from + 1;
            while (to < tops.length && tops[to] === tops[from] && bottoms[to] === bottoms[from])
                to++;
            if (tops[from] < Infinity)
                context.rect(left + from, tops[from], to - from, Math.max(bottoms[from] - tops[from], .8));
            from = to;
        }
        context.fill();
        context.globalAlpha = 1;
    }

    placeY(lane, row) {
        const y = this.view.yOf(lane);
        return y === null || row >= Math.max(1, this.view.rowsOpen[lane]) ? null
            : RULER + y - this.view.top + 2 + Math.max(0, row) * ROW + ROW / 2 - 1;
    }

    drawFlows(context) {
        context.save();
        context.beginPath();
        context.rect(this.labels(), RULER, this.width, this.height);
        context.clip();
        for (const flow of this.view.flows()) {
            const y = this.placeY(flow.lane, flow.row);
            const toY = this.placeY(flow.toLane, flow.toRow);
            if (y === null || toY === null || flow.toStart < this.view.from || flow.start > this.view.to)
                continue;
            const x = this.x(Math.min(flow.end, Math.max(flow.start, flow.toStart)));
            const toX = this.x(flow.toStart);
            const bend = Math.max(14, Math.abs(toX - x) / 2);
            context.strokeStyle = context.fillStyle = flow.mine ? this.inks.mark : this.inks.soft;
            context.lineWidth = flow.mine ? 1.6 : .8;
            context.globalAlpha = flow.mine ? 1 : .5;
            context.beginPath();
            context.moveTo(x, y);
            context.bezierCurveTo(x + bend, y, toX - bend, toY, toX - 5, toY);
            context.stroke();
            context.beginPath();
            context.moveTo(toX, toY);
            context.lineTo(toX - 6, toY - 3.5);
            context.lineTo(toX - 6, toY + 3.5);
            context.fill();
        }
        context.restore();
        context.globalAlpha = 1;
        context.lineWidth = 1;
    }

    // What is selected, and the range.
    drawMarks(context) {
        const now = this.view.selected;
        const left = this.labels();
        if (now !== null) {
            const y = this.placeY(now.lane.index, now.row);
            if (y !== null && now.end >= this.view.from && now.start <= this.view.to) {
                const from = Math.max(left, this.x(now.start));
                const to = Math.min(this.width, this.x(now.end));
                context.strokeStyle = this.inks.ink;
                context.lineWidth = 2;
                context.strokeRect(from, y - ROW / 2 + 1, Math.max(2, to - from), ROW - 2);
                context.lineWidth = 1;
            }
        }
        if (this.view.range !== null) {
            const from = Math.max(left, this.x(this.view.range.from));
            const to = Math.max(left, this.x(this.view.range.to));
            context.fillStyle = this.inks.focus;
            context.globalAlpha = .13;
            context.fillRect(from, RULER, to - from, this.height);
            context.globalAlpha = 1;
            context.fillRect(from, RULER, 1, this.height);
            context.fillRect(to, RULER, 1, this.height);
        }
    }
}
