/** A film of the view: plays the range once while the browser records the canvas. */

import { effect } from "@preact/signals";
import * as state from "../store/state";

export interface Recording {
  done: Promise<Blob>;
  stop(): void;
}

const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
const FPS = 60;
/** Bits a second for each pixel. */
const QUALITY = 8;
/** Playback that is slow, or never starts, is waited for this many times its length and this many seconds. */
const PATIENCE = { times: 3, seconds: 2 };
/** The last frame must be seen for a moment to be in the film, milliseconds. */
const TAIL = 120;

export function recordCanvas(canvas: HTMLCanvasElement, seconds?: number): Recording {
  const type = TYPES.find((name) => MediaRecorder.isTypeSupported(name));
  const stream = canvas.captureStream(FPS);
  const recorder = new MediaRecorder(stream, {
    ...(type ? { mimeType: type } : {}),
    videoBitsPerSecond: QUALITY * canvas.width * canvas.height,
  });
  const parts: Blob[] = [];
  const before = { playing: state.playing.peek(), looping: state.looping.peek(), time: state.time.peek() };
  const [start, end] = state.playSpan.peek();
  const last = seconds === undefined ? end : Math.min(end, start + seconds * state.playbackRate.peek());

  let forget = (): void => {};
  let timer = 0;
  const stop = (): void => {
    forget();
    window.clearTimeout(timer);
    if (recorder.state !== "inactive") recorder.stop();
  };
  const done = new Promise<Blob>((resolve, reject) => {
    recorder.ondataavailable = ({ data }) => data.size && parts.push(data);
    recorder.onerror = () => reject(new Error("The browser stopped recording."));
    recorder.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      state.playing.value = before.playing;
      state.looping.value = before.looping;
      state.time.value = before.time;
      resolve(new Blob(parts, { type: "video/webm" }));
    };
  });

  recorder.start();
  state.looping.value = false; // so that the end is an end
  state.time.value = start;
  state.playing.value = true;
  const length = (1000 * (last - start)) / (state.playbackRate.peek() || 1);
  const finish = (): void => {
    window.clearTimeout(timer);
    timer = window.setTimeout(stop, TAIL);
  };
  timer = window.setTimeout(stop, PATIENCE.times * length + 1000 * PATIENCE.seconds);
  let finished = false;
  forget = effect(() => {
    const over = state.time.value >= last - 1e-4 || !state.playing.value;
    if (!over || finished) return;
    finished = true;
    finish();
  });
  return { done, stop };
}
