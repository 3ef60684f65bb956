/** The project's motions: the one that is retimed is cyan; a file that was moved can be found again. */

import * as actions from "../store/actions";
import * as state from "../store/state";
import { chooseFiles } from "./addstep";
import { button, iconButton, section } from "./controls";
import { element, live, rebuild, watch } from "./dom";
import { seconds, sentence } from "./format";
import { icon } from "./icons";
import { attachMenu, menuPlace, openMenu, type MenuRow } from "./popover";

export function motionsSection(): HTMLElement {
  const list = element("ul", { className: "motions", ariaLabel: "Motions" });
  const listed = (): string =>
    Object.entries(state.committed.value?.motions ?? {}).map(([id, m]) => `${id} ${m.name}`).join("\n") +
    state.missing.value.join();
  rebuild(list, listed, () => Object.keys(state.committed.value?.motions ?? {}).map(motionRow));
  const sound = element("div");
  rebuild(sound, () => state.committed.value?.audio?.name ?? null, (name) => (name ? [soundRow(name)] : []));
  const more = iconButton("more", "Bundled motions", () => undefined);
  attachMenu(more, "Motions", sampleRows);
  return section(
    { id: "motions", title: "Motions", actions: [more, iconButton("plus", "Open files", chooseFiles)] },
    list,
    sound,
  );
}

const sampleRows = (): MenuRow[] => [
  { heading: "Bundled motions" },
  ...Object.entries(state.welcome.value?.samples ?? {}).map(
    ([name, note]): MenuRow => ({ label: sentence(name), note, icon: "file", run: () => actions.openSample(name) }),
  ),
];

function motionRow(id: string): HTMLElement {
  const name = state.committed.value?.motions[id]?.name ?? id;
  const gone = state.missing.value.includes(id);
  const isSource = (): boolean => state.project.value?.source === id;
  const mark = element("span", { className: "motion-mark" });
  const use = element(
    "button",
    { type: "button", className: "motion-use", onclick: () => isSource() || actions.run({ type: "use_motion", id }) },
    mark,
    element("span", { className: "motion-name", textContent: name, title: name }),
  );
  const duration = live(() => {
    const clip = state.clips.value.get(id);
    return clip ? seconds(clip.duration) : "";
  }, "caption");
  const made = element(
    "li",
    { className: "motion" },
    use,
    gone ? button("Find", () => actions.locate(id, null), "button small") : duration,
  );
  made.classList.toggle("missing", gone);
  made.oncontextmenu = (event) => {
    event.preventDefault();
    openMenu(menuPlace(event, made), name, motionRows(id));
  };
  rebuild(mark, isSource, (chosen) => [chosen ? element("span", { className: "swatch original" }) : icon("file")]);
  watch(() => {
    made.classList.toggle("selected", isSource());
    use.ariaCurrent = String(isSource());
    use.ariaLabel = isSource() ? `${name}, is retimed` : `Retime ${name}`;
  });
  return made;
}

const motionRows = (id: string): MenuRow[] => [
  {
    label: "Retime this motion",
    disabled: state.project.value?.source === id,
    run: () => void actions.run({ type: "use_motion", id }),
  },
  { label: "Find its file again", run: () => actions.locate(id, null) },
  {
    label: "Remove from the project",
    icon: "close",
    note: "Its file stays",
    run: () => void actions.run({ type: "remove_motion", id }),
  },
];

function soundRow(name: string): HTMLElement {
  return element(
    "div",
    { className: "motion" },
    element(
      "span",
      { className: "motion-use" },
      element("span", { className: "motion-mark" }, icon("play")),
      element("span", { className: "motion-name", textContent: name }),
    ),
    iconButton("close", "Remove the sound", () => void actions.run({ type: "remove_audio" })),
  );
}
