/** Files to bring in: chosen in the browser, or dropped anywhere on the window. */

import * as actions from "../../store/actions";
import * as state from "../../store/state";

/** Ask the browser for files and bring them in. */
export function chooseFiles(): void {
  const formats = (state.welcome.value?.formats ?? []).map((f) => (f.startsWith(".") ? f : `.${f}`));
  const input = document.createElement("input");
  Object.assign(input, { type: "file", multiple: true, accept: [...formats, ".json", "audio/*"].join() });
  input.onchange = () => void actions.upload(input.files ?? []);
  input.click();
}

export function takeDrops(host: HTMLElement): void {
  // Leaving a child fires too: only as many leaves as enters mean that the pointer is gone.
  let depth = 0;
  const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  const light = (): void => void host.classList.toggle("dropping", depth > 0);
  window.addEventListener("dragenter", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth++;
    light();
  });
  window.addEventListener("dragleave", (event) => {
    if (!holdsFiles(event)) return;
    depth = Math.max(0, depth - 1);
    light();
  });
  window.addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    event.dataTransfer!.dropEffect = "copy";
  });
  window.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    depth = 0;
    light();
    void actions.upload([...event.dataTransfer!.files]);
  });
}
