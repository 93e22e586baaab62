// What the page asks the server of `opscope view` for: exact spans where it has none, and all that a
// span says of itself.

const asked = {timer: 0, under: 0};

function liveBlocks(view, drawing) {
    clearTimeout(asked.timer);
    asked.timer = setTimeout(() => {
        const nsPerPixel = drawing.nsPerPixel();
        const margin = view.to - view.from;
        for (const place of view.places) {
            const lane = place.lane;
            const y = place.y - view.top;
            const seen = y + place.height > 0 && y < drawing.height;
            if (!seen || lane.levels.length === 0 || lane.isExact() || view.fresh(lane)
                || lane.levels[lane.levelFor(nsPerPixel)].bucket <= nsPerPixel || asked.under > 6)
                continue;
            askForBlocks(view, lane, Math.max(0, Math.floor(view.from - margin)), Math.ceil(view.to + margin));
        }
    }, 90);
}

function askForBlocks(view, lane, from, to) {
    const timeline = view.timeline;
    asked.under += 1;
    download("blocks", {profile: timeline.profile, track: lane.track, from: from, to: to}).then((answer) => {
        const level = readLevel(unpackBytes(answer.blocks));
        const numbers = answer.names.map((name) => timeline.numberOf(name));
        for (const list of [...level.rows, level.instants]) {
            for (let i = 0; i < list.count; i++)
                list.names[i] = numbers[list.names[i]];
            list.operators.fill(0);
        }
        lane.kept.unshift({from: from, to: to, bucket: answer.bucket, rows: level.rows, instants: level.instants});
        lane.kept.length = Math.min(lane.kept.length, 4);
        view.changed();
    }).catch((failure) => say("the server gave no spans: " + failure.message)).finally(() => {
        asked.under -= 1;
    });
}

function liveDetails(timeline, block, list) {
    download("span", {profile: timeline.profile, track: block.lane.track, start: Math.round(block.start),
                      end: Math.round(block.end)}).then((answer) => {
        for (const [name, text] of answer.values)
            list.append(fact(name, text));
    }).catch((failure) => say("the server told nothing of this span: " + failure.message));
}
