/** What gestures and keys work on: the picture as it is now, and what floats over it. */

import type { Chip } from "./chip";
import type { RefusalCard } from "./refusal_card";
import type { Refused } from "../warp/key_marks";
import type { Plot } from "./plot";
import type { Refusal } from "../warp/refusal";
import type { View } from "./view";
import type { Key } from "../../store/state";

export interface GestureHost {
  root: HTMLElement;
  canvas: HTMLCanvasElement;
  view: View;
  chip: Chip;
  card: RefusalCard;
  plot(): Plot;
  redraw(): void;
  /** Show why a key stops short of a wish, with a way on where there is one. */
  refuse(refusal: Refusal, index: number, wish: Key): void;
  /** Show the pointer's wish apart from the key that stopped. */
  showWish(wish: Refused | null, bound: Refusal["bound"] | null): void;
}

/** How far the pointer was pulled since it took hold, and the keys held meanwhile. */
export interface Pull {
  x: number;
  y: number;
  dx: number;
  dy: number;
  alt: boolean;
  ctrl: boolean;
}

/** Something that the pointer does from press to release. */
export interface Gesture {
  readonly cursor: string;
  /** Axes stay still meanwhile. */
  readonly holdsView: boolean;
  /** Its first move comes with the press. */
  readonly atOnce?: boolean;
  /** Shift has a meaning of its own here: it does not make the pull finer. */
  readonly ownsShift?: boolean;
  move(pull: Pull): void;
  finish(moved: boolean): void;
  cancel(): void;
}
