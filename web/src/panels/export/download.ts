/** Files from the server and from this page, saved by the browser. */

import * as actions from "../../store/actions";

/** Fetch and save: a plain link would save the server's refusal as if it were the file. */
export async function download(address: string, label: string): Promise<void> {
  try {
    const reply = await fetch(address);
    if (!reply.ok) {
      const said = (await reply.json().catch(() => null)) as { title?: string; text?: string } | null;
      actions.fail(said?.title ?? `${label} was not written`, said?.text ?? "The server could not make the file.");
      return;
    }
    const named = /filename\*=UTF-8''([^;]+)/.exec(reply.headers.get("Content-Disposition") ?? "")?.[1];
    saveBlob(await reply.blob(), named ? decodeURIComponent(named) : "retimed");
  } catch {
    actions.fail(`${label} was not written`, "The server does not answer. Try again when it is back.");
  }
}

export function saveBlob(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
