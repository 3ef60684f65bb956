/** Files dropped anywhere on the window are brought in. */

import * as actions from "../store/actions";

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
