"""What a page holds, read by a second reader of its form (src/reports/page/levels.h)."""

import base64
import html.parser
import json


class _Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.scripts, self.styles, self.metas, self.addresses = [], [], [], []
        self.title = ""
        self._to = None

    def handle_starttag(self, tag, attributes):
        words = dict(attributes)
        if tag == "script":
            self.scripts.append([words, ""])
        elif tag == "style":
            self.styles.append("")
        elif tag == "meta":
            self.metas.append(words)
        self.addresses += [value for name, value in attributes if name in ("src", "href", "action")]
        self._to = tag if tag in ("script", "style", "title") else None

    def handle_endtag(self, tag):
        self._to = None

    def handle_data(self, text):
        if self._to == "script":
            self.scripts[-1][1] += text
        elif self._to == "style":
            self.styles[-1] += text
        elif self._to == "title":
            self.title += text


class Page:
    """A page: `data` is its JSON, `policy` what it allows itself."""

    def __init__(self, path):
        reader = _Page()
        reader.feed(path.read_text(encoding="utf-8"))
        reader.close()
        self.title, self.addresses, self.styles = reader.title, reader.addresses, reader.styles
        [self.policy] = [meta["content"] for meta in reader.metas
                         if meta.get("http-equiv") == "Content-Security-Policy"]
        self.code = [text for words, text in reader.scripts if "type" not in words]
        kept = {words["id"]: text for words, text in reader.scripts if "id" in words}
        self.data = json.loads(kept["data"])
        self.blocks = [base64.b64decode(kept[f"blocks{i}"]) for i in range(len(self.data["profiles"]))]

    def lanes(self, profile=0):
        return [lane for lane in self.data["profiles"][profile]["timeline"]["lanes"] if "levels" in lane]

    def levels(self, lane, profile=0):
        """[(bucket, rows)], rows of [(start, end, name, count, busy)]; the last row is that of instants."""
        names = self.data["profiles"][profile]["timeline"]["names"]
        made = []
        for at in range(0, len(lane["levels"]), 4):
            bucket, place, size, count = lane["levels"][at:at + 4]
            rows = _rows(self.blocks[profile][place:place + size], names)
            assert sum(map(len, rows)) == count, (lane["name"], bucket, count)
            made.append((bucket, rows))
        return made


def _rows(text, names):
    at = 0

    def number():
        nonlocal at
        result = shift = 0
        while True:
            byte = text[at]
            at += 1
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    rows = []
    for _ in range(number()):
        row, start = [], 0
        for _ in range(number()):
            start += number()
            duration, name = number(), number()
            several = name % 2
            first = number()
            row.append((start, start + duration, names[name // 2], first if several else 1, number() if several else duration))
        rows.append(row)
    assert at == len(text), "bytes after the last row"
    return rows
