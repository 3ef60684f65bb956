/** Help: the keys, and the way back to the tour. */

import { signal } from "@preact/signals";
import { Fragment } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../controls";
import * as state from "../../store/state";
import { startTour } from "./tour";

/** Keys by the place where they work, and what they do. */
export const KEYS: [string, [string, string][]][] = [
  ["Everywhere", [
    ["Space", "Play or pause"],
    ["← →", "Step by a frame"],
    ["Shift + ← →", "Previous or next key"],
    ["Home, End", "To the ends"],
    ["I, O", "Start and end of the play range; again, or with Alt, to free it"],
    ["K", "Keytime at the playhead"],
    ["B", "Tap timing: play, then tap each keytime or suggested moment"],
    ["R", "Act a timing out: drag the bar in the view in the rhythm that you want"],
    ["T", "Time control surface at the playhead, for the selected joint or the limb that moves most"],
    ["P", "Pose at the playhead, of the selected joint or the limb that moves most"],
    ["M", "Mute the step"],
    ["Delete, Backspace", "Delete the selected key, pose or contact"],
    ["Enter", "Keep the taps or the acted timing"],
    ["F", "Frame the character"],
    ["1, 3, 7", "Look from the front, the side, the top"],
    ["Tab, F6", "Next control, next area"],
    ["Ctrl + Z, Ctrl + Shift + Z, Ctrl + Y", "Undo, redo"],
    ["Ctrl + S", "Save now"],
    ["Esc", "Cancel a drag or a computation, or deselect"],
    ["?", "This help"],
  ]],
  ["In the timeline", [
    ["G", "Move the selected key or poses in time"],
    ["← →", "Move the selected key by a frame; in Poses, select the previous or next pose"],
    ["Alt + ← →", "Select the previous or next keytime; in Poses, move the pose by a frame"],
    ["↑ ↓", "Select the previous or next key; in Poses, another row"],
    ["Enter", "Type the time of the selected key or pose"],
  ]],
  ["In Poses", [
    ["A, Alt + A", "Select all poses or none"],
    ["B", "Select poses with a box"],
    ["S", "Scale the selected poses in time"],
  ]],
  ["In the recipe", [
    ["↑ ↓", "Select another step"],
    ["Alt + ↑ ↓", "Move the step"],
    ["Delete", "Remove the step"],
    ["Shift + F10, ContextMenu", "Menu of the step"],
  ]],
  ["During a drag", [
    ["Alt", "Ignore frames"],
    ["Shift", "Ten times finer"],
    ["Ctrl", "Snap to contacts"],
    ["Esc", "Cancel"],
  ]],
];

/** Every colour that means something, by its token. */
export const COLOURS: [string, string][] = [
  ["original", "Original: the source, or the other version"],
  ["retimed", "Retimed: the result"],
  ["feasible", "A body can do it"],
  ["keytime", "Keytimes and poses that you set"],
  ["contact", "Contacts; the reference of a step"],
  ["marginal", "Nearly more than a body can do; a warning"],
  ["infeasible", "More than a body can do; a planted foot that slides; a limit"],
  ["selection", "Selected joint"],
  ["playhead", "Playhead"],
  ["limb-root", "Root: where the body goes"],
  ["limb-trunk", "Trunk and head"],
  ["limb-left-arm", "Left arm"],
  ["limb-right-arm", "Right arm"],
  ["limb-left-leg", "Left leg"],
  ["limb-right-leg", "Right leg"],
];

const MORE = "Numbers can be dragged sideways.";

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
      <h2 tabIndex={-1} autofocus>Keys</h2>
      {KEYS.map(([place, listed]) => (
        <Fragment key={place}>
          <h3>{place}</h3>
          <dl class="key-list">
            {listed.map(([keys, does]) => (
              <Fragment key={keys}>
                <dt>{keys.split(", ").map((key) => <kbd key={key}>{key === "ContextMenu" ? "Menu" : key}</kbd>)}</dt>
                <dd>{does}</dd>
              </Fragment>
            ))}
          </dl>
        </Fragment>
      ))}
      <h2>Colours</h2>
      <ul class="colour-list">
        {COLOURS.map(([token, means]) => (
          <li key={means}><span class="swatch" style={{ background: `var(--${token})` }} />{means}</li>
        ))}
      </ul>
      <p class="caption">{MORE} retime {state.welcome.value?.version}</p>
      <div class="dialog-actions">
        <Button class="button quiet" onClick={tour}>Take the tour</Button>
        <Button onClick={close}>Close</Button>
      </div>
    </dialog>
  );
}
