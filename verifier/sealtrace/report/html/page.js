"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const text = data.text;
  const byId = (id) => document.getElementById(id);
  const count = (number) => number.toLocaleString("en-US");

  // Everything that a bundle says enters the page as text, never as markup.
  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== false) element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  }

  function soon(work) {
    let asked = false;
    return () => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; work(); });
    };
  }

  function toggles(holder, name, changed) {
    const chosen = new Set();
    holder.addEventListener("click", (event) => {
      const chip = event.target.closest("button");
      if (!chip) return;
      const value = chip.dataset[name];
      if (!chosen.delete(value)) chosen.add(value);
      chip.setAttribute("aria-pressed", String(chosen.has(value)));
      changed();
    });
    return chosen;
  }

  const terms = (input) => input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (hay, wanted) => wanted.every((term) => hay.includes(term));

  // Colours

  const theme = byId("theme");
  const darkOutside = matchMedia("(prefers-color-scheme: dark)");
  function paint(chosen) {
    if (chosen) document.documentElement.dataset.theme = chosen;
    const dark = (document.documentElement.dataset.theme || (darkOutside.matches ? "dark" : "light")) === "dark";
    theme.textContent = dark ? "Light" : "Dark";
    theme.setAttribute("aria-label", dark ? "Use light colours" : "Use dark colours");
    return dark;
  }
  theme.hidden = false;
  theme.addEventListener("click", () => paint(paint() ? "light" : "dark"));
  darkOutside.addEventListener("change", () => paint());
  paint();

  // Tables: only what is near the window is drawn, and of a long table only the rows in view.

  const STRIDE = 14;
  const [ROW, COLUMN, STATUS, RECOMPUTED, SENTENCE, SOURCE, LINE, RECIPE, FORMULA, FORMULA_SOURCE, POPULATION, RECORDS,
    FIRST_RECORDS, UNDISCLOSED] = Array.from({ length: STRIDE }, (_, place) => place);
  const MOST = 1500; // cells that are drawn at once
  const HEIGHT = 30; // of a row, in pixels, as the styles have it
  const BEYOND = 12; // rows drawn above and below the view

  class Table {
    constructor(box, number) {
      this.box = box;
      this.number = number;
      this.section = box.closest("section");
      Object.assign(this, data.tables[number]);
      this.width = this.columns.length;
      this.size = this.cells.length / STRIDE;
      this.at = new Int32Array(this.rows.length * this.width).fill(-1);
      for (let cell = 0; cell < this.size; cell++) {
        this.at[this.get(cell, ROW) * this.width + this.get(cell, COLUMN)] = cell;
      }
      this.numeric = this.columns.map((_, column) => this.rows.some((_, row) => this.at[row * this.width + column] >= 0));
      // Where the first column repeats the labels of rows, as in a paper, it stands for them.
      this.labelled = this.rows.some((label, row) => label !== this.texts[row * this.width]);
      this.shown = Array.from(this.rows, (_, row) => row);
      this.matching = null; // which cells a filter leaves; null for all
      this.long = this.rows.length * this.width > MOST;
      this.active = [0, this.firstColumn(0)];
      this.drawn = null;
      this.near = false;
      box.style.minHeight = `${Math.min(this.rows.length + 1, 17) * HEIGHT}px`;
    }

    look(column) {
      return `${this.numeric[column] ? "number" : ""}${column === 0 && !this.labelled ? " lead-column" : ""}`;
    }
    get(cell, field) { return this.cells[cell * STRIDE + field]; }
    firstColumn(place) {
      const row = this.shown[place];
      for (let column = 0; column < this.width; column++) if (this.at[row * this.width + column] >= 0) return column;
      return 0;
    }

    hay(cell) {
      if (!this.hays) this.hays = new Array(this.size);
      return this.hays[cell] ??= [this.label, text[this.rows[this.get(cell, ROW)]], this.columns[this.get(cell, COLUMN)],
        this.printed(cell)].join("\n").toLowerCase();
    }
    printed(cell) { return text[this.texts[this.get(cell, ROW) * this.width + this.get(cell, COLUMN)]]; }

    filter(statuses, wanted) {
      if (!statuses && !wanted.length) {
        this.matching = null;
        this.shown = Array.from(this.rows, (_, row) => row);
      } else {
        this.matching = new Uint8Array(this.size);
        const rows = new Uint8Array(this.rows.length);
        for (let cell = 0; cell < this.size; cell++) {
          if ((!statuses || statuses[this.get(cell, STATUS)]) && (!wanted.length || matches(this.hay(cell), wanted))) {
            this.matching[cell] = 1;
            rows[this.get(cell, ROW)] = 1;
          }
        }
        this.shown = [];
        rows.forEach((has, row) => { if (has) this.shown.push(row); });
      }
      this.section.hidden = this.matching !== null && !this.shown.length;
      this.active = this.shown.length ? [0, this.firstColumn(0)] : [0, 0];
      this.drawn = null;
      this.box.scrollTop = 0;
      if (this.near) this.draw();
      return this.matching === null ? this.size : this.matching.reduce((sum, one) => sum + one, 0);
    }

    frame() {
      const head = make("tr", { "aria-rowindex": 1 });
      if (this.labelled) head.append(make("td", { class: "corner" }));
      this.columns.forEach((label, column) => head.append(make("th", { scope: "col", class: this.look(column) }, label)));
      this.body = make("tbody");
      this.grid = make("table", {
        role: "grid", "aria-readonly": "true", "aria-labelledby": `table-${this.number}-title`,
        "aria-rowcount": this.rows.length + 1, "aria-colcount": this.width + this.labelled, class: this.long ? "long" : undefined,
      });
      if (this.long) this.grid.append(this.widths());
      this.grid.append(make("thead", {}, head), this.body);
      this.box.replaceChildren(this.grid);
      this.box.style.minHeight = "";
      this.box.addEventListener("scroll", soon(() => this.draw()), { passive: true });
    }

    widths() {
      // Fixed, so that columns keep their places while rows come and go.
      const group = make("colgroup");
      const widest = this.labelled ? [Math.max(4, ...this.rows.slice(0, 400).map((row) => text[row].length))] : [];
      for (let column = 0; column < this.width; column++) {
        let width = this.columns[column].length;
        for (let row = 0; row < Math.min(this.rows.length, 400); row++) {
          width = Math.max(width, text[this.texts[row * this.width + column]].length + 3);
        }
        widest.push(width);
      }
      for (const width of widest) {
        const one = make("col");
        one.style.width = `${Math.min(width, 28) + 2}ch`;
        group.append(one);
      }
      return group;
    }

    draw(everything = false) {
      if (!this.grid) this.frame();
      let from = 0, to = this.shown.length;
      if (this.long && !everything) {
        from = Math.max(0, Math.floor(this.box.scrollTop / HEIGHT) - BEYOND);
        to = Math.min(to, Math.ceil((this.box.scrollTop + (this.box.clientHeight || 520)) / HEIGHT) + BEYOND);
      }
      if (this.drawn && this.drawn[0] === from && this.drawn[1] === to) return;
      this.drawn = [from, to];
      const focused = this.box.contains(document.activeElement);
      const rows = document.createDocumentFragment();
      if (from > 0) rows.append(this.space(from));
      for (let place = from; place < to; place++) rows.append(this.row(place));
      if (to < this.shown.length) rows.append(this.space(this.shown.length - to));
      this.body.replaceChildren(rows);
      const cell = this.element(this.active) || this.body.querySelector("td[data-c]");
      if (cell) cell.tabIndex = 0;
      // A cell that leaves the view takes the focus along; the box keeps it within reach of the keys.
      if (focused) (this.element(this.active) || this.box).focus({ preventScroll: true });
    }

    space(rows) {
      const cell = make("td", { colspan: this.width + this.labelled });
      cell.style.height = `${rows * HEIGHT}px`;
      return make("tr", { class: "space", "aria-hidden": "true" }, cell);
    }

    row(place) {
      const row = this.shown[place];
      const line = make("tr", { "aria-rowindex": row + 2 });
      if (this.labelled) line.append(make("th", { scope: "row", title: text[this.rows[row]] }, text[this.rows[row]]));
      for (let column = 0; column < this.width; column++) {
        const cell = this.at[row * this.width + column];
        const printed = text[this.texts[row * this.width + column]];
        const element = document.createElement("td");
        element.textContent = printed;
        element.tabIndex = -1;
        element.dataset.p = `${place},${column}`;
        element.className = this.look(column);
        if (column === 0 && !this.labelled) element.setAttribute("role", "rowheader");
        if (cell >= 0) {
          const [status, family, sign] = data.statuses[this.get(cell, STATUS)];
          const dim = this.matching && !this.matching[cell] ? " dim" : "";
          const mark = this.marks[`${row},${column}`];
          element.className += ` fam-${family}${mark ? ` mark-${mark === "best" ? "best" : "second"}` : ""}${dim}`;
          element.dataset.c = cell;
          element.dataset.sign = sign;
          element.setAttribute("aria-label", `${printed}, ${status}${mark ? `, marked ${mark}` : ""}`);
          element.title = status;
        }
        line.append(element);
      }
      return line;
    }

    element([place, column]) { return this.body.querySelector(`td[data-p="${place},${column}"]`); }

    go(place, column) {
      const old = this.element(this.active);
      if (old) old.tabIndex = -1;
      this.active = [Math.max(0, Math.min(place, this.shown.length - 1)), Math.max(0, Math.min(column, this.width - 1))];
      if (this.long && !this.element(this.active)) {
        this.box.scrollTop = this.active[0] * HEIGHT - this.box.clientHeight / 2;
        this.draw();
      }
      const cell = this.element(this.active);
      if (!cell) return;
      cell.tabIndex = 0;
      cell.focus({ preventScroll: true });
      cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    key(event) {
      const [place, column] = this.active;
      const page = Math.max(1, Math.floor(this.box.clientHeight / HEIGHT) - 2);
      const far = event.ctrlKey || event.metaKey;
      const moves = {
        ArrowDown: [place + 1, column], ArrowUp: [place - 1, column],
        ArrowRight: [place, column + 1], ArrowLeft: [place, column - 1],
        PageDown: [place + page, column], PageUp: [place - page, column],
        Home: [far ? 0 : place, 0], End: [far ? this.shown.length - 1 : place, this.width - 1],
      };
      if (moves[event.key]) {
        event.preventDefault();
        this.go(...moves[event.key]);
      } else if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.open(this.element(this.active));
      }
    }

    open(element) {
      if (!element || element.dataset.c === undefined) return;
      this.active = element.dataset.p.split(",").map(Number);
      tell(this, Number(element.dataset.c), () => this.element(this.active));
    }
  }

  const tables = Array.from(document.querySelectorAll(".grid-box"), (box, number) => new Table(box, number));
  const tableOf = (event) => tables[event.target.closest(".grid-box")?.dataset.table];
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const table = tables[target.querySelector(".grid-box").dataset.table];
      table.near = isIntersecting;
      if (isIntersecting) table.draw();
    }
  }, { rootMargin: "600px 0px" });
  for (const table of tables) {
    table.box.tabIndex = -1;
    seen.observe(table.section);
  }

  const holder = byId("tables");
  if (holder) {
    holder.addEventListener("click", (event) => {
      const cell = event.target.closest("td[data-p]");
      const table = cell && tableOf(event);
      if (!table) return;
      table.go(...cell.dataset.p.split(",").map(Number));
      table.open(cell);
    });
    holder.addEventListener("keydown", (event) => tableOf(event)?.key(event));
    const total = tables.reduce((sum, table) => sum + table.size, 0);
    const search = byId("cell-search");
    const refilter = () => {
      const chosen = statuses.size ? data.statuses.map(([name]) => statuses.has(name)) : null;
      const wanted = terms(search);
      const left = tables.reduce((sum, table) => sum + table.filter(chosen, wanted), 0);
      byId("cell-count").value = left === total ? `${count(total)} cells` : `${count(left)} of ${count(total)} cells`;
    };
    const statuses = toggles(byId("cell-chips"), "status", refilter);
    search.addEventListener("input", soon(refilter));
    byId("cell-count").value = `${count(total)} cells`;
  }

  // Lineage

  const dialog = byId("lineage");
  let goBack = null;

  function tell(table, cell, back) {
    const [status, family, sign, definition] = data.statuses[table.get(cell, STATUS)];
    const of = (field) => text[table.get(cell, field)];
    const row = text[table.rows[table.get(cell, ROW)]];
    const address = `${table.label}[${row}, ${table.columns[table.get(cell, COLUMN)]}]`;
    byId("lineage-title").textContent = address;
    const body = byId("lineage-body");
    const compared = make("dl", { class: "compared" },
      make("div", {}, make("dt", {}, "Printed"), make("dd", {}, table.printed(cell))),
      make("div", {}, make("dt", {}, "Recomputed, unrounded"), make("dd", {}, of(RECOMPUTED) || "nothing")));
    const list = make("dl", { class: "lineage" });
    const add = (name, ...content) => list.append(make("div", {}, make("dt", {}, name), make("dd", {}, ...content)));
    add("Rounding", of(SENTENCE));
    if (of(FORMULA)) add("Formula", of(FORMULA), make("span", { class: "what soft" }, of(FORMULA_SOURCE)));
    if (of(POPULATION)) add("Population", of(POPULATION));
    if (of(RECIPE)) add("Recipe", make("code", {}, of(RECIPE)));
    const records = table.get(cell, RECORDS);
    if (records) {
      const first = of(FIRST_RECORDS).split("\n");
      add("Records", records > first.length ? `${count(records)}, the first of them:` : `${count(records)}:`,
        make("ul", {}, ...first.map((one) => make("li", {}, make("code", {}, one)))));
    }
    if (of(SOURCE)) add("Printed at", make("code", {}, of(SOURCE) + (table.get(cell, LINE) ? `:${table.get(cell, LINE)}` : "")));
    if (of(UNDISCLOSED)) add("Not stated in the paper", make("ul", {}, ...of(UNDISCLOSED).split("\n").map((one) => make("li", {}, one))));
    add("On the command line", make("code", {}, `sealtrace explain BUNDLE '${address}'`));
    body.replaceChildren(
      make("p", { class: `badge fam-${family}` }, make("span", { "aria-hidden": "true" }, sign), ` ${status}`),
      make("p", { class: "soft" }, definition), compared, list);
    goBack = back;
    dialog.showModal();
    body.scrollTop = 0;
  }
  byId("lineage-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => { goBack?.()?.focus({ preventScroll: true }); });

  // Findings: drawn a hundred at a time.

  const SEVERITIES = [["error", "✗"], ["warning", "!"], ["note", "i"]];
  const PAGE = 100;
  const list = byId("finding-list");
  let drawFindings = () => {};
  if (list) {
    const findings = data.findings;
    const search = byId("finding-search"), check = byId("finding-check"), more = byId("finding-more");
    const hays = new Array(findings.length);
    const hay = (number) => hays[number] ??= findings[number].slice(1, 8).map((one) => text[one] ?? "").join("\n").toLowerCase();
    const tally = new Map();
    for (const one of findings) tally.set(one[1], (tally.get(one[1]) || 0) + 1);
    for (const [name, number] of tally) check.append(make("option", { value: name }, `${text[name]} (${count(number)})`));
    let left = [], drawn = 0;

    const item = (number) => {
      const [severity, id, place, key, field, message, expected, found, table, cell] = findings[number];
      const [word, sign] = SEVERITIES[severity];
      const entry = make("li", { class: `finding sev-${word}` },
        make("p", { class: "top" }, make("span", { class: `sign sev-${word}`, "aria-hidden": "true" }, sign),
          make("span", { class: "word" }, word), make("code", {}, text[id]), make("code", { class: "soft" }, text[place])),
        make("p", {}, text[message]));
      const facts = make("dl");
      const add = (name, value) => facts.append(make("div", {}, make("dt", {}, name), make("dd", {}, make("code", {}, value))));
      if (text[key]) add("record", text[key]);
      if (text[field]) add("field", text[field]);
      if (expected >= 0) add("expected", text[expected]);
      if (found >= 0) add("found", text[found]);
      if (facts.children.length) entry.append(facts);
      if (cell >= 0) entry.append(make("button", { type: "button", class: "quiet", "data-cell": `${table},${cell}` }, "Show the cell"));
      return entry;
    };
    drawFindings = (upTo) => {
      const rows = document.createDocumentFragment();
      for (; drawn < Math.min(upTo, left.length); drawn++) rows.append(item(left[drawn]));
      list.append(rows);
      more.hidden = drawn >= left.length;
      more.textContent = `Show ${count(Math.min(PAGE, left.length - drawn))} more of ${count(left.length - drawn)}`;
    };
    const refilter = () => {
      const wanted = terms(search), only = check.value === "" ? null : Number(check.value);
      left = [];
      findings.forEach((one, number) => {
        if (severities.size && !severities.has(SEVERITIES[one[0]][0])) return;
        if (only !== null && one[1] !== only) return;
        if (!wanted.length || matches(hay(number), wanted)) left.push(number);
      });
      list.replaceChildren();
      drawn = 0;
      drawFindings(PAGE);
      const all = count(findings.length);
      byId("finding-count").value = left.length === findings.length ? `${all} findings` : `${count(left.length)} of ${all} findings`;
    };
    const severities = toggles(byId("finding-chips"), "severity", refilter);
    search.addEventListener("input", soon(refilter));
    check.addEventListener("change", refilter);
    more.addEventListener("click", () => {
      const next = drawn;
      drawFindings(drawn + PAGE);
      list.children[next]?.setAttribute("tabindex", "-1");
      list.children[next]?.focus();
    });
    list.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-cell]");
      if (!button) return;
      const [table, cell] = button.dataset.cell.split(",").map(Number);
      tell(tables[table], cell, () => button);
    });
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-check]");
      if (!link) return;
      const place = text.indexOf(link.dataset.check);
      check.value = tally.has(place) ? String(place) : "";
      refilter();
    });
    refilter();
  }

  // On paper everything stands open; afterwards all is as it was.

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = Array.from(document.querySelectorAll("details:not([open]):not(.numbers)"));
    for (const one of closed) one.open = true;
    for (const table of tables) if (!table.section.hidden) table.draw(true);
    drawFindings(1000);
  });
  addEventListener("afterprint", () => {
    for (const one of closed) one.open = false;
    for (const table of tables) if (table.long && table.grid) table.draw();
  });

  document.documentElement.dataset.ready = String(Math.round(performance.now()));
})();
