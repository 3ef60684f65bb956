/** Files on their way into the project, and those that could not be loaded. */

import { computed } from "@preact/signals";
import { nextRequest, send } from "./connection";
import * as state from "./state";

/** A file that could not be loaded: the reason, another try, and the way off the list. */
export interface Failed {
  /** Two files of different folders can have one name. */
  id: string;
  name: string;
  text: string;
  retry(): void;
  remove(): void;
}

/** Those that were named when the studio started, then those that were dropped or chosen here. */
export const failed = computed<Failed[]>(() => [
  ...state.failedAtStart.value.map(({ path, name, text }) => ({
    id: `start:${path}`, name, text,
    retry: () => void send({ type: "retry", request: nextRequest(), path }),
    remove: () => void send({ type: "forget", path }),
  })),
  ...state.failedFiles.value.map(({ file, text }) => ({
    id: `file:${file.name}`, name: file.name, text,
    retry: () => void upload([file]),
    remove: () => forget(file),
  })),
]);

/** Bring files in: motions, recipes, warps and sound are told apart by the server. */
export async function upload(files: Iterable<File>): Promise<void> {
  const isSkeleton = (file: File): boolean => file.name.toLowerCase().endsWith(".asf");
  // A skeleton goes before the motions that need it.
  const ordered = [...files].sort((a, b) => Number(isSkeleton(b)) - Number(isSkeleton(a)));
  if (ordered.length > 0 && ordered.every(isSkeleton)) {
    tell(`${ordered[0]!.name} is a skeleton without motion`, "It is kept in the project. Open the .amc that moves it.");
  }
  const refused: { file: File; text: string }[] = [];
  for (const file of ordered) {
    forget(file);
    const text = tooLarge(file) ?? (await sendFile(file));
    if (text) {
      refused.push({ file, text });
      state.failedFiles.value = [...state.failedFiles.value, { file, text }];
    }
    state.loading.value = null;
  }
  // An empty view gives the reasons itself.
  if (!refused.length || !state.project.value?.source) return;
  if (refused.length === 1) return tell(`${refused[0]!.file.name} was not loaded`, refused[0]!.text);
  const names = refused.map(({ file }) => file.name).join(", ");
  tell(`${refused.length} files were not loaded`, `${names}. The list of motions gives the reasons.`);
}

function tell(title: string, text: string): void {
  state.problems.value = [...state.problems.value, { type: "problem", title, text }];
}

function tooLarge({ size }: File): string | null {
  const most = state.welcome.value?.most_upload ?? Infinity;
  return size > most
    ? `It is ${inWords(size)}; the limit is ${inWords(most)}. Start the studio with the file's path instead.`
    : null;
}

/** Forget that a file failed: it is tried again, or was removed from the list. */
function forget({ name }: File): void {
  state.failedFiles.value = state.failedFiles.value.filter(({ file }) => file.name !== name);
}

let sending: XMLHttpRequest | null = null;

export const stopSending = (): void => sending?.abort();

/** Send a file, telling how much of it has arrived; what the server has against it comes back, or null. */
function sendFile(file: File): Promise<string | null> {
  // A request of the old kind: `fetch` tells nothing about what was sent.
  const request = new XMLHttpRequest();
  sending = request;
  state.loading.value = { name: file.name, share: 0 };
  request.upload.onprogress = ({ loaded, total }) => {
    // The last bytes are there before the server has looked at them.
    state.loading.value = { name: file.name, share: loaded < total ? loaded / total : null };
  };
  return new Promise((resolve) => {
    request.onload = () => {
      if (request.status < 400) return resolve(null);
      try {
        resolve((JSON.parse(request.responseText) as { text: string }).text);
      } catch {
        resolve("The server rejected it. Try again.");
      }
    };
    request.onerror = () => resolve("The server does not answer. Try again when it is back.");
    request.onabort = () => resolve(null);
    request.open("POST", `/upload?name=${encodeURIComponent(file.name)}&version=${state.version.value}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(file);
  });
}

const inWords = (bytes: number): string =>
  bytes >= 1 << 30 ? `${(bytes / (1 << 30)).toFixed(1)} GB` : `${Math.ceil(bytes / (1 << 20))} MB`;
