// Plays one clip at any length: the source time to show, from a table of lengths made by retime.

/** A table of lengths. Times are seconds from the start of the clip. */
export class Lengths {
  #phases;
  #lengths;
  #times; // row after row
  #row = 0; // first entry of the row below the asked length
  #share = 0; // how far the length is toward the next row
  #scale = 1; // beyond the table

  /** Read the text of a file. */
  static parse(text) {
    let document;
    try {
      document = JSON.parse(text);
    } catch (error) {
      throw new Error(`not a table of lengths: ${error.message}`);
    }
    return new Lengths(document);
  }

  /** Take a parsed file; raise an error that says what is wrong if it is damaged. */
  constructor(document) {
    check(document);
    this.#phases = Float64Array.from(document.phases);
    this.#lengths = Float64Array.from(document.lengths);
    this.#times = Float64Array.from(document.times.flat());
    this.moments = { ...document.moments };
    this.windows = document.windows ?? [];
    this.loop = document.loop === true;
  }

  /** Duration of the clip. */
  get duration() {
    return this.#phases[this.#phases.length - 1];
  }

  /** Shortest and longest length of the table; beyond them timing is scaled. */
  get range() {
    return [this.#lengths[0], this.#lengths[this.#lengths.length - 1]];
  }

  /** Source time that is shown at an output time. */
  at(time, length) {
    this.#blend(length);
    mustBeFinite(time, "time");
    const p = this.#phases, last = p.length - 1;
    if (time <= 0) return 0;
    if (time >= this.#time(last)) return p[last];
    let low = 0, high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#time(middle) <= time) low = middle;
      else high = middle;
    }
    const begin = this.#time(low);
    return p[low] + ((time - begin) / (this.#time(high) - begin)) * (p[high] - p[low]);
  }

  /** Output time at which a source time, such as a moment, is shown. */
  when(source, length) {
    this.#blend(length);
    mustBeFinite(source, "source time");
    const p = this.#phases, last = p.length - 1;
    if (source <= 0) return 0;
    if (source >= p[last]) return this.#time(last);
    const k = interval(source, p), begin = this.#time(k);
    return begin + ((source - p[k]) / (p[k + 1] - p[k])) * (this.#time(k + 1) - begin);
  }

  /** Source time a frame later; the length may change from frame to frame. A loop starts again. */
  step(source, delta, length) {
    let time = this.when(source, length) + delta;
    if (this.loop) time -= Math.floor(time / length) * length;
    return this.at(time, length);
  }

  /** Playback rate at a source time. */
  rate(source, length) {
    this.#blend(length);
    mustBeFinite(source, "source time");
    const p = this.#phases, k = interval(source, p);
    return (p[k + 1] - p[k]) / (this.#time(k + 1) - this.#time(k));
  }

  /** Shortest length at which some seconds pass between two source times; it may be outside `range`. */
  lengthBetween(source, target, seconds) {
    if (!(source < target && seconds > 0 && seconds < Infinity && source < this.duration && target > 0))
      throw new RangeError("source times must increase and be in the clip, and seconds be above 0");
    const d = this.#lengths;
    let before = 0;
    for (let k = 0; k < d.length; k++) {
      const passed = this.when(target, d[k]) - this.when(source, d[k]);
      if (seconds <= passed && k === 0) return d[0] * (seconds / passed);
      if (seconds <= passed) return d[k - 1] + ((seconds - before) / (passed - before)) * (d[k] - d[k - 1]);
      before = passed;
    }
    return d[d.length - 1] * (seconds / before);
  }

  /** Names of the moments in (before, after], where `step` went from one to the other. */
  passed(before, after) {
    const wrapped = this.loop && after < before;
    return Object.keys(this.moments).filter((name) => {
      const time = this.moments[name];
      return wrapped ? time > before || time <= after : time > before && time <= after;
    });
  }

  #blend(length) {
    if (!(length > 0 && length < Infinity)) throw new RangeError(`a length must be above 0 and finite, not ${length}`);
    const d = this.#lengths, x = Math.min(Math.max(length, d[0]), d[d.length - 1]), k = interval(x, d);
    this.#row = k * this.#phases.length;
    this.#share = (x - d[k]) / (d[k + 1] - d[k]);
    this.#scale = length / x;
  }

  #time(j) {
    const t = this.#times[this.#row + j];
    return this.#scale * (t + this.#share * (this.#times[this.#row + this.#phases.length + j] - t));
  }
}

/** Lets a length follow another in about 0.1 s, so that the rate does not jump. */
export class EasedLength {
  constructor(length, seconds = 0.1) {
    this.length = length;
    this.seconds = seconds;
  }

  /** The length to use in a frame of `delta` seconds. */
  toward(length, delta) {
    this.length += (length - this.length) * (1 - Math.exp(-delta / this.seconds));
    return this.length;
  }
}

function interval(x, values) {
  let low = 0, high = values.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle;
    else high = middle;
  }
  return low;
}

function mustBeFinite(value, name) {
  if (!Number.isFinite(value)) throw new RangeError(`the ${name} must be a finite number, not ${value}`);
}

function check(document) {
  const fail = (text) => {
    throw new Error(`damaged table of lengths: ${text}`);
  };
  if (document?.format !== "retime-lengths") fail('"format" must be "retime-lengths"');
  if (document.version !== 1) fail(`version ${document.version} is not known; this runtime reads version 1`);
  if (document.loop !== undefined && typeof document.loop !== "boolean") fail('"loop" must be true or false');
  const { phases: p, lengths: d, times: t } = document;
  for (const [name, values] of [["phases", p], ["lengths", d]]) rising(values, name, fail);
  if (p[0] !== 0 || d[0] <= 0) fail('"phases" must start at 0, and "lengths" above 0');
  if (!Array.isArray(t) || t.length !== d.length) fail(`"times" must have ${d.length} rows`);
  t.forEach((row, k) => {
    rising(row, `times[${k}]`, fail);
    if (row.length !== p.length) fail(`"times[${k}]" must have ${p.length} numbers`);
    if (Math.abs(row[0]) > 1.5e-6 || Math.abs(row[row.length - 1] - d[k]) > 1.5e-6)
      fail(`"times[${k}]" must go from 0 to its length, ${d[k]}`);
    const j = k ? row.findIndex((x, i) => x < t[k - 1][i]) : -1;
    if (j >= 0) fail(`"times[${k}][${j}]" is earlier than in the row above`);
  });
  for (const [name, time] of Object.entries(document.moments ?? {}))
    if (!(typeof time === "number" && time >= 0 && time <= p[p.length - 1] + 1.5e-6)) fail(`moment "${name}" is outside the clip`);
}

function rising(values, name, fail) {
  if (!Array.isArray(values) || values.length < 2) fail(`"${name}" must be a list of 2 numbers or more`);
  values.forEach((x, j) => {
    if (typeof x !== "number" || !Number.isFinite(x)) fail(`"${name}[${j}]" is not a finite number`);
    if (j && x <= values[j - 1]) fail(`"${name}" must increase, but does not at ${j}`);
  });
}
