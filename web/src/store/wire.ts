/** Binary frames: u32 header length, JSON header, float32 blocks (see retime/studio/messages.py). */

import type { FrameHeader } from "../protocol";

export interface Frame {
  header: FrameHeader;
  arrays: Map<string, Float32Array>;
}

export function parseFrame(data: ArrayBuffer): Frame {
  const length = new DataView(data).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(data, 4, length));
  const header = JSON.parse(text) as FrameHeader;
  const arrays = new Map<string, Float32Array>();
  let place = 4 + length;
  for (const { name, shape } of header.arrays) {
    const count = shape.reduce((a, b) => a * b, 1);
    arrays.set(name, new Float32Array(data, place, count)); // a view: nothing is copied
    place += 4 * count;
  }
  return { header, arrays };
}
