"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const text = data.text;
  const byId = (id) => document.getElementById(id);
  const beside = byId("cell-beside");
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

  // Boxes that scroll say so: a shadow on each side where something is hidden, and words below.

  function cue(box, say) {
    const holder = box.parentElement, words = make("p", { class: "cue soft", "aria-hidden": "true" });
    holder.after(words);
    const look = soon(() => {
      const across = box.scrollWidth - box.clientWidth - box.scrollLeft, down = box.scrollHeight - box.clientHeight - box.scrollTop;
      holder.classList.toggle("more-left", box.scrollLeft > 1);
      holder.classList.toggle("more-right", across > 1);
      holder.classList.toggle("more-up", box.scrollTop > 1);
      holder.classList.toggle("more-down", down > 1);
      words.textContent = say(across > 1, down > 1);
    });
    box.addEventListener("scroll", look, { passive: true });
    new ResizeObserver(look).observe(box);
    return look;
  }
  const moreOf = (across, down) => [across && "→ more columns", down && "↓ more rows"].filter(Boolean).join(" · ");
  for (const box of document.querySelectorAll(".box")) cue(box, moreOf);

  // Tables: only what is near the window is drawn, and of a long table only the rows in view.

  const [ROW, COLUMN, STATUS, GIVEN, SOURCE, LINE, FIELDS] = [0, 1, 2, 3, 4, 5, 6];
  const STRIDE = FIELDS + data.fields.length;
  const MOST = 1500; // cells that are drawn at once
  const HEIGHT = 30; // of a row, in pixels, as the styles have it
  const BEYOND = 12; // rows drawn above and below the view

  // A long number that is given is cut two digits behind the printed ones, and says so.
  function cut(value, printed) {
    const kept = Math.max(...Array.from(printed.matchAll(/\d+(?:\.(\d+))?/g), (one) => (one[1] || "").length), 0) + 2;
    return value.replace(/(\d+\.)(\d+)(e[+-]?\d+)?/g, (all, whole, digits, power) => {
      const shown = power ? 2 : kept;
      return digits.length > shown ? `${whole}${digits.slice(0, shown)}…${power || ""}` : all;
    });
  }

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
      this.current = -1; // the match that was walked to
      this.long = this.rows.length * this.width > MOST;
      this.active = [0, this.firstColumn(0)];
      this.drawn = null;
      this.near = false;
      if (this.long) box.classList.add("long");
      this.reserve();
      this.look = cue(box, (across, down) => {
        if (!this.long || !this.shown.length) return moreOf(across, down);
        const first = Math.floor(box.scrollTop / HEIGHT), seen = Math.floor(box.clientHeight / HEIGHT) - 1;
        const last = Math.min(this.shown.length, first + seen);
        return `Rows ${count(first + 1)} to ${count(last)} of ${count(this.shown.length)}${down ? ": scroll inside the table" : ""}${across ? " · → more columns" : ""}`;
      });
    }

    // What is not drawn yet has its height already, so that whatever stands below keeps its place.
    reserve() { if (!this.drawn) this.box.style.minHeight = `${Math.min(this.shown.length + 1, this.long ? 17 : Infinity) * HEIGHT + 2}px`; }
    style(column) {
      return `${this.numeric[column] ? "number" : ""}${column === 0 && !this.labelled ? " lead-column" : ""}`;
    }
    get(cell, field) { return this.cells[cell * STRIDE + field]; }
    of(cell, field) { return text[this.get(cell, field)]; }
    firstColumn(place) {
      const row = this.shown[place];
      for (let column = 0; column < this.width; column++) if (this.at[row * this.width + column] >= 0) return column;
      return 0;
    }

    hay(cell) {
      if (!this.hays) this.hays = new Array(this.size);
      return this.hays[cell] ??= [this.label, this.rowOf(cell), this.columns[this.get(cell, COLUMN)], this.printed(cell)].join("\n").toLowerCase();
    }
    rowOf(cell) { return text[this.rows[this.get(cell, ROW)]]; }
    printed(cell) { return text[this.texts[this.get(cell, ROW) * this.width + this.get(cell, COLUMN)]]; }
    address(cell) { return `${this.label}[${this.rowOf(cell)}, ${this.columns[this.get(cell, COLUMN)]}]`; }

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
      this.box.scrollTop = 0;
      this.drawn = null;
      this.reserve();
      if (this.near) this.draw();
      return this.matching === null ? this.size : this.matching.reduce((sum, one) => sum + one, 0);
    }

    frame() {
      const head = make("tr", { "aria-rowindex": 1 });
      if (this.labelled) head.append(make("td", { class: "corner" }));
      this.columns.forEach((label, column) => head.append(make("th", { scope: "col", class: this.style(column) }, label)));
      this.body = make("tbody");
      this.grid = make("table", {
        role: "grid", "aria-readonly": "true", "aria-labelledby": `table-${this.number}-title`,
        "aria-rowcount": this.rows.length + 1, "aria-colcount": this.width + this.labelled, class: this.long ? "long" : undefined,
      });
      if (this.long) this.grid.append(this.widths());
      this.grid.append(make("thead", {}, head), this.body);
      this.box.replaceChildren(this.grid);
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
      this.look();
    }
    again() { this.drawn = null; if (this.near) this.draw(); }

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
        element.className = this.style(column);
        if (column === 0 && !this.labelled) element.setAttribute("role", "rowheader");
        if (cell >= 0) {
          const [status, family, sign, , word] = data.statuses[this.get(cell, STATUS)];
          const dim = this.matching && !this.matching[cell] ? " dim" : "";
          const mark = this.marks[`${row},${column}`];
          const here = cell === this.current ? " here" : "";
          element.className += ` fam-${family}${mark ? ` mark-${mark === "best" ? "best" : "second"}` : ""}${dim}${here}`;
          element.dataset.c = cell;
          element.dataset.sign = sign;
          if (beside?.ariaPressed === "true") {
            element.append(" ", make("span", { class: "beside" }, cut(this.of(cell, GIVEN), printed) || "–"));
          }
          element.setAttribute("aria-label", `${printed}, ${word}: ${status}${mark ? `, marked ${mark}` : ""}`);
          element.title = `${word}: ${status}`;
        } else if (printed.length > 24) element.title = printed;
        line.append(element);
      }
      return line;
    }

    element([place, column]) { return this.body?.querySelector(`td[data-p="${place},${column}"]`); }

    // Brings a place into view, inside the table's box and inside the window, beside the column that stays.
    reveal(place, column) {
      this.near = true;
      if (!this.drawn) this.draw();
      if (this.long && !this.element([place, column])) {
        this.box.scrollTop = place * HEIGHT - this.box.clientHeight / 2;
        this.draw();
      }
      const element = this.element([place, column]);
      if (!element) return null;
      element.scrollIntoView({ block: "nearest", inline: "nearest" });
      const lead = this.grid.querySelector("thead > tr > :first-child").getBoundingClientRect();
      const hidden = lead.right - element.getBoundingClientRect().left;
      if (hidden > 0 && element.cellIndex > 0) this.box.scrollLeft -= hidden + 2;
      return element;
    }

    show(cell) {
      const row = this.get(cell, ROW);
      return this.reveal(this.shown.indexOf(row), this.get(cell, COLUMN));
    }

    go(place, column) {
      const old = this.element(this.active);
      if (old) old.tabIndex = -1;
      this.active = [Math.max(0, Math.min(place, this.shown.length - 1)), Math.max(0, Math.min(column, this.width - 1))];
      const cell = this.reveal(...this.active);
      if (!cell) return;
      cell.tabIndex = 0;
      cell.focus({ preventScroll: true });
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
      tell(this, Number(element.dataset.c));
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
  let showAllCells = () => {};
  if (holder) {
    const tools = holder.querySelector(".stays");
    new ResizeObserver(() => holder.style.setProperty("--stays", `${tools.offsetHeight}px`)).observe(tools);
    holder.addEventListener("click", (event) => {
      const cell = event.target.closest("td[data-p]");
      const table = cell && tableOf(event);
      if (!table) return;
      table.go(...cell.dataset.p.split(",").map(Number));
      table.open(table.element(table.active));
    });
    holder.addEventListener("keydown", (event) => tableOf(event)?.key(event));
    const total = tables.reduce((sum, table) => sum + table.size, 0);
    const search = byId("cell-search"), before = byId("cell-before"), after = byId("cell-after");
    let found = [], at = -1, left = total;
    const label = () => {
      byId("cell-count").value = left === total ? `${count(total)} cells` : `${count(left)} of ${count(total)} cells`;
      byId("cell-at").textContent = found.length > 1 ? `${count(at + 1)}/${count(found.length)}` : "";
      before.hidden = after.hidden = found.length < 2;
    };
    // The match that is walked to is brought into view in both directions, while the reader keeps the focus.
    const walk = (step) => {
      const old = found[at]?.[0];
      at = (at + step + found.length) % found.length;
      const [table, cell] = found[at];
      if (old) { old.current = -1; if (old !== table) old.again(); }
      table.current = cell;
      table.again();
      table.show(cell);
      label();
    };
    const refilter = () => {
      const chosen = statuses.size ? data.statuses.map(([name]) => statuses.has(name)) : null;
      const wanted = terms(search), was = found[at];
      left = 0;
      found = [];
      for (const table of tables) {
        table.current = -1;
        left += table.filter(chosen, wanted);
        table.matching?.forEach((has, cell) => { if (has) found.push([table, cell]); });
      }
      at = -1;
      label();
      if (found.length) walk(1);
      // Without a filter the last match stays in view, among its neighbours.
      else if (was && left === total) { was[0].current = was[1]; was[0].again(); was[0].show(was[1]); }
    };
    const statuses = toggles(byId("cell-chips"), "status", refilter);
    showAllCells = () => {
      if (!statuses.size && !search.value) return;
      statuses.clear();
      for (const chip of byId("cell-chips").children) chip.setAttribute("aria-pressed", "false");
      search.value = "";
      found = [];
      refilter();
    };
    search.addEventListener("input", soon(refilter));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && found.length) walk(event.shiftKey ? -1 : 1);
    });
    before.addEventListener("click", () => walk(-1));
    after.addEventListener("click", () => walk(1));
    beside?.addEventListener("click", () => {
      beside.ariaPressed = String(beside.ariaPressed !== "true");
      for (const table of tables) table.again();
    });
    byId("cell-export").addEventListener("click", () => {
      const quoted = (value) => {
        const plain = String(value).replaceAll("\n", "; ");
        // A spreadsheet must not take text for a formula; numbers stay numbers.
        const formula = /^[=@\t\r]/.test(plain) || (/^[+-]/.test(plain) && Number.isNaN(Number(plain)));
        return `"${(formula ? "'" : "") + plain.replaceAll('"', '""')}"`;
      };
      const lines = [["table", "row", "column", "printed", "given", "word", "status", "source", "line", ...data.fields]];
      for (const table of tables) {
        for (let cell = 0; cell < table.size; cell++) {
          if (table.matching && !table.matching[cell]) continue;
          lines.push([table.label, table.rowOf(cell), table.columns[table.get(cell, COLUMN)], table.printed(cell),
            table.of(cell, GIVEN), data.statuses[table.get(cell, STATUS)][4], data.statuses[table.get(cell, STATUS)][0], table.of(cell, SOURCE), table.get(cell, LINE) || "",
            ...data.fields.map((_, place) => table.of(cell, FIELDS + place))]);
        }
      }
      save("cells.csv", "text/csv", lines.map((line) => line.map(quoted).join(",")).join("\n") + "\n");
    });
    label();
  }

  // Decisions: what a person accepts, rejects or notes of formulas, as a file that `check --decisions` takes.

  function save(name, kind, content) {
    const link = make("a", { href: URL.createObjectURL(new Blob([content], { type: kind })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href));
  }
  const choices = [...document.querySelectorAll("[data-formula]")];
  for (const row of choices) {
    const [chosen, next] = [row.querySelector("select"), row.querySelector("button")];
    const show = () => {
      const option = data.formulas[row.dataset.formula][3][Number(chosen.value)];
      row.querySelector(".formula").textContent = option === undefined ? "rejected" : option;
      row.classList.toggle("rejected", option === undefined);
    };
    chosen.addEventListener("change", show);
    if (next) next.addEventListener("click", () => {
      const count = data.formulas[row.dataset.formula][3].length;
      chosen.value = String(chosen.value === "reject" ? 0 : (Number(chosen.value) + 1) % count);
      show();
    });
  }
  for (const all of document.querySelectorAll("button[data-all]")) {
    all.addEventListener("click", () => {
      for (const chosen of all.closest("section").querySelectorAll("select")) {
        chosen.value = all.dataset.all;
        chosen.dispatchEvent(new Event("change"));
      }
    });
  }
  byId("decisions")?.addEventListener("click", () => {
    const decisions = choices.map((row) => {
      const [table, kind, subject, options] = data.formulas[row.dataset.formula];
      const chosen = row.querySelector("select").value;
      const said = chosen === "reject" ? "reject" : "accept";
      return { table, kind, subject, decision: said, formula: said === "accept" ? options[Number(chosen)] : "",
        note: row.querySelector("input").value.trim() };
    });
    save("decisions.json", "application/json", JSON.stringify({ decisions }, null, 2) + "\n");
  });

  // Addresses: every cell, finding and check has one, and the bar of the browser shows it.

  const bar = document.querySelector(".bar");
  new ResizeObserver(() => bar.style.setProperty("--bar", `${bar.offsetHeight}px`)).observe(bar);
  const cellLink = (table, cell) => `#cell=${encodeURIComponent(table.address(cell))}`;
  const named = (hash) => history.replaceState(null, "", location.href.split("#")[0] + hash);
  function land(element, block = "start") {
    for (let one = element.parentElement; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
    // Again in the next frames: what is drawn on the way may still move what stands below it.
    let left = 4;
    const again = () => { element.scrollIntoView({ block }); if (--left) requestAnimationFrame(again); };
    again();
  }
  function follow() {
    let hash = location.hash.slice(1);
    try { hash = decodeURIComponent(hash); } catch { return; }
    if (hash.startsWith("cell=")) {
      const wanted = hash.slice(5);
      for (const table of tables) {
        for (let cell = 0; cell < table.size; cell++) {
          if (table.address(cell) !== wanted) continue;
          showAllCells();
          land(table.section);
          requestAnimationFrame(() => requestAnimationFrame(() => {
            table.go(table.shown.indexOf(table.get(cell, ROW)), table.get(cell, COLUMN));
            tell(table, cell);
          }));
          return;
        }
      }
    } else if (/^finding-\d+$/.test(hash)) showFinding(Number(hash.slice(8)) - 1);
    else if (hash && byId(hash)) {
      if (/^table-\d+$/.test(hash)) showAllCells();
      land(byId(hash));
    }
  }
  const leave = () => { goBack = null; dialog.close(); follow(); };
  addEventListener("hashchange", leave);
  // A link to where one is already says so again.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) { event.preventDefault(); leave(); }
  });

  // Lineage

  const dialog = byId("lineage");
  let goBack = null;

  function tell(table, cell) {
    const [status, family, sign, definition, word] = data.statuses[table.get(cell, STATUS)];
    const address = table.address(cell);
    byId("lineage-title").textContent = address;
    const body = byId("lineage-body");
    const given = table.of(cell, GIVEN);
    const compared = make("dl", { class: "compared" },
      make("div", {}, make("dt", {}, "Printed"), make("dd", {}, table.printed(cell))));
    if (given || family === "absent") {
      compared.append(make("div", {}, make("dt", {}, "Given by records or results"), make("dd", {}, given || "nothing")));
    }
    const list = make("dl", { class: "lineage" });
    const add = (name, ...content) => list.append(make("div", {}, make("dt", {}, name), make("dd", {}, ...content)));
    const about = findingsOf(table.number, cell);
    if (about.length) {
      add("Findings", make("ul", {}, ...about.map((number) => make("li", {},
        make("a", { href: `#finding-${number + 1}` }, text[data.findings[number][3]])))));
    }
    data.fields.forEach((name, place) => {
      const [first, ...more] = table.of(cell, FIELDS + place).split("\n");
      const code = name === "Recipe" || name === "Printed at";
      const rest = name === "Formula" ? more.map((one) => make("span", { class: "what soft" }, one))
        : more.length ? [make("ul", {}, ...more.map((one) => make("li", {}, one)))] : [];
      if (first) add(name, code ? make("code", {}, first) : first, ...rest);
    });
    if (data.command) add("On the command line", make("code", {}, data.command.replace("{}", () => address)));
    add("Link", make("a", { href: cellLink(table, cell) }, "to this cell"));
    body.replaceChildren(
      make("p", { class: `badge fam-${family}` }, make("span", { "aria-hidden": "true" }, sign), ` ${word}: ${status}`),
      make("p", { class: "soft" }, definition), compared, list);
    goBack = () => table.element(table.active);
    named(cellLink(table, cell));
    dialog.showModal();
    body.scrollTop = 0;
  }
  byId("lineage-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => {
    if (location.hash.startsWith("#cell=")) named("");
    goBack?.()?.focus({ preventScroll: true });
  });

  // Findings: by cause, each list drawn when it is opened, a hundred at a time.

  const SEVERITIES = [["error", "✗"], ["warning", "!"], ["note", "i"]];
  const PAGE = 100;
  const FOLDED = new Set(["assumes", "perhaps", "to ask"]);
  const PROSE = new Set([...FOLDED, "because", "evidence", "sentence"]);
  const findings = data.findings;
  const list = byId("finding-list");
  let showFinding = () => {}, drawFindings = () => {}, ofCell = null;
  function findingsOf(table, cell) {
    if (!ofCell) {
      ofCell = new Map();
      findings.forEach(([, , , , , cells], number) => {
        for (let place = 0; place < cells.length; place += 2) {
          const key = `${cells[place]},${cells[place + 1]}`;
          ofCell.set(key, [...(ofCell.get(key) || []), number]);
        }
      });
    }
    return ofCell.get(`${table},${cell}`) || [];
  }

  if (list) {
    const search = byId("finding-search"), only = byId("finding-check");
    const hays = new Array(findings.length);
    const hay = (number) => hays[number] ??= [data.causes[findings[number][1]][0], ...findings[number].slice(2, 4), ...findings[number][4]]
      .map((one) => text[one]).join("\n").toLowerCase();

    const item = (number) => {
      const [severity, cause, place, message, facts, cells] = findings[number];
      const [word, sign] = SEVERITIES[severity], check = text[data.causes[cause][0]];
      const entry = make("li", { class: `finding sev-${word}`, id: `finding-${number + 1}` },
        make("p", { class: "top" }, make("span", { class: `sign sev-${word}`, "aria-hidden": "true" }, sign),
          make("span", { class: "word" }, word), make("code", {}, text[place]),
          make("a", { class: "own", href: `#finding-${number + 1}`, "aria-label": `Link to finding ${number + 1}` }, `#${number + 1}`)),
        make("p", {}, text[message]));
      const told = make("dl"), folded = make("dl");
      for (let one = 0; one < facts.length; one += 2) {
        const name = text[facts[one]];
        (FOLDED.has(name) ? folded : told).append(make("div", {}, make("dt", {}, name),
          make("dd", {}, ...text[facts[one + 1]].split("\n").map((line) => make(PROSE.has(name) ? "p" : "code", {}, line)))));
      }
      if (told.children.length) entry.append(told);
      if (folded.children.length) entry.append(make("details", { class: "more" }, make("summary", { class: "soft" }, "What it assumes, and what to ask"), folded));
      const links = make("p", { class: "links" });
      for (let one = 0; one < Math.min(cells.length, 16); one += 2) {
        const table = tables[cells[one]];
        links.append(make("a", { href: cellLink(table, cells[one + 1]) }, cells.length === 2 ? "Show the cell" : table.address(cells[one + 1])));
      }
      if (byId(`check-${check}`)) links.append(make("a", { href: `#check-${check}` }, check));
      if (links.children.length) entry.append(links);
      return entry;
    };

    // Errors are open; where there are none, warnings.
    const worst = Math.min(1, ...findings.map((one) => one[0]));
    class Cause {
      constructor([check, title, parent, undecided], number) {
        Object.assign(this, { check, parent, number, left: [], drawn: 0 });
        this.all = [];
        findings.forEach((one, place) => { if (one[1] === number) this.all.push(place); });
        this.leads = this.all.some((place) => findings[place][0] === worst);
        const word = SEVERITIES[Math.min(...this.all.map((place) => findings[place][0]), 2)];
        this.count = make("span", { class: "count" });
        this.follows = make("span", { class: "soft" });
        this.undecided = undecided;
        this.list = make("ol", { class: "items" });
        this.more = make("button", { type: "button", hidden: "" });
        this.element = make("details", { class: `cause sev-${word[0]}${parent >= 0 ? " follows" : ""}` },
          make("summary", {}, make("span", { class: "sign", "aria-hidden": "true" }, word[1]), make("strong", {}, text[title]), " ",
            make("code", { class: "soft" }, text[check]), " ", this.count, " ", this.follows),
          this.list, this.more);
        this.element.addEventListener("toggle", () => { if (this.element.open && !this.drawn) this.draw(PAGE); });
        this.more.addEventListener("click", () => {
          const next = this.drawn;
          this.draw(this.drawn + PAGE);
          this.list.children[next]?.setAttribute("tabindex", "-1");
          this.list.children[next]?.focus();
        });
      }
      draw(upTo) {
        const rows = document.createDocumentFragment();
        for (; this.drawn < Math.min(upTo, this.left.length); this.drawn++) rows.append(item(this.left[this.drawn]));
        this.list.append(rows);
        const rest = this.left.length - this.drawn;
        this.more.hidden = rest <= 0;
        this.more.textContent = `Show ${count(Math.min(PAGE, rest))} more of ${count(rest)}`;
      }
      keep(left, filtered, below) {
        this.left = left;
        this.drawn = 0;
        this.list.replaceChildren();
        this.element.hidden = !left.length && !below;
        this.count.textContent = `${count(left.length)} ${left.length === 1 ? "finding" : "findings"}`;
        const told = [below && `${count(below)} more may follow from it`, this.undecided && `${count(this.undecided)} checks wait for it`];
        this.follows.textContent = told.filter(Boolean).join(", ");
        const open = filtered || (this.parent < 0 && (this.leads || data.causes.length === 1));
        this.element.open = open;
        if (open) this.draw(PAGE);
      }
    }
    const causes = data.causes.map((one, number) => new Cause(one, number));
    for (const one of causes) (one.parent >= 0 ? causes[one.parent].element : list).append(one.element);
    for (const one of causes) {
      if (one.all.length) only.append(make("option", { value: one.number }, `${text[one.check]} (${count(one.all.length)})`));
    }

    const refilter = () => {
      const wanted = terms(search), chosen = only.value === "" ? null : Number(only.value);
      const filtered = wanted.length > 0 || chosen !== null || severities.size > 0;
      const left = causes.map((one) => one.all.filter((number) => (!severities.size || severities.has(SEVERITIES[findings[number][0]][0]))
        && (chosen === null || one.number === chosen) && (!wanted.length || matches(hay(number), wanted))));
      const below = causes.map(() => 0);
      causes.forEach((one, number) => { if (one.parent >= 0) below[one.parent] += left[number].length; });
      causes.forEach((one, number) => one.keep(left[number], filtered && (left[number].length > 0 || below[number] > 0), below[number]));
      const sum = left.reduce((total, one) => total + one.length, 0), all = count(findings.length);
      const noun = findings.length === 1 ? "finding" : "findings";
      byId("finding-count").value = sum === findings.length ? `${all} ${noun}` : `${count(sum)} of ${all} ${noun}`;
      if (filtered && sum) list.querySelector("li.finding")?.scrollIntoView({ block: "nearest" });
    };
    const severities = toggles(byId("finding-chips"), "severity", refilter);
    const reset = (value) => {
      severities.clear();
      for (const chip of byId("finding-chips").children) chip.setAttribute("aria-pressed", "false");
      search.value = "";
      only.value = value;
      refilter();
    };
    search.addEventListener("input", soon(refilter));
    only.addEventListener("change", refilter);
    document.addEventListener("click", (event) => {
      const check = event.target.closest("a[data-check]")?.dataset.check;
      if (check) reset(String(causes.find((one) => text[one.check] === check && one.all.length)?.number ?? ""));
    });
    showFinding = (number) => {
      if (!findings[number]) return;
      if (!byId(`finding-${number + 1}`)) reset("");
      const cause = causes[findings[number][1]];
      cause.element.open = true;
      cause.draw(cause.left.indexOf(number) + 1);
      const element = byId(`finding-${number + 1}`);
      element.setAttribute("tabindex", "-1");
      element.focus({ preventScroll: true });
      land(element);
    };
    drawFindings = () => { for (const one of causes) one.draw(1000); };
    refilter();
  }

  // On paper everything stands open; afterwards all is as it was.

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = Array.from(document.querySelectorAll("details:not([open]):not(.numbers)"));
    for (const one of closed) one.open = true;
    for (const table of tables) if (!table.section.hidden) table.draw(true);
    drawFindings();
  });
  addEventListener("afterprint", () => {
    for (const one of closed) one.open = false;
    for (const table of tables) if (table.long && table.grid) table.draw();
  });

  if (location.hash) follow();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
})();
