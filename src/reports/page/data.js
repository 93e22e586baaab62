// What the page holds: the JSON of its analyses, and blocks of timelines, which are unpacked when
// they are first looked at (src/reports/page/levels.h says how they are packed).

const data = JSON.parse(byId("data").textContent);

function unpackBytes(letters) {
    if (Uint8Array.fromBase64)
        return Uint8Array.fromBase64(letters);
    const text = atob(letters);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++)
        bytes[i] = text.charCodeAt(i);
    return bytes;
}

class Reader {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;
    }

    // The first four bytes in whole numbers, which is quicker.
    number() {
        const bytes = this.bytes;
        let byte = bytes[this.at++];
        if (byte < 128)
            return byte;
        let result = byte & 127;
        for (let shift = 7; shift < 28; shift += 7) {
            byte = bytes[this.at++];
            result |= (byte & 127) << shift;
            if (byte < 128)
                return result;
        }
        for (let factor = 2 ** 28; this.at < bytes.length; factor *= 128) {
            byte = bytes[this.at++];
            result += (byte & 127) * factor;
            if (byte < 128)
                return result;
        }
        return result;
    }
}

// Blocks of a row, as columns of numbers. `counts` is 1 for a span by itself, which has an operator
// (0: none); for several it is how many, with the time that they last together in `busy`.
function readRow(reader) {
    const count = reader.number();
    const row = {count: count, starts: new Float64Array(count), ends: new Float64Array(count),
                 names: new Uint32Array(count), counts: new Float64Array(count), busy: new Float64Array(count),
                 operators: new Uint16Array(count)};
    let start = 0;
    for (let i = 0; i < count; i++) {
        start += reader.number();
        row.starts[i] = start;
        row.ends[i] = start + reader.number();
        const name = reader.number();
        row.names[i] = Math.floor(name / 2);
        if (name % 2 === 1) {
            row.counts[i] = reader.number();
            row.busy[i] = reader.number();
        } else {
            row.counts[i] = 1;
            row.busy[i] = row.ends[i] - row.starts[i];
            row.operators[i] = reader.number();
        }
    }
    return row;
}

// Rows of spans, then that of instants.
function readLevel(bytes) {
    const reader = new Reader(bytes);
    const rows = [];
    for (let left = reader.number(); left > 0; left--)
        rows.push(readRow(reader));
    return {instants: rows.pop(), rows: rows};
}

function readCounter(bytes) {
    const reader = new Reader(bytes);
    const reals = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const count = reader.number();
    const made = {count: count, at: new Float64Array(count), least: new Float64Array(count),
                  most: new Float64Array(count), last: new Float64Array(count)};
    let at = 0;
    for (let i = 0; i < count; i++) {
        at += reader.number();
        made.at[i] = at;
        made.least[i] = reals.getFloat32(reader.at, true);
        made.most[i] = reals.getFloat32(reader.at + 4, true);
        made.last[i] = reals.getFloat32(reader.at + 8, true);
        reader.at += 12;
    }
    return made;
}

class Lane {
    constructor(timeline, described, index) {
        Object.assign(this, described);
        this.timeline = timeline;
        this.index = index;
        this.levels = [];
        for (let i = 0; i < (described.levels || []).length; i += 4)
            this.levels.push(this.piece(described.levels, i));
        this.counterPiece = described.counter ? this.piece(described.counter, 0) : null;
        this.heading = described.levels === undefined;
        this.kept = [];
    }

    piece(numbers, i) {
        return {bucket: numbers[i], at: numbers[i + 1], size: numbers[i + 2], count: numbers[i + 3], read: null};
    }

    // Places are multiples of three bytes, so of four letters.
    bytesOf(piece) {
        const letters = this.timeline.letters;
        return unpackBytes(letters.slice(piece.at / 3 * 4, Math.ceil((piece.at + piece.size) / 3) * 4))
            .subarray(0, piece.size);
    }

    level(index) {
        const piece = this.levels[index];
        if (piece.read === null)
            piece.read = readLevel(this.bytesOf(piece));
        return piece.read;
    }

    counterPoints() {
        const piece = this.counterPiece;
        if (piece.read === null)
            piece.read = readCounter(this.bytesOf(piece));
        return piece.read;
    }

    isExact() {
        return this.levels.length > 0 && this.levels[0].bucket === 0;
    }

    // The coarsest level that shows all that a pixel of so many ns can.
    levelFor(nsPerPixel) {
        let best = 0;
        for (let i = 0; i < this.levels.length; i++) {
            if (this.levels[i].bucket <= nsPerPixel)
                best = i;
        }
        return best;
    }
}

class Timeline {
    constructor(described, index) {
        Object.assign(this, described);
        this.letters = byId("blocks" + index).textContent;
        this.profile = index;
        this.length = Math.max(described.length, 1);
        this.lanes = described.lanes.map((lane, i) => new Lane(this, lane, i));
        this.waiting = this.names.map(() => false);
        for (const name of described.waits)
            this.waiting[name] = true;
        this.shades = this.names.map(shadeOf);
    }

    nameOf(number) {
        if (number > 0)
            return this.names[number];
        return this.names_left_out > 0 ? "(a name that the page has no room for)" : "(no name)";
    }

    // Names that come from the server later.
    numberOf(name) {
        if (!this.numbers) {
            this.numbers = new Map();
            this.names.forEach((one, i) => this.numbers.set(one, i));
        }
        let number = this.numbers.get(name);
        if (number === undefined) {
            number = this.names.length;
            this.numbers.set(name, number);
            this.names.push(name);
            this.shades.push(shadeOf(name));
            this.waiting.push(/wait|idle|stall/i.test(name));
        }
        return number;
    }
}

// One of twelve, the same wherever the name stands.
function shadeOf(name) {
    let hash = 7;
    for (let i = 0; i < name.length; i++)
        hash = (hash * 31 + name.charCodeAt(i)) | 0;
    return Math.abs(hash) % 12;
}
