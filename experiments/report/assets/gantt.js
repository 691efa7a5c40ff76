/* The Gantt chart in use: what is read, what the pointer and the keys do, and the controls. */
"use strict";

const Gantt = (() => {
  const {
    state, element, COLOURINGS, MOST_JOBS, DAY, LEFT, TITLE, CHART, panelHeight, width, toTime, setSpan, zoom, pan,
    moment, lasting, request, resize, tell,
  } = GanttDraw;
  const documents = {};
  const read = {};

  // ── Reading ───────────────────────────────────────────────────────────────────────────────────────────────────

  function source(name) {
    if (!documents[name]) documents[name] = JSON.parse(document.getElementById(`gantt-data-${name}`).textContent);
    return documents[name];
  }

  async function load(name, labels) {
    const data = source(name);
    if (!read[name]) {
      for (const other of Object.keys(read)) delete read[other];
      read[name] = { jobs: await GanttData.readCase(data), cells: {} };
    }
    const { jobs, cells } = read[name];
    for (const label of labels) {
      if (!cells[label]) {
        const found = data.cells.find((cell) => cell.label === label);
        cells[label] = await GanttData.readCell(jobs, found);
      }
    }
    return { data, jobs, cells: labels.map((label) => cells[label]) };
  }

  /** Show what the controls say; keeps the span where the case stays the same. */
  async function show() {
    const name = element("case").value;
    const labels = [element("above").value, element("below").value].filter((label) => label);
    tell(`reading ${labels.join(" and ")} …`);
    const { data, jobs, cells } = await load(name, labels);
    const fresh = state.name !== name;
    Object.assign(state, { name, jobs, capacity: data.capacity, unix: data.unix, hover: null });
    state.unixOrigin = data.unix === null ? null : data.unix + data.origin;
    state.panels = cells.map((cell, place) => ({ cell, label: labels[place], title: data.title }));
    state.last = Math.max(...cells.map((cell) => cell.end[cell.byEnd[cell.byEnd.length - 1]]), 1);
    recolour();
    if (fresh) setSpan(0, state.last);
    else setSpan(state.from, state.to);
    resize();
  }

  function recolour() {
    const colouring = COLOURINGS[element("colour").value];
    for (const panel of state.panels) {
      const { cell } = panel;
      const classOf = new Uint8Array(cell.start.length);
      for (let i = 0; i < classOf.length; i++) classOf[i] = colouring.of(state.jobs, cell, i, state.capacity);
      panel.classOf = classOf;
      panel.steps = GanttData.byClass(state.jobs, cell, classOf, colouring.colours.length);
    }
    state.backdrop = null;
    legend(colouring);
    request();
  }

  function legend(colouring) {
    const list = element("legend");
    list.replaceChildren();
    colouring.names.forEach((name, i) => {
      const item = document.createElement("li");
      const swatch = document.createElement("span");
      swatch.style.background = `var(--${colouring.colours[i]})`;
      item.append(swatch, name);
      list.append(item);
    });
    if (!colouring.names.length) list.append("a colour each for users whose numbers differ by less than eight");
  }

  // ── Pointing ──────────────────────────────────────────────────────────────────────────────────────────────────

  function point(event) {
    const box = state.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  function jobAt({ x, y }) {
    const place = Math.floor(y / panelHeight);
    const panel = state.panels[place];
    if (!panel || !panel.seen || x < LEFT) return null;
    const lane = ((place * panelHeight + TITLE + CHART - y) / CHART) * state.capacity;
    const time = toTime(x), slack = ((state.to - state.from) / width()) * 1.5;
    const { pieces } = panel.cell;
    for (const k of panel.seen) {
      if (pieces.low[k] <= lane && lane < pieces.low[k] + pieces.count[k] &&
          pieces.from[k] - slack <= time && time < pieces.to[k] + slack) return { panel, job: pieces.job[k] };
    }
    return null;
  }

  function hover(event) {
    const at = point(event);
    const found = jobAt(at);
    const tip = element("tip");
    const job = found ? found.job : null;
    if (job !== state.hover) {
      state.hover = job;
      request();
    }
    tip.hidden = !found;
    if (!found) return;
    const { jobs } = state;
    const lines = [`job ${jobs.id[job]}`, `${jobs.procs[job].toLocaleString("en")} processors`];
    if (jobs.user[job] >= 0) lines[0] += `, user ${jobs.user[job]}`;
    lines.push(`submitted ${moment(jobs.submit[job])}`);
    for (const panel of state.panels) {
      lines.push(`${panel.label}: starts ${moment(panel.cell.start[job])}, waits ${lasting(panel.cell.wait[job])}`);
    }
    lines.push(`runs ${lasting(jobs.runtime[job])} of ${lasting(jobs.walltime[job])}`);
    tip.textContent = lines.join("\n");
    const right = at.x > state.canvas.clientWidth / 2;
    tip.style.left = right ? "auto" : `${at.x + 14}px`;
    tip.style.right = right ? `${state.canvas.clientWidth - at.x + 14}px` : "auto";
    tip.style.top = `${state.canvas.offsetTop + at.y + 14}px`;
  }

  function listenToPointer() {
    state.canvas.addEventListener("wheel", (event) => {
      // Where nobody has asked for the chart, the wheel scrolls the page.
      if (document.activeElement !== state.canvas && !event.ctrlKey) return;
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan((event.deltaX || event.deltaY) / 800);
      else zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) * 0.003), toTime(point(event).x));
    }, { passive: false });
    state.canvas.addEventListener("pointerdown", (event) => {
      state.drag = { x: event.clientX, from: state.from, to: state.to };
      state.canvas.setPointerCapture(event.pointerId);
    });
    state.canvas.addEventListener("pointermove", (event) => {
      if (!state.drag) return hover(event);
      element("tip").hidden = true;
      const length = state.drag.to - state.drag.from;
      const from = state.drag.from - ((event.clientX - state.drag.x) / width()) * length;
      const inside = Math.min(Math.max(from, 0), state.last - length);
      return setSpan(inside, inside + length);
    });
    for (const over of ["pointerup", "pointercancel"]) state.canvas.addEventListener(over, () => { state.drag = null; });
    state.canvas.addEventListener("pointerleave", () => {
      element("tip").hidden = true;
      state.hover = null;
      request();
    });
    state.canvas.addEventListener("dblclick", (event) => zoom(0.25, toTime(point(event).x)));
    const jump = (event) => {
      if (!event.buttons) return;
      const box = state.overview.getBoundingClientRect();
      const middle = ((event.clientX - box.left - LEFT) / width()) * state.last;
      const half = (state.to - state.from) / 2;
      const from = Math.min(Math.max(middle - half, 0), state.last - 2 * half);
      setSpan(from, from + 2 * half);
    };
    state.overview.addEventListener("pointerdown", jump);
    state.overview.addEventListener("pointermove", jump);
  }

  function listenToKeys() {
    const acts = {
      ArrowLeft: () => pan(-0.1), ArrowRight: () => pan(0.1), PageUp: () => pan(-0.9), PageDown: () => pan(0.9),
      "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: () => setSpan(0, state.last),
      Home: () => setSpan(0, state.to - state.from),
      End: () => setSpan(state.last - (state.to - state.from), state.last),
    };
    state.canvas.addEventListener("keydown", (event) => {
      if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      acts[event.key]();
    });
  }

  // ── Controls ──────────────────────────────────────────────────────────────────────────────────────────────────

  function options(select, values, chosen) {
    select.replaceChildren(...values.map(([value, text]) => new Option(text, value, false, value === chosen)));
  }

  function choices() {
    const data = source(element("case").value);
    const labels = data.cells.map((cell) => cell.label);
    const above = labels.includes(data.above) ? data.above : labels[0];
    const planned = labels.includes(data.below) ? data.below : labels[1] || "";
    options(element("above"), labels.map((label) => [label, label]), above);
    options(element("below"), [["", "nothing"], ...labels.map((label) => [label, label])], planned === above ? "" : planned);
  }

  function failed(error) {
    tell(`The jobs cannot be shown: ${error.message}. This needs a browser of 2023 or later.`);
    throw error;
  }

  function start() {
    state.canvas = element("canvas");
    if (!state.canvas) return;
    state.overview = element("overview");
    element("case").addEventListener("change", () => { choices(); show().catch(failed); });
    for (const id of ["above", "below"]) element(id).addEventListener("change", () => show().catch(failed));
    element("colour").addEventListener("change", recolour);
    for (const id of ["from", "to"]) {
      element(id).addEventListener("change", () => {
        const texts = ["from", "to"].map((name) => element(name).value);
        const [from, to] = texts.map((text) => Number(text) * DAY);
        if (texts.every((text) => text) && to > from) setSpan(from, to);
      });
    }
    element("in").addEventListener("click", () => zoom(0.5));
    element("out").addEventListener("click", () => zoom(2));
    element("fit").addEventListener("click", () => setSpan(0, state.last));
    listenToPointer();
    listenToKeys();
    window.addEventListener("resize", resize);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", resize);
    document.addEventListener("themechange", resize);
    for (const name of ["beforeprint", "afterprint"]) {
      window.addEventListener(name, () => {
        document.documentElement.classList.toggle("printing", name === "beforeprint");
        resize();
      });
    }
    choices();
    // The jobs are read when the page stands, so that it opens at once.
    requestAnimationFrame(() => setTimeout(() => show().catch(failed), 50));
  }

  return { start, setSpan, state, MOST_JOBS };
})();

Gantt.start();
