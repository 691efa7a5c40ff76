/* Drawing the Gantt chart: one canvas, one or two policies, any span of time.

   Single jobs are drawn where few enough are seen; otherwise each column of pixels shows how many processors were in
   use, by class of jobs, which is exact and costs the same whatever the number of jobs. */
"use strict";

const GanttDraw = (() => {
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
  const state = {
    name: null, jobs: null, capacity: 1, unix: null, panels: [], from: 0, to: 1, first: 0, last: 1,
    hover: null, drag: null, colours: null, frame: 0, drawn: 0, most: 1,
    canvas: null, overview: null, backdrop: null,
  };
  let pen;

  // ── Time ──────────────────────────────────────────────────────────────────────────────────────────────────────

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

  /** Ticks at full hours, midnights and first days of months (UTC) where the log tells its calendar. */
  function ticks(width) {
    const room = (length) => (length < DAY || length >= 30 * DAY ? 64 : 90);  // pixels: hours and months are short
    const most = (length) => Math.max(2, Math.floor(width / room(length)));
    const step = STEPS.find((length) => (state.to - state.from) / length <= most(length)) || 3600 * DAY;
    const origin = state.unixOrigin === null ? 0 : state.unixOrigin;
    const times = [];
    if (state.unixOrigin !== null && step >= 30 * DAY) {
      const every = Math.round(step / (30 * DAY));
      const first = new Date((origin + state.from) * 1000);
      for (let month = 12 * first.getUTCFullYear() + first.getUTCMonth(); ; month++) {
        const at = Date.UTC(Math.floor(month / 12), month % 12) / 1000 - origin;
        if (at > state.to) break;
        if (at >= state.from && month % every === 0) times.push(at);
      }
    } else {
      for (let at = Math.ceil((state.from + origin) / step) * step - origin; at <= state.to; at += step) times.push(at);
    }
    return { step, times };
  }

  /** The texts of ticks: hours, with the date at midnight or at the first; dates; months. */
  function tickTexts(step, times) {
    if (state.unixOrigin === null) return times.map((time) => moment(time, step));
    const midnight = (time) => (state.unixOrigin + time) % DAY === 0;
    const dated = step >= DAY || times.some(midnight);
    return times.map((time, i) => {
      if (step >= 30 * DAY) return moment(time, DAY).slice(0, 7);
      if (step >= DAY || midnight(time)) return moment(time, DAY);
      const text = moment(time, step);
      return dated || i > 0 ? text.slice(11) : text;
    });
  }

  // ── Drawing ───────────────────────────────────────────────────────────────────────────────────────────────────

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

  const width = () => state.canvas.clientWidth - LEFT - RIGHT;
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
    state.backdrop = null;
    if (!state.panels.length) return;
    pen = sharpen(state.canvas, state.panels.length * panelHeight + AXIS);
    // At once: a printer does not wait for the next frame.
    if (state.frame) cancelAnimationFrame(state.frame);
    draw();
  }

  function draw() {
    state.frame = 0;
    if (!state.panels.length || width() < 10) return;
    const began = performance.now();
    const colours = palette();
    pen.clearRect(0, 0, state.canvas.clientWidth, state.canvas.clientHeight);
    pen.font = "12px system-ui, sans-serif";
    state.drawn = 0;
    const columns = Math.floor(width());
    for (const panel of state.panels) {
      const { submitted, started, queue } = panel.cell;
      const at = (x) => toTime(LEFT + x);
      panel.peaks = Float64Array.from({ length: columns }, (_, x) => queue.peak(at(x), at(x + 1)));
      // Rounding may lift a mean above its peak.
      panel.lengths = panel.peaks.map((peak, x) => Math.min(peak, GanttData.level(submitted, started, at(x), at(x + 1))));
      panel.most = panel.peaks.reduce((a, b) => Math.max(a, b), 0);
    }
    // One scale for all panels, so that their queues can be compared.
    state.most = Math.max(1, ...state.panels.map((panel) => panel.most));
    const modes = state.panels.map((panel, place) => drawPanel(panel, place * panelHeight, colours));
    drawAxis(colours);
    drawOverview(colours);
    const told = modes[0] === "jobs" ? "single jobs" : "processors in use by class of jobs: zoom in to see single jobs";
    const zone = state.unixOrigin === null ? "" : " (UTC)";
    tell(`${moment(state.from, 60)} to ${moment(state.to, 60)}${zone}; ${told}`);
    Object.assign(state.canvas.dataset, {
      mode: modes.join(" "), most: state.most, rectangles: state.drawn, milliseconds: (performance.now() - began).toFixed(2),
      from: state.from, to: state.to, last: state.last, frames: Number(state.canvas.dataset.frames || 0) + 1,
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
    pen.fillText(state.most.toLocaleString("en"), LEFT - 6, chart + CHART + GAP + 7);
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

  /** The number of waiting jobs: its mean in each column of pixels, and paler its peak. */
  function drawQueue(panel, top, colours) {
    pen.fillStyle = colours.faint;
    for (const [values, opacity] of [[panel.peaks, 0.35], [panel.lengths, 1]]) {
      pen.globalAlpha = opacity;
      for (let x = 0; x < values.length; x++) {
        const tall = (values[x] / state.most) * QUEUE;
        if (tall < 0.05) continue;
        pen.fillRect(LEFT + x, top + QUEUE - tall, 1, tall);
        state.drawn++;
      }
    }
    pen.globalAlpha = 1;
    pen.textAlign = "right";
    halo(`up to ${panel.most.toLocaleString("en")} jobs waiting`, LEFT + width() - 4, top + 8, colours);
  }

  /** A text that can be read on whatever is drawn. */
  function halo(text, x, y, colours) {
    pen.strokeStyle = colours.panel;
    pen.lineWidth = 4;
    pen.lineJoin = "round";
    pen.strokeText(text, x, y);
    pen.fillStyle = colours.ink;
    pen.fillText(text, x, y);
  }

  function drawAxis(colours) {
    const top = state.panels.length * panelHeight;
    const { step, times } = ticks(width());
    const texts = tickTexts(step, times);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    let taken = -Infinity;
    times.forEach((time, i) => {
      pen.fillStyle = colours.faint;
      pen.fillRect(toX(time) - 0.5, top - GAP, 1, 6);
      const half = pen.measureText(texts[i]).width / 2;
      const x = Math.min(Math.max(toX(time), LEFT + half), LEFT + width() - half);
      if (x - half < taken) return;
      taken = x + half + 8;
      pen.fillStyle = colours.ink;
      pen.fillText(texts[i], x, top + 8);
    });
    state.canvas.dataset.ticks = texts.join("|");
    if (state.unixOrigin === null) return;
    pen.fillStyle = colours.faint;
    pen.textAlign = "right";
    pen.fillText("UTC", LEFT - 6, top + 8);
  }

  /** The whole replay in a strip, with a window on what is shown. */
  function drawOverview(colours) {
    const height = 40;
    if (!state.backdrop) {
      const context = sharpen(state.overview, height);
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
      state.backdrop = document.createElement("canvas");
      state.backdrop.width = state.overview.width;
      state.backdrop.height = state.overview.height;
      state.backdrop.getContext("2d").drawImage(state.overview, 0, 0);
    }
    const context = state.overview.getContext("2d");
    context.drawImage(state.backdrop, 0, 0, state.overview.clientWidth, height);
    const x = LEFT + (state.from / state.last) * width();
    const wide = Math.max(2, ((state.to - state.from) / state.last) * width());
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    context.strokeRect(x, 1, wide, height - 2);
  }

  function tell(text) {
    element("status").textContent = text;
  }

  return {
    state, element, COLOURINGS, MOST_JOBS, DAY, LEFT, TITLE, CHART, panelHeight, width, toTime, setSpan, zoom, pan,
    moment, lasting, request, resize, tell,
  };
})();
