/** The page: makes the areas, gives each its panel, and connects. */

import "@fontsource-variable/inter";
import "./tokens.css";
import "./style.css";

import { followSound } from "./panels/audio";
import { cards, goneBar } from "./panels/cards";
import { element, live, watch } from "./panels/dom";
import { takeDrops } from "./panels/drop";
import { emptyState, isEmpty, isLoading, loadingState } from "./panels/empty";
import { askForSuggestions } from "./panels/guided";
import { header } from "./panels/header";
import { inspector } from "./panels/inspector";
import { listenForKeys } from "./panels/keys";
import { arrangeAreas } from "./panels/layout";
import { left } from "./panels/left";
import { overlay } from "./panels/overlay";
import { askForPhysics } from "./panels/physics";
import { runPlayback } from "./panels/playback";
import { jointNames } from "./panels/rows";
import { statusLine } from "./panels/status";
import { followTheme } from "./panels/theme";
import { offerTour } from "./panels/tour";
import { transport } from "./panels/transport";
import { waiting } from "./panels/waiting";
import * as actions from "./store/actions";
import { start } from "./store/connection";
import { openEditors } from "./store/editors";
import * as liveServer from "./store/live_server";
import * as state from "./store/state";
import { mountJointTimes } from "./timeline/joints/joint_times";
import { mountLayers } from "./timeline/layers/layers";
import { mountLive } from "./timeline/live/live_view";
import { mountPoses, posePosition } from "./timeline/poses/poses";
import type { TabApi } from "./timeline/tab";
import { mountTimeline } from "./timeline/timeline";
import { poseHandlePosition, posePointPosition } from "./viewport/pose_tool";
import { handlePosition, sheetBounds, sheetJointPosition } from "./viewport/surface_tool";
import { mountView } from "./viewport/view";

followTheme();

const app = document.querySelector<HTMLElement>("#app")!;
const canvasHost = element("div", { className: "view-canvas" });
const middle = element(
  "main",
  { className: "view", ariaLabel: "View", tabIndex: -1, data: { area: "view" } },
  canvasHost,
  goneBar(),
  overlay(() => view.frameCharacter()),
  element("div", { className: "view-status" }, statusLine()),
  emptyState(),
  loadingState(),
  cards(),
);
const panel = (name: state.Tab): HTMLElement => {
  const made = element("div", { className: "tab-panel", id: `panel-${name}`, role: "tabpanel" });
  made.setAttribute("aria-labelledby", `tab-${name}`);
  watch(() => {
    made.hidden = state.tab.value !== name;
  });
  return made;
};
const panels: Record<state.Tab, HTMLElement> = {
  warp: panel("warp"), joints: panel("joints"), poses: panel("poses"), layers: panel("layers"), live: panel("live"),
};
const timelineHost = element(
  "section",
  { className: "timeline-area", id: "timeline", tabIndex: -1, data: { area: "timeline" } },
  ...Object.values(panels),
);

arrangeAreas(app, {
  header: header(() => view),
  left: left(),
  view: middle,
  inspector: inspector(),
  transport: transport(),
  timeline: timelineHost,
});
const announcer = element("div", { className: "announcer", ariaLive: "polite" }, live(() => state.announcement.value));
document.body.append(announcer, jointNames());

// The areas are on the page by now: both measure them.
const view = mountView(canvasHost);
const timeline = mountTimeline(panels.warp, { thumbnail: (t, w, h) => view.thumbnail(t, w, h) });
const tabs: Record<state.Tab, TabApi> = {
  warp: timeline,
  joints: mountJointTimes(panels.joints),
  poses: mountPoses(panels.poses),
  layers: mountLayers(panels.layers),
  live: mountLive(panels.live),
};

watch(() => {
  app.classList.toggle("waiting", waiting.value);
  app.classList.toggle("empty-project", isEmpty() || isLoading());
});
takeDrops(app);
runPlayback();
followSound(timeline);
askForSuggestions();
askForPhysics();
openEditors();
listenForKeys(view, () => tabs[state.tab.value]);
offerTour();
start();

/** Where things are that can be taken hold of, in client coordinates. */
const places = {
  handlePosition, sheetBounds, sheetJointPosition, posePosition, poseHandlePosition, posePointPosition,
};

declare global {
  interface Window {
    /** For tests and the curious. */
    retime: {
      state: typeof state; liveServer: typeof liveServer; actions: typeof actions; view: typeof view;
      timeline: typeof timeline; places: typeof places;
    };
  }
}
window.retime = { state, liveServer: liveServer, actions, view, timeline, places };
