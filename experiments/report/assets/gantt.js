/* The Gantt chart: one canvas, one or two policies, any span of time.

   Single jobs are drawn where few enough are seen; otherwise each column of pixels shows how many processors were in
   use, by class of jobs, which is exact and costs the same whatever the number of jobs. */
"use strict";

const Gantt = (() => {
  /** Jobs that are drawn one by one, at most, in each panel. */
  const MOST_JOBS = 6000;
  const LEFT = 58, RIGHT = 10, TITLE = 20, CHART = 230, QUEUE = 44, GAP = 8, AXIS = 26;
  const HOUR = 3600, DAY = 86400;
  const WAITS = [60, HOUR, 6 * HOUR, DAY], RUNS = [600, HOUR, 6 * HOUR, DAY];
  const SEQUENCE = ["g0", "g1", "g2", "g3", "g4"];
  const USERS = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];
  const COLOURINGS = {
    wait: {
      names: ["waited < 1 min", "< 1 h", "< 6 h", "< 1 d", "longer"], colours: SEQUENCE,
      of: (jobs, cell, i) => rank(WAITS, cell.wait[i]),
    },
    size: {
      names: ["1 processor", "≤ 1/16 of the machine", "≤ 1/4", "≤ 1/2", "more"], colours: SEQUENCE,
      of: (jobs, cell, i, capacity) => {
        const share = jobs.procs[i] / capacity;
        return jobs.procs[i] === 1 ? 0 : share <= 1 / 16 ? 1 : share <= 1 / 4 ? 2 : share <= 1 / 2 ? 3 : 4;
      },
    },
    runtime: {
      names: ["ran < 10 min", "< 1 h", "< 6 h", "< 1 d", "longer"], colours: SEQUENCE,
      of: (jobs, cell, i) => rank(RUNS, jobs.runtime[i]),
    },
    user: {
      names: [], colours: USERS, of: (jobs, cell, i) => (jobs.user[i] < 0 ? 7 : jobs.user[i] % 8),
    },
  };

  const element = (id) => document.getElementById(`gantt-${id}`);
  const rank = (limits, value) => limits.filter((limit) => value >= limit).length;
  const documents = {};
  const read = {};
  const state = {
    name: null, jobs: null, capacity: 1, unix: null, panels: [], from: 0, to: 1, first: 0, last: 1,
    hover: null, drag: null, colours: null, frame: 0, drawn: 0,
  };
  let canvas, pen, overview, backdrop = null;

  // ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────────

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
        cells[label] = await GanttData.readCell(jobs, data.capacity, found.wait);
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
    backdrop = null;
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

  // ── Time ─────────────────────────────────────────────────────────────────────────────────────────────────────

  function setSpan(from, to) {
    const length = Math.min(Math.max(to - from, 10), state.last);
    from = Math.min(Math.max(from, 0), state.last - length);
    state.from = from;
    state.to = from + length;
    element("from").value = (from / DAY).toFixed(3);
    element("to").value = (state.to / DAY).toFixed(3);
    request();
  }

  function zoom(factor, at = (state.from + state.to) / 2) {
    setSpan(at - (at - state.from) * factor, at + (state.to - at) * factor);
  }

  const pan = (share) => {
    const shift = share * (state.to - state.from);
    const bounded = Math.min(Math.max(shift, -state.from), state.last - state.to);
    setSpan(state.from + bounded, state.to + bounded);
  };

  const pad = (value) => String(value).padStart(2, "0");

  /** A moment: date and time where the log tells its calendar, else the day since the first submission. */
  function moment(seconds, step = 1) {
    seconds = Math.round(seconds);
    if (state.unixOrigin !== null) {
      const text = new Date((state.unixOrigin + seconds) * 1000).toISOString();
      return step >= DAY ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, step >= 60 ? 16 : 19)}`;
    }
    const day = Math.floor(seconds / DAY), rest = seconds - day * DAY;
    if (step >= DAY) return `day ${day.toLocaleString("en")}`;
    const clock = `${pad(Math.floor(rest / HOUR))}:${pad(Math.floor((rest % HOUR) / 60))}`;
    return `day ${day.toLocaleString("en")}, ${clock}${step < 60 ? `:${pad(rest % 60)}` : ""}`;
  }

  function lasting(seconds) {
    for (const [name, length] of [["d", DAY], ["h", HOUR], ["min", 60]]) {
      if (seconds >= 2 * length) return `${(seconds / length).toFixed(1)} ${name}`;
    }
    return `${Math.round(seconds)} s`;
  }

  const STEPS = [1, 5, 15, 60, 300, 900, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY,
    30 * DAY, 60 * DAY, 120 * DAY, 360 * DAY, 720 * DAY];

  function ticks(width) {
    const most = Math.max(2, Math.floor(width / 130));
    const step = STEPS.find((length) => (state.to - state.from) / length <= most) || 3600 * DAY;
    const times = [];
    for (let at = Math.ceil(state.from / step) * step; at <= state.to; at += step) times.push(at);
    return { step, times };
  }

  // ── Drawing ──────────────────────────────────────────────────────────────────────────────────────────────────

  function palette() {
    if (state.colours) return state.colours;
    const probe = element("status");
    const before = probe.style.color;
    const names = ["ink", "faint", "grid", "paper", "panel", ...SEQUENCE, ...USERS];
    state.colours = {};
    for (const name of names) {
      probe.style.color = `var(--${name})`;
      state.colours[name] = getComputedStyle(probe).color;
    }
    probe.style.color = before;
    return state.colours;
  }

  const width = () => canvas.clientWidth - LEFT - RIGHT;
  const panelHeight = TITLE + CHART + GAP + QUEUE + GAP;
  const toX = (time) => LEFT + ((time - state.from) / (state.to - state.from)) * width();
  const toTime = (x) => state.from + ((x - LEFT) / width()) * (state.to - state.from);

  function request() {
    if (!state.frame) state.frame = requestAnimationFrame(draw);
  }

  function sharpen(target, height) {
    const ratio = window.devicePixelRatio || 1;
    target.style.height = `${height}px`;
    target.width = Math.round(target.clientWidth * ratio);
    target.height = Math.round(height * ratio);
    const context = target.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
  }

  function resize() {
    state.colours = null;
    backdrop = null;
    if (!state.panels.length) return;
    pen = sharpen(canvas, state.panels.length * panelHeight + AXIS);
    // At once: a printer does not wait for the next frame.
    if (state.frame) cancelAnimationFrame(state.frame);
    draw();
  }

  function draw() {
    state.frame = 0;
    if (!state.panels.length || width() < 10) return;
    const began = performance.now();
    const colours = palette();
    pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    pen.font = "12px system-ui, sans-serif";
    state.drawn = 0;
    const modes = state.panels.map((panel, place) => drawPanel(panel, place * panelHeight, colours));
    drawAxis(colours);
    drawOverview(colours);
    const told = modes[0] === "jobs" ? "single jobs" : "processors in use by class of jobs: zoom in to see single jobs";
    tell(`${moment(state.from, 60)} to ${moment(state.to, 60)}; ${told}`);
    Object.assign(canvas.dataset, {
      mode: modes.join(" "), rectangles: state.drawn, milliseconds: (performance.now() - began).toFixed(2),
      from: state.from, to: state.to, last: state.last, frames: Number(canvas.dataset.frames || 0) + 1,
    });
  }

  function drawPanel(panel, top, colours) {
    pen.fillStyle = colours.ink;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillText(`${panel.label} – ${panel.title}`, LEFT, top + TITLE / 2);
    const chart = top + TITLE;
    pen.fillStyle = colours.panel;
    pen.fillRect(LEFT, chart, width(), CHART);
    pen.fillRect(LEFT, chart + CHART + GAP, width(), QUEUE);
    panel.seen = GanttData.visible(panel.cell.pieces, state.from, state.to, MOST_JOBS);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, top, width(), panelHeight);
    pen.clip();
    if (panel.seen) drawJobs(panel, chart, colours);
    else drawLevels(panel, chart, colours);
    drawQueue(panel, chart + CHART + GAP, colours);
    pen.restore();
    pen.fillStyle = colours.faint;
    pen.textAlign = "right";
    for (const procs of [0, Math.round(state.capacity / 2), state.capacity]) {
      pen.fillText(procs.toLocaleString("en"), LEFT - 6, chart + CHART - (procs / state.capacity) * CHART);
    }
    pen.fillText("waiting", LEFT - 6, chart + CHART + GAP + QUEUE - 8);
    return panel.seen ? "jobs" : "levels";
  }

  function drawJobs(panel, top, colours) {
    const { pieces } = panel.cell;
    const names = COLOURINGS[element("colour").value].colours;
    const unit = CHART / state.capacity;
    const hovered = state.hover === null ? -1 : state.hover;
    for (let c = 0; c < names.length; c++) {
      pen.fillStyle = colours[names[c]];
      for (const k of panel.seen) {
        if (panel.classOf[pieces.job[k]] !== c) continue;
        const x = Math.max(toX(pieces.from[k]), LEFT - 2);
        const wide = Math.min(toX(pieces.to[k]), LEFT + width() + 2) - x;
        const tall = pieces.count[k] * unit;
        const y = top + CHART - pieces.low[k] * unit - tall;
        // A hair's breadth between neighbours, where there is room for one.
        pen.fillRect(x, y + (tall > 3 ? 0.5 : 0), Math.max(wide > 3 ? wide - 0.7 : wide, 0.6), tall > 3 ? tall - 0.5 : tall);
        state.drawn++;
      }
    }
    if (hovered < 0) return;
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 2;
    for (const k of panel.seen) {
      if (pieces.job[k] !== hovered) continue;
      const tall = pieces.count[k] * unit;
      pen.strokeRect(toX(pieces.from[k]), top + CHART - pieces.low[k] * unit - tall, toX(pieces.to[k]) - toX(pieces.from[k]), tall);
    }
  }

  function drawLevels(panel, top, colours) {
    const names = COLOURINGS[element("colour").value].colours;
    const columns = Math.floor(width());
    const base = new Float64Array(columns);
    panel.steps.forEach((steps, c) => {
      pen.fillStyle = colours[names[c]];
      if (!steps.begun.times.length) return;
      for (let x = 0; x < columns; x++) {
        const used = GanttData.level(steps.begun, steps.ended, toTime(LEFT + x), toTime(LEFT + x + 1));
        const tall = (used / state.capacity) * CHART;
        if (tall < 0.05) continue;
        pen.fillRect(LEFT + x, top + CHART - base[x] - tall, 1, tall);
        base[x] += tall;
        state.drawn++;
      }
    });
  }

  function drawQueue(panel, top, colours) {
    const columns = Math.floor(width());
    const lengths = new Float64Array(columns);
    for (let x = 0; x < columns; x++) {
      lengths[x] = GanttData.level(panel.cell.submitted, panel.cell.started, toTime(LEFT + x), toTime(LEFT + x + 1));
    }
    const most = Math.max(1, lengths.reduce((a, b) => Math.max(a, b), 0));
    pen.fillStyle = colours.faint;
    for (let x = 0; x < columns; x++) {
      const tall = (lengths[x] / most) * (QUEUE - 4);
      if (tall < 0.05) continue;
      pen.fillRect(LEFT + x, top + QUEUE - tall, 1, tall);
      state.drawn++;
    }
    pen.textAlign = "right";
    const told = most < 10 ? most.toFixed(1) : Math.round(most).toLocaleString("en");
    pen.fillText(`up to ${told} jobs waiting`, LEFT + width(), top - GAP - CHART - TITLE / 2);
  }

  function drawAxis(colours) {
    const top = state.panels.length * panelHeight;
    const { step, times } = ticks(width());
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const time of times) {
      pen.fillStyle = colours.faint;
      pen.fillRect(toX(time) - 0.5, top - GAP, 1, 6);
      pen.fillStyle = colours.ink;
      const x = Math.min(Math.max(toX(time), LEFT + 40), LEFT + width() - 40);
      pen.fillText(moment(time, step), x, top + 8);
    }
  }

  /** The whole replay in a strip, with a window on what is shown. */
  function drawOverview(colours) {
    const height = 40;
    if (!backdrop) {
      const context = sharpen(overview, height);
      context.fillStyle = colours.panel;
      context.fillRect(LEFT, 0, width(), height);
      context.fillStyle = colours.faint;
      for (let x = 0; x < width(); x++) {
        let used = 0;
        for (const steps of state.panels[0].steps) {
          used += GanttData.level(steps.begun, steps.ended, (x / width()) * state.last, ((x + 1) / width()) * state.last);
        }
        context.fillRect(LEFT + x, height * (1 - used / state.capacity), 1, (height * used) / state.capacity);
      }
      backdrop = document.createElement("canvas");
      backdrop.width = overview.width;
      backdrop.height = overview.height;
      backdrop.getContext("2d").drawImage(overview, 0, 0);
    }
    const context = overview.getContext("2d");
    context.drawImage(backdrop, 0, 0, overview.clientWidth, height);
    const x = LEFT + (state.from / state.last) * width();
    const wide = Math.max(2, ((state.to - state.from) / state.last) * width());
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    context.strokeRect(x, 1, wide, height - 2);
  }

  function tell(text) {
    element("status").textContent = text;
  }

  // ── Pointing ─────────────────────────────────────────────────────────────────────────────────────────────────

  function point(event) {
    const box = canvas.getBoundingClientRect();
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
    const right = at.x > canvas.clientWidth / 2;
    tip.style.left = right ? "auto" : `${at.x + 14}px`;
    tip.style.right = right ? `${canvas.clientWidth - at.x + 14}px` : "auto";
    tip.style.top = `${canvas.offsetTop + at.y + 14}px`;
  }

  function listenToPointer() {
    canvas.addEventListener("wheel", (event) => {
      // Where nobody has asked for the chart, the wheel scrolls the page.
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan((event.deltaX || event.deltaY) / 800);
      else zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) * 0.003), toTime(point(event).x));
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      state.drag = { x: event.clientX, from: state.from, to: state.to };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!state.drag) return hover(event);
      element("tip").hidden = true;
      const length = state.drag.to - state.drag.from;
      const from = state.drag.from - ((event.clientX - state.drag.x) / width()) * length;
      const inside = Math.min(Math.max(from, 0), state.last - length);
      return setSpan(inside, inside + length);
    });
    for (const over of ["pointerup", "pointercancel"]) canvas.addEventListener(over, () => { state.drag = null; });
    canvas.addEventListener("pointerleave", () => {
      element("tip").hidden = true;
      state.hover = null;
      request();
    });
    canvas.addEventListener("dblclick", (event) => zoom(0.25, toTime(point(event).x)));
    const jump = (event) => {
      if (!event.buttons) return;
      const box = overview.getBoundingClientRect();
      const middle = ((event.clientX - box.left - LEFT) / width()) * state.last;
      const half = (state.to - state.from) / 2;
      const from = Math.min(Math.max(middle - half, 0), state.last - 2 * half);
      setSpan(from, from + 2 * half);
    };
    overview.addEventListener("pointerdown", jump);
    overview.addEventListener("pointermove", jump);
  }

  function listenToKeys() {
    const acts = {
      ArrowLeft: () => pan(-0.1), ArrowRight: () => pan(0.1), PageUp: () => pan(-0.9), PageDown: () => pan(0.9),
      "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: () => setSpan(0, state.last),
      Home: () => setSpan(0, state.to - state.from),
      End: () => setSpan(state.last - (state.to - state.from), state.last),
    };
    canvas.addEventListener("keydown", (event) => {
      if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      acts[event.key]();
    });
  }

  // ── Controls ─────────────────────────────────────────────────────────────────────────────────────────────────

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
    canvas = element("canvas");
    if (!canvas) return;
    overview = element("overview");
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
