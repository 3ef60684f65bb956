/** A table of lengths, as retime writes it. */
export interface LengthsDocument {
  format: "retime-lengths";
  version: 1;
  phases: number[];
  lengths: number[];
  times: number[][];
  moments?: Record<string, number>;
  windows?: { name: string; start: number; end: number; least: number }[];
  loop?: boolean;
}

/** Plays one clip at any length. Times are seconds from the start of the clip. */
export declare class Lengths {
  /** Read the text of a file; a damaged one raises an error that says what is wrong. */
  static parse(text: string): Lengths;
  constructor(document: LengthsDocument);
  readonly moments: Record<string, number>;
  readonly windows: { name: string; start: number; end: number; least: number }[];
  readonly loop: boolean;
  /** Duration of the clip. */
  get duration(): number;
  /** Shortest and longest length of the table; beyond them timing is scaled. */
  get range(): [number, number];
  /** Source time that is shown at an output time. */
  at(time: number, length: number): number;
  /** Output time at which a source time is shown. */
  when(source: number, length: number): number;
  /** Source time `delta` seconds later; the length may change from call to call. */
  step(source: number, delta: number, length: number): number;
  /** Playback rate at a source time. */
  rate(source: number, length: number): number;
  /** Shortest length at which some seconds pass between two source times. */
  lengthBetween(source: number, target: number, seconds: number): number;
  /** Names of the moments in (before, after]. */
  passed(before: number, after: number): string[];
}

/** Lets a length follow another, so that the rate does not jump. */
export declare class EasedLength {
  constructor(length: number, seconds?: number);
  length: number;
  seconds: number;
  toward(length: number, delta: number): number;
}
