/** Help: the keys, and the way back to the tour. */

import { signal } from "@preact/signals";
import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../controls";
import * as state from "../../store/state";
import { startTour } from "./tour";

export const KEYS: [string, string][] = [
  ["Space", "Play or pause"],
  ["← →", "Step by a frame"],
  ["Shift + ← →", "Previous or next key"],
  ["Home, End", "To the ends"],
  ["I, O", "Start and end of the play range; again, or with Alt, to free it"],
  ["K", "Keytime at the playhead"],
  ["G", "Move the selected key in time"],
  ["Delete, Backspace", "Delete the selected key or contact"],
  ["B", "Tap timing: play, then tap each keytime or suggested moment; Enter keeps the taps"],
  ["R", "Act a timing out: drag the bar in the view in the rhythm that you want"],
  ["T", "Time control surface at the playhead, for the selected joint or the limb that moves most"],
  ["P", "Pose at the playhead, of the selected joint or the limb that moves most"],
  ["M", "Mute the step"],
  ["F", "Frame the character"],
  ["1, 3, 7", "Look from the front, the side, the top"],
  ["Tab, F6", "Next control, next area"],
  ["Alt + ↑ ↓", "Move a step of the recipe"],
  ["Ctrl + Z, Ctrl + Shift + Z, Ctrl + Y", "Undo, redo"],
  ["Ctrl + S", "Save now"],
  ["Esc", "Cancel a drag or a computation"],
  ["?", "This help"],
];

/** Every colour that means something, by its token. */
export const COLOURS: [string, string][] = [
  ["original", "Original: the source, or the other version"],
  ["retimed", "Retimed: the result"],
  ["feasible", "A body can do it"],
  ["keytime", "Keytimes and poses that you set"],
  ["contact", "Contacts; the take that a step follows"],
  ["marginal", "Nearly more than a body can do; a warning"],
  ["infeasible", "More than a body can do; a limit or a fault"],
  ["selection", "Selected joint"],
  ["playhead", "Playhead"],
  ["limb-root", "Root: where the body goes"],
  ["limb-trunk", "Trunk and head"],
  ["limb-left-arm", "Left arm"],
  ["limb-right-arm", "Right arm"],
  ["limb-left-leg", "Left leg"],
  ["limb-right-leg", "Right leg"],
];

const MORE =
  "In plots, arrows move the focused key by a frame and Enter types. Numbers can be dragged; Shift is ten times finer.";

const isOpen = signal(false);

export const openHelp = (): void => void (isOpen.value = true);

export const Help = () => (isOpen.value ? <HelpDialog /> : null);

function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => dialog.current?.close();
  const tour = (): void => {
    close();
    startTour();
  };
  return (
    <dialog
      ref={dialog} class="dialog" aria-label="Help and keys" onClose={() => (isOpen.value = false)}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <h2>Keys</h2>
      <dl class="key-list">
        {KEYS.map(([keys, does]) => (
          <Fragment key={keys}>
            <dt>{keys.split(", ").map((key) => <kbd key={key}>{key}</kbd>)}</dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
      <h2>Colours</h2>
      <ul class="colour-list">
        {COLOURS.map(([token, means]) => (
          <li key={means}><span class="swatch" style={{ background: `var(--${token})` }} />{means}</li>
        ))}
      </ul>
      <p class="caption">{MORE} retime {state.welcome.value?.version}</p>
      <div class="dialog-actions">
        <Button class="button quiet" onClick={tour}>Take the tour</Button>
        <Button autofocus onClick={close}>Close</Button>
      </div>
    </dialog>
  );
}
