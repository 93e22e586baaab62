// Keys and mouse of the timeline, as Perfetto has them.

const ZOOM_STEP = 1.5;

class TimelineInput {
    constructor(canvas, view, drawing, actions) {
        this.canvas = canvas;
        this.view = view;
        this.drawing = drawing;
        this.actions = actions; // search(), details(block), range(range), tip(block) ...
        this.drag = null;
        canvas.addEventListener("wheel", (event) => this.wheel(event), {passive: false});
        canvas.addEventListener("pointerdown", (event) => this.down(event));
        canvas.addEventListener("pointermove", (event) => this.move(event));
        canvas.addEventListener("pointerup", (event) => this.up(event));
        canvas.addEventListener("pointerleave", hideTip);
        canvas.addEventListener("dblclick", (event) => this.double(event));
        canvas.addEventListener("keydown", (event) => this.key(event));
    }

    point(event) {
        const box = this.canvas.getBoundingClientRect();
        return {x: event.clientX - box.left, y: event.clientY - box.top};
    }

    visible() {
        return this.canvas.clientHeight - RULER;
    }

    wheel(event) {
        const {x} = this.point(event);
        const size = event.deltaMode === 1 ? 16 : 1;
        if (event.ctrlKey || event.metaKey)
            this.view.zoom(Math.pow(1.002, event.deltaY * size), this.drawing.moment(x));
        else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
            this.view.pan((event.deltaX || event.deltaY) * size / (this.drawing.width - this.drawing.labels()));
        else if (this.view.height > this.visible())
            this.view.scroll(event.deltaY * size, this.visible());
        else
            return; // nothing to scroll here: the page does
        event.preventDefault();
    }

    // The lane and row below the pointer; row -1 is that of instants.
    target(point) {
        if (point.y < RULER)
            return null;
        const y = point.y - RULER + this.view.top;
        const place = this.view.places.find((one) => y >= one.y && y < one.y + one.height);
        return place ? {place: place, row: Math.max(0, Math.floor((y - place.y - 2) / ROW))} : null;
    }

    blockAt(point) {
        const target = this.target(point);
        if (target === null || target.place.lane.levels.length === 0 || point.x < this.drawing.labels())
            return null;
        const nsPerPixel = this.drawing.nsPerPixel();
        const moment = this.drawing.moment(point.x);
        const find = (row) => this.view.blockAt(target.place.lane, row, moment, nsPerPixel * 4, nsPerPixel);
        return find(target.row) || (target.row === 0 ? find(-1) : null);
    }

    down(event) {
        const point = this.point(event);
        this.canvas.focus({preventScroll: true});
        hideTip();
        const inStrip = point.y < 28 && point.x > this.drawing.labels();
        const pans = event.shiftKey || event.button === 1;
        if (event.button > 1)
            return;
        this.drag = {kind: inStrip ? "strip" : pans || point.y < RULER ? "pan" : "range", from: point, moved: false,
                     view: [this.view.from, this.view.to], top: this.view.top};
        this.canvas.setPointerCapture(event.pointerId);
        if (inStrip)
            this.moveWindow(point.x);
        event.preventDefault();
    }

    moveWindow(x) {
        const left = this.drawing.labels();
        const middle = (x - left) / (this.drawing.width - left) * this.view.timeline.length;
        const half = (this.view.to - this.view.from) / 2;
        this.view.show(middle - half, middle + half);
    }

    move(event) {
        const point = this.point(event);
        if (this.drag === null) {
            const block = this.blockAt(point);
            if (block !== null)
                showTip(event, this.actions.tip(block));
            else
                hideTip();
            return;
        }
        const drag = this.drag;
        drag.moved = drag.moved || Math.abs(point.x - drag.from.x) + Math.abs(point.y - drag.from.y) > 3;
        if (!drag.moved)
            return;
        if (drag.kind === "strip") {
            this.moveWindow(point.x);
        } else if (drag.kind === "pan") {
            const by = (drag.from.x - point.x) * (drag.view[1] - drag.view[0]) / (this.drawing.width - this.drawing.labels());
            this.view.top = drag.top + drag.from.y - point.y;
            this.view.show(drag.view[0] + by, drag.view[1] + by);
        } else if (drag.from.x > this.drawing.labels()) {
            const ends = [this.drawing.moment(drag.from.x), this.drawing.moment(point.x)].sort((a, b) => a - b);
            this.view.range = {from: Math.max(0, ends[0]), to: Math.min(this.view.timeline.length, ends[1])};
            this.view.changed();
        }
    }

