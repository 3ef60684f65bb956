/** Help: the keys, and the way back to the tour. */

import * as state from "../store/state";
import { button } from "./controls";
import { element } from "./dom";
import { startTour } from "./tour";

const KEYS: [string, string][] = [
  ["Space", "Play or pause"],
  ["← →", "Step by a frame"],
  ["Shift + ← →", "Previous or next key"],
  ["Home, End", "To the ends"],
  ["I, O", "Start and end of the play range; again, or with Alt, to free it"],
  ["K", "Keytime at the playhead"],
  ["G", "Move the selected key in time"],
  ["Delete", "Delete the selected key"],
  ["M", "Mute the step"],
  ["F", "Frame the character"],
  ["1, 3, 7", "Look from the front, the side, the top"],
  ["Tab, F6", "Next control, next area"],
  ["Alt + ↑ ↓", "Move a step of the recipe"],
  ["Ctrl + Z, Ctrl + Shift + Z", "Undo, redo"],
  ["Ctrl + S", "Save now"],
  ["Esc", "Give up a drag or a computation"],
  ["?", "This help"],
];

const MORE =
  "In plots, arrows move the focused key by a frame and Enter types. Numbers can be dragged; Shift is ten times finer.";

export function openHelp(): void {
  const close = button("Close", () => dialog.close());
  const tour = button("Take the tour", () => {
    dialog.close();
    startTour();
  }, "button quiet");
  close.autofocus = true;
  const rows = KEYS.flatMap(([keys, does]) => [
    element("dt", {}, ...keys.split(", ").map((key) => element("kbd", { textContent: key }))),
    element("dd", { textContent: does }),
  ]);
  const dialog = element(
    "dialog",
    { className: "dialog", ariaLabel: "Help and keys" },
    element("h2", { textContent: "Keys" }),
    element("dl", { className: "key-list" }, ...rows),
    element(
      "p",
      {
        className: "caption",
        textContent: `${MORE} retime ${state.welcome.value?.version ?? ""}`,
      },
    ),
    element("div", { className: "dialog-actions" }, tour, close),
  );
  dialog.onclose = () => dialog.remove();
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close();
  };
  document.body.append(dialog);
  dialog.showModal();
}
