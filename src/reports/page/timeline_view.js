// What of a timeline is looked at: the time, the lanes that are open, where each lies, what is
// selected and what is searched for. Drawing and input are in files of their own.

const ROW = 17;
const HEADING = 20;
const COUNTER = 36;
const RULER = 46; // the strip of all time and the ruler below it
const ROWS_OPEN_FIRST = 10;

class TimelineView {
    constructor(timeline, path) {
        this.timeline = timeline;
        this.path = new Map(); // by track: starts and ends of what is on the critical path
        for (let i = 0; i < path.length; i += 3) {
            if (!this.path.has(path[i]))
                this.path.set(path[i], []);
            this.path.get(path[i]).push(path[i + 1], path[i + 2]);
        }
        this.showsPath = false;
        this.from = 0;
        this.to = timeline.length;
        this.top = 0;
        this.focused = -1; // lane
        this.selected = null; // {lane, row, start, end, name, count, busy, operator, instant}
        this.range = null; // {from, to}
        this.hits = null; // by name: whether it is searched for
        this.allFlows = false;
        this.closed = timeline.lanes.map(() => false);
        this.rowsOpen = timeline.lanes.map((lane) => Math.min(lane.rows || 0, ROWS_OPEN_FIRST));
        this.places = [];
        this.changed = () => {};
        this.layout();
    }

    // Lanes that are not inside a closed one, from top to bottom.
    layout() {
        const lanes = this.timeline.lanes;
        this.places = [];
        this.placeOf = new Map();
        let y = 0;
        let hiddenBelow = Infinity;
        for (let i = 0; i < lanes.length; i++) {
            const lane = lanes[i];
            if (lane.depth > hiddenBelow)
                continue;
            hiddenBelow = this.closed[i] ? lane.depth : Infinity;
            const rows = Math.max(1, this.rowsOpen[i]);
            const spans = lane.heading ? HEADING : lane.spans + lane.instants > 0 ? rows * ROW + 4 : 0;
            const counter = lane.counterPiece ? COUNTER : 0;
            this.placeOf.set(i, this.places.length);
            this.places.push({lane: lane, index: i, y: y, spans: spans, height: spans + counter});
            y += spans + counter;
        }
        this.height = y;
    }

    hasChildren(index) {
        const lanes = this.timeline.lanes;
        return index + 1 < lanes.length && lanes[index + 1].depth > lanes[index].depth;
    }

    // Opens or closes what is below a lane, or its rows.
    toggle(index) {
        const lane = this.timeline.lanes[index];
        if (this.hasChildren(index))
            this.closed[index] = !this.closed[index];
        else if (lane.rows > 1)
            this.rowsOpen[index] = this.rowsOpen[index] >= lane.rows ? 1 : lane.rows;
        this.layout();
        this.changed();
    }

    show(from, to) {
        const least = Math.min(50, this.timeline.length);
        let length = Math.min(Math.max(to - from, least), this.timeline.length);
        from = Math.max(0, Math.min((from + to - length) / 2, this.timeline.length - length));
        this.from = from;
        this.to = from + length;
        this.changed();
    }

    zoom(factor, around) {
        const middle = around === undefined ? (this.from + this.to) / 2 : around;
        this.show(middle - (middle - this.from) * factor, middle + (this.to - middle) * factor);
    }

    pan(part) {
        const step = (this.to - this.from) * part;
        const from = Math.max(0, Math.min(this.from + step, this.timeline.length - (this.to - this.from)));
        this.show(from, from + (this.to - this.from));
    }

    scroll(by, visible) {
        this.top = Math.max(0, Math.min(this.top + by, this.height - visible));
        this.changed();
    }

    fit() {
        const what = this.range || (this.selected && {from: this.selected.start, to: this.selected.end});
        if (!what) {
            this.show(0, this.timeline.length);
            return;
        }
        const margin = Math.max((what.to - what.from) * .1, 20);
        this.show(what.from - margin, what.to + margin);
    }

    // Exact spans of a lane in the time that is shown, where a server has given them.
    fresh(lane) {
        const kept = lane.kept.find((one) => one.from <= this.from && one.to >= this.to);
        return kept && kept.bucket <= (this.to - this.from) / 1000 ? kept : null;
    }

    // What a lane is drawn from: {rows, instants, bucket}.
    blocksOf(lane, nsPerPixel) {
        const index = lane.levelFor(nsPerPixel);
        const piece = lane.levels[index];
        const kept = piece.bucket > nsPerPixel ? this.fresh(lane) : null;
        if (kept)
            return kept;
        const level = lane.level(index);
        return {rows: level.rows, instants: level.instants, bucket: piece.bucket};
    }

    // The block at a moment, or the nearest within `slack` ns.
    blockAt(lane, row, moment, slack, nsPerPixel) {
        const blocks = this.blocksOf(lane, nsPerPixel);
        const list = row < 0 ? blocks.instants : blocks.rows[row];
        if (!list || list.count === 0)
            return null;
        const after = firstWhere(list.count, (i) => list.starts[i] > moment);
        let best = null;
        for (let i = Math.max(0, after - 2); i < Math.min(list.count, after + 1); i++) {
            const distance = Math.max(list.starts[i] - moment, moment - list.ends[i], 0);
            if (distance <= slack && (best === null || distance < best.distance))
                best = {distance: distance, index: i};
        }
        return best === null ? null : this.describe(lane, row, list, best.index);
    }