    up(event) {
        const drag = this.drag;
        this.drag = null;
        if (drag === null)
            return;
        if (drag.moved) {
            if (drag.kind === "range" && this.view.range !== null)
                this.actions.range(this.view.range);
            return;
        }
        const point = this.point(event);
        const target = this.target(point);
        if (target === null)
            return;
        this.view.range = null;
        this.view.focused = target.place.index;
        if (point.x < this.drawing.labels())
            this.view.toggle(target.place.index);
        else
            this.choose(this.blockAt(point));
    }

    choose(block) {
        this.view.select(block);
        this.actions.details(block);
    }

    double(event) {
        if (this.point(event).x > this.drawing.labels() && this.view.selected !== null)
            this.view.fit();
    }

    // Keys --------------------------------------------------------------------

    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey)
            return;
        const action = this.keys()[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (action) {
            action(event);
            event.preventDefault();
        }
    }

    keys() {
        const view = this.view;
        return {
            w: () => view.zoom(1 / ZOOM_STEP, this.middle()),
            s: () => view.zoom(ZOOM_STEP, this.middle()),
            a: () => view.pan(-.15),
            d: () => view.pan(.15),
            "+": () => view.zoom(1 / ZOOM_STEP),
            "-": () => view.zoom(ZOOM_STEP),
            f: () => view.fit(),
            0: () => view.show(0, view.timeline.length),
            Home: () => view.show(0, view.to - view.from),
            End: () => view.show(view.timeline.length - (view.to - view.from), view.timeline.length),
            PageDown: () => view.scroll(this.visible() * .8, this.visible()),
            PageUp: () => view.scroll(-this.visible() * .8, this.visible()),
            ArrowDown: () => this.focusLane(1),
            ArrowUp: () => this.focusLane(-1),
            ArrowRight: () => this.step(1),
            ArrowLeft: () => this.step(-1),
            ".": () => this.step(1),
            ",": () => this.step(-1),
            Enter: () => view.focused >= 0 && view.toggle(view.focused),
            m: () => this.mark(),
            "]": () => this.follow(true),
            "[": () => this.follow(false),
            Escape: () => this.clear(),
        };
    }

    middle() {
        const now = this.view.selected;
        return now !== null && now.start >= this.view.from && now.end <= this.view.to
            ? (now.start + now.end) / 2 : undefined;
    }

    focusLane(direction) {
        const places = this.view.places;
        const now = this.view.placeOf.get(this.view.focused);
        const at = Math.max(0, Math.min(places.length - 1, now === undefined ? 0 : now + direction));
        if (places.length === 0)
            return;
        this.view.focused = places[at].index;
        const y = places[at].y;
        if (y < this.view.top)
            this.view.top = y;
        else if (y + places[at].height > this.view.top + this.visible())
            this.view.top = Math.min(y, y + places[at].height - this.visible());
        this.view.changed();
        const lane = places[at].lane;
        say(lane.name + (lane.heading ? "" : ", " + plural(lane.spans, "span") + ", busy "
            + percentText(lane.busy / this.view.timeline.length)));
    }

    step(direction) {
        if (this.view.selected !== null && this.view.selected.lane.index !== this.view.focused)
            this.view.selected = null;
        this.view.step(direction);
        this.actions.details(this.view.selected);
    }

    mark() {
        const now = this.view.selected;
        if (now === null)
            return;
        this.view.range = {from: now.start, to: now.end};
        this.actions.range(this.view.range);
        this.view.changed();
    }

    // Along an arrow, to where it leads or to where it comes from.
    follow(forward) {
        const flow = this.view.flows().find((one) => one.mine && this.view.selected !== null
            && (forward ? one.start : one.toStart) === this.view.selected.start);
        if (!flow)
            return;
        const lane = this.view.timeline.lanes[forward ? flow.toLane : flow.lane];
        const list = lane.level(0).rows[forward ? flow.toRow : flow.row];
        const start = forward ? flow.toStart : flow.start;
        const i = firstWhere(list.count, (at) => list.starts[at] >= start);
        if (i < list.count) {
            this.view.reveal(this.view.describe(lane, forward ? flow.toRow : flow.row, list, i));
            this.actions.details(this.view.selected);
        }
    }

    clear() {
        this.view.range = null;
        this.choose(null);
        hideTip();
    }
}
