/** What the tab's rows are drawn with: the timeline's plot, with a row of keys and an axis of seconds ahead. */

import { Axis } from "../plot/axis";
import type { Plot } from "../plot/plot";
import { CONTACT_BAR, type Row } from "../warp/rows";
import type { Theme } from "../plot/theme";
import type { View } from "../plot/view";
import type { JointScene } from "./joint_scene";
import type { LimbColours } from "./limb_colours";

export interface JointPlot extends Plot {
  joints: JointScene;
  colours: LimbColours;
  keys: Row | null;
}

const RULER = 23;
const KEYS = { usual: 42, low: 32 };
const LOW = 240; // pixels of the whole tab
const MOST_CONTACTS = 4;
const PAD = { top: 12, bottom: 12 };

export function makePlot(
  context: CanvasRenderingContext2D, theme: Theme, colours: LimbColours, view: View, joints: JointScene,
  width: number, height: number,
): JointPlot {
  const { base, surfaces, curves } = joints;
  const tall = surfaces ? (height < LOW ? KEYS.low : KEYS.usual) : 0;
  const feet = Math.min(base.contacts.length, MOST_CONTACTS);
  const contacts = feet ? feet * CONTACT_BAR + 5 : 0;
  const warp: Row = { top: RULER + tall, height: Math.max(height - RULER - tall - contacts, 40) };
  const { time } = view.axes(base, theme.gutter, width, warp);
  const [low, high] = niceSpan(curves?.least ?? 0, curves?.most ?? 0);
  return {
    context, theme, colours, joints, scene: base, width, height, time,
    source: new Axis(low, high, warp.top + warp.height - PAD.bottom, warp.top + PAD.top),
    keys: tall ? { top: RULER, height: tall } : null,
    rows: {
      ruler: { top: 0, height: RULER },
      warp,
      ...(contacts ? { contacts: { top: warp.top + warp.height, height: contacts } } : {}),
    },
  };
}

/** Bounds in round numbers that hold zero and all values: a drag that grows a little does not move the axis. */
export function niceSpan(least: number, most: number): [number, number] {
  const size = Math.max(most, -least, 0.02);
  const decade = 10 ** Math.floor(Math.log10(size));
  const unit = ([0.2, 0.5, 1].find((part) => size / (part * decade) <= 5) ?? 2) * decade;
  const clean = (value: number): number => Math.round(value * 1e6) / 1e6;
  const low = least < -5e-4 ? Math.floor(least / unit - 1e-6) * unit : 0;
  const high = most > 5e-4 ? Math.ceil(most / unit - 1e-6) * unit : 0;
  if (low === 0 && high === 0) return [-0.1, 0.1];
  return [clean(low), clean(high)];
}
