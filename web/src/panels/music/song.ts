/** What the server found in the project's song: its outline, beats and onsets. */

import { signal } from "@preact/signals";
import { fail } from "../../store/actions";
import * as state from "../../store/state";

export interface Song {
  sha256: string;
  duration: number;
  /** Lowest and highest sample of equal parts, in pairs. */
  peaks: number[];
  /** Empty where no steady beat was found; `problem` tells why. */
  beats: number[];
  downbeats: number[];
  onsets: number[];
  problem: string | null;
}

export const song = signal<Song | null>(null);
/** The song that is being listened to, by its hash. */
export const listening = signal<string | null>(null);

const ADDRESS = "/music";

/** Listen to the project's song, once; what is known is returned at once. */
export async function listen(): Promise<Song | null> {
  const sha256 = state.committed.value?.audio?.sha256 ?? null;
  if (sha256 === null) return (song.value = null);
  if (song.value?.sha256 === sha256) return song.value;
  if (listening.value === sha256) return null;
  listening.value = sha256;
  try {
    const reply = await fetch(`${ADDRESS}?${new URLSearchParams({ sha256 }).toString()}`);
    const said = (await reply.json()) as Song & { title: string; text: string };
    if (reply.ok) song.value = said;
    else fail(said.title, said.text);
  } catch {
    fail("The song was not read", "The server does not answer. Try again when it is back.");
  }
  if (listening.value === sha256) listening.value = null;
  return song.value?.sha256 === sha256 ? song.value : null;
}
