/* Reading the jobs that the page carries, and what the chart needs to know of them. See gantt_data.py. */
"use strict";

const GanttData = (() => {
  /** Base64 of deflated, byte-shuffled 32-bit integers → Int32Array. */
  async function column(text) {
    const packed = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const n = bytes.length / 4;
    const result = new Int32Array(n);
    for (let i = 0; i < n; i++) {
      result[i] = bytes[i] | (bytes[n + i] << 8) | (bytes[2 * n + i] << 16) | (bytes[3 * n + i] << 24);
    }
    return result;
  }

  function summed(differences) {
    for (let i = 1; i < differences.length; i++) differences[i] += differences[i - 1];
    return differences;
  }

  /** The jobs that all policies of a case share; times are seconds from the first submission. */
  async function readCase(data) {
    const jobs = {};
    for (const name of Object.keys(data.columns)) jobs[name] = await column(data.columns[name]);
    summed(jobs.id);
    summed(jobs.submit);
    return jobs;
  }

  /** Indices that sort a column of integers below 2^31; ties stay in order. */
  function sortedIndex(values) {
    const keys = new Float64Array(values.length);
    for (let i = 0; i < keys.length; i++) keys[i] = values[i] * 2097152 + i;
    keys.sort();
    const index = new Int32Array(keys.length);
    for (let i = 0; i < keys.length; i++) index[i] = keys[i] - values[Math.round(keys[i]) % 2097152] * 2097152;
    return index;
  }

  /** First place whose value is above the given one. */
  function above(values, value, end = values.length) {
    let low = 0;
    let high = end;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[middle] > value) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  const CHUNK = 512;

  /** The processors of all jobs, in the order of starts: a piece each, and further ones of jobs that have several. */
  function piecesOf(jobs, cell, lowest, [moreJob, moreLow, moreCount]) {
    const n = lowest.length, size = n + moreJob.length;
    const [from, to, low, count, job] = Array.from({ length: 5 }, () => new Int32Array(size));
    const reach = new Int32Array(n + 1);
    for (const i of moreJob) reach[i + 1]++;
    for (let i = 0; i < n; i++) reach[i + 1] += reach[i];
    let k = 0;
    const add = (i, start, procs) => {
      from[k] = cell.start[i];
      to[k] = cell.end[i];
      low[k] = start;
      count[k] = procs;
      job[k++] = i;
    };
    for (const i of cell.byStart) {
      let rest = jobs.procs[i];
      for (let m = reach[i]; m < reach[i + 1]; m++) {
        add(i, moreLow[m], moreCount[m]);
        rest -= moreCount[m];
      }
      add(i, lowest[i], rest);
    }
    const last = new Int32Array(Math.ceil(size / CHUNK));
    for (k = 0; k < size; k++) last[Math.floor(k / CHUNK)] = Math.max(last[Math.floor(k / CHUNK)], to[k]);
    return { size, from, to, low, count, job, last };
  }

  /** Pieces that are seen between two times, at most so many; null where there are more. */
  function visible(pieces, begin, end, most) {
    const found = [];
    const reach = above(pieces.from, end, pieces.size);
    for (let chunk = 0; chunk * CHUNK < reach; chunk++) {
      if (pieces.last[chunk] <= begin) continue;
      const stop = Math.min(reach, (chunk + 1) * CHUNK);
      for (let k = chunk * CHUNK; k < stop; k++) {
        if (pieces.to[k] > begin) {
          if (found.length === most) return null;
          found.push(k);
        }
      }
    }
    return found;
  }

  /** A step function that grows by a weight at each of the times, which are sorted: its value and its integral. */
  class Steps {
    constructor(index, times, weights) {
      const n = index.length;
      this.times = new Int32Array(n);
      this.total = new Float64Array(n + 1);
      this.moment = new Float64Array(n + 1);
      for (let i = 0; i < n; i++) {
        const time = times[index[i]], weight = weights ? weights[index[i]] : 1;
        this.times[i] = time;
        this.total[i + 1] = this.total[i] + weight;
        this.moment[i + 1] = this.moment[i] + weight * time;
      }
    }

    integral(at) {
      const i = above(this.times, at);
      return at * this.total[i] - this.moment[i];
    }
  }

  /** The mean, between two times, of what has begun and not ended. */
  function level(begun, ended, from, to) {
    const grown = begun.integral(to) - begun.integral(from) - ended.integral(to) + ended.integral(from);
    return Math.max(0, grown / (to - from));
  }

  /** The number of waiting jobs after each submission and start: its peaks, however many jobs there are. */
  class Queue {
    constructor(submitted, started) {
      const n = submitted.times.length;
      this.times = new Int32Array(2 * n);
      this.length = new Int32Array(2 * n);
      for (let k = 0, i = 0, j = 0; k < 2 * n; k++) {
        // At one instant, starts come first: jobs that start when they are submitted do not wait.
        const comes = i < n && (j >= n || submitted.times[i] < started.times[j]);
        this.times[k] = comes ? submitted.times[i++] : started.times[j++];
        this.length[k] = i - j;
      }
      this.most = new Int32Array(Math.ceil((2 * n) / CHUNK));
      for (let k = 0; k < 2 * n; k++) {
        const chunk = Math.floor(k / CHUNK);
        this.most[chunk] = Math.max(this.most[chunk], this.length[k]);
      }
    }

    /** The most jobs that wait at once between two times. */
    peak(from, to) {
      let k = above(this.times, from);
      const stop = above(this.times, to);
      let most = k > 0 ? this.length[k - 1] : 0;
      while (k < stop) {
        if (k % CHUNK === 0 && k + CHUNK <= stop) {
          most = Math.max(most, this.most[k / CHUNK]);
          k += CHUNK;
        } else most = Math.max(most, this.length[k++]);
      }
      return most;
    }
  }

  /** Read one policy of a case. */
  async function readCell(jobs, data) {
    const wait = await column(data.wait);
    const n = wait.length;
    const start = new Int32Array(n), end = new Int32Array(n);
    for (let i = 0; i < n; i++) {
      start[i] = jobs.submit[i] + wait[i];
      end[i] = start[i] + jobs.runtime[i];
    }
    const cell = { wait, start, end, byStart: sortedIndex(start), byEnd: sortedIndex(end) };
    const [job, low, count] = await Promise.all(data.more.map(column));
    cell.pieces = piecesOf(jobs, cell, await column(data.low), [summed(job), low, count]);
    cell.submitted = new Steps(sortedIndex(jobs.submit), jobs.submit, null);
    cell.started = new Steps(cell.byStart, start, null);
    cell.queue = new Queue(cell.submitted, cell.started);
    return cell;
  }

  /** Steps of the processors in use, one pair a class of jobs. */
  function byClass(jobs, cell, classOf, classes) {
    const split = (index) => {
      const parts = Array.from({ length: classes }, () => []);
      for (const i of index) parts[classOf[i]].push(i);
      return parts;
    };
    const starts = split(cell.byStart), ends = split(cell.byEnd);
    return starts.map((index, c) => ({
      begun: new Steps(index, cell.start, jobs.procs),
      ended: new Steps(ends[c], cell.end, jobs.procs),
    }));
  }

  return { readCase, readCell, visible, level, byClass };
})();