    describe(lane, row, list, i) {
        return {lane: lane, row: row, start: list.starts[i], end: list.ends[i], name: list.names[i],
                count: list.counts[i], busy: list.busy[i], operator: list.operators[i], instant: row < 0};
    }

    select(block) {
        this.selected = block;
        if (block !== null)
            this.focused = block.lane.index;
        this.changed();
    }

    // Brings a block into view, opening what it lies in.
    reveal(block) {
        const lanes = this.timeline.lanes;
        let depth = lanes[block.lane.index].depth;
        for (let i = block.lane.index - 1; i >= 0 && depth > 0; i--) {
            if (lanes[i].depth < depth) {
                this.closed[i] = false;
                depth = lanes[i].depth;
            }
        }
        if (block.row >= this.rowsOpen[block.lane.index])
            this.rowsOpen[block.lane.index] = block.lane.rows;
        this.layout();
        const length = this.to - this.from;
        if (block.end < this.from || block.start > this.to)
            this.show(block.start - length / 2, block.start + length / 2);
        this.select(block);
    }

    yOf(index) {
        const at = this.placeOf.get(index);
        return at === undefined ? null : this.places[at].y;
    }

    // The neighbour of what is selected in its row.
    step(direction) {
        const now = this.selected;
        const lane = now ? now.lane : this.timeline.lanes[this.focused];
        if (!lane || lane.heading || lane.levels.length === 0)
            return;
        const blocks = lane.level(0);
        const list = now && now.instant ? blocks.instants : blocks.rows[now ? now.row : 0];
        if (!list || list.count === 0)
            return;
        const at = now ? now.start : this.from;
        const after = firstWhere(list.count, (i) => list.starts[i] > at);
        const before = firstWhere(list.count, (i) => list.starts[i] >= at) - 1;
        const next = direction > 0 ? after : before;
        if (next >= 0 && next < list.count)
            this.reveal(this.describe(lane, now ? now.row : 0, list, next));
    }

    // Searching ---------------------------------------------------------------

    search(text) {
        const wanted = text.trim().toLowerCase();
        this.searched = wanted;
        this.found = null;
        this.hits = wanted === "" ? null : this.timeline.names.map((name) => name.toLowerCase().includes(wanted));
        if (this.hits !== null)
            this.hits[0] = false;
        this.operatorHits = wanted === "" ? null : this.timeline.operators.map(([name, type]) =>
            (name + " " + type).toLowerCase().includes(wanted));
        this.changed();
    }

    isHit(list, i) {
        return this.hits[list.names[i]] || (list.operators[i] > 0 && this.operatorHits[list.operators[i]]);
    }

    // All blocks of that name, at the finest levels that the page has, in order of time.
    allHits() {
        if (this.found !== null)
            return this.found;
        this.found = [];
        for (const lane of this.timeline.lanes) {
            if (lane.levels.length === 0)
                continue;
            const level = lane.level(0);
            const look = (list, row) => {
                for (let i = 0; i < list.count; i++) {
                    if (this.isHit(list, i))
                        this.found.push(this.describe(lane, row, list, i));
                }
            };
            level.rows.forEach(look);
            look(level.instants, -1);
        }
        this.found.sort((a, b) => a.start - b.start || a.lane.index - b.lane.index);
        return this.found;
    }

    nextHit(direction) {
        if (this.hits === null)
            return null;
        const all = this.allHits();
        if (all.length === 0)
            return null;
        const now = this.selected;
        const order = (a) => now === null ? a.start - this.from
            : a.start - now.start || a.lane.index - now.lane.index || a.row - now.row;
        const after = firstWhere(all.length, (i) => order(all[i]) > 0);
        const before = firstWhere(all.length, (i) => order(all[i]) >= 0) - 1;
        const at = ((direction > 0 ? now === null ? before + 1 : after : before) + all.length) % all.length;
        this.reveal(all[at]);
        return {at: at, of: all.length};
    }

    // Arrows that touch what is selected, or all.
    flows() {
        const flows = this.timeline.flows;
        const chosen = [];
        const touches = (i, lane, row, start) => flows[i] === lane && flows[i + 1] === row && flows[i + 2] === start;
        for (let i = 0; i < flows.length; i += 7) {
            const now = this.selected;
            const mine = now !== null && (touches(i, now.lane.index, now.row, now.start)
                || touches(i + 4, now.lane.index, now.row, now.start));
            if (mine || this.allFlows)
                chosen.push({mine: mine, lane: flows[i], row: flows[i + 1], start: flows[i + 2], end: flows[i + 3],
                             toLane: flows[i + 4], toRow: flows[i + 5], toStart: flows[i + 6]});
        }
        return chosen;
    }
}
