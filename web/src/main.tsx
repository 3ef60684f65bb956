/** The page: renders the panels, mounts the view and the timeline in their places, and connects. */

import "@fontsource-variable/inter";
import "./tokens.css";
import "./style.css";

import { effect } from "@preact/signals";
import { options, render } from "preact";
import { askForSuggestions } from "./panels/guided/ask";
import { followTheme } from "./panels/header/theme";
import { offerTour } from "./panels/help/tour";
import { takeDrops } from "./panels/motions/files";
import { followSong } from "./panels/music/edits";
import { listenForKeys } from "./panels/page/keys";
import { Extras, Page } from "./panels/page/page";
import { askForPhysics } from "./panels/physics/ask";
import { runPlayback } from "./store/playback";
import { followSound } from "./store/sound";
import { isEmpty, isLoading } from "./panels/view/empty";
import * as actions from "./store/actions";
import * as compare from "./store/compare";
import { start } from "./store/connection";
import { openEditors } from "./store/editors";
import * as liveServer from "./store/live_server";
import * as state from "./store/state";
import { followUnits } from "./store/units";
import { waiting } from "./store/waiting";
import { mountJointTimes } from "./timeline/joints/joint_times";
import { mountLayers } from "./timeline/layers/layers";
import { mountLive } from "./timeline/live/live_view";
import { mountPoses, posePosition } from "./timeline/poses/poses";
import type { TabApi } from "./timeline/plot/tab";
import { mountTimeline } from "./timeline/warp/timeline";
import { bodyJointPosition } from "./viewport/select/select_tool";
import { poseHandlePosition, posePointPosition } from "./viewport/poses/pose_tool";
import { handlePosition, sheetBounds, sheetJointPosition } from "./viewport/surface/surface_tool";
import { mountView, type ViewApi } from "./viewport/view";

// A result is drawn first by the view, then by the timeline, each in microtasks of its own; panels come after both.
options.debounceRendering = (draw) => queueMicrotask(() => queueMicrotask(() => queueMicrotask(draw)));

followTheme();
followUnits();

const app = document.querySelector<HTMLElement>("#app")!;
render(<Page view={(): ViewApi => view} />, app);
const extras = document.createElement("div");
extras.className = "extras";
document.body.append(extras);
render(<Extras />, extras);

// The areas are on the page by now: both measure them.
const host = (selector: string): HTMLElement => document.querySelector<HTMLElement>(selector)!;
const view = mountView(host(".view-canvas"));
const timeline = mountTimeline(host("#panel-warp"), { thumbnail: (t, w, h, of) => view.thumbnail(t, w, h, of) });
const tabs: Record<state.Tab, TabApi> = {
  warp: timeline,
  joints: mountJointTimes(host("#panel-joints")),
  poses: mountPoses(host("#panel-poses")),
  layers: mountLayers(host("#panel-layers")),
  live: mountLive(host("#panel-live")),
};

effect(() => {
  app.classList.toggle("waiting", waiting.value);
  app.classList.toggle("empty-project", isEmpty() || isLoading());
});
takeDrops(app);
runPlayback();
followSound(timeline);
followSong();
askForSuggestions();
askForPhysics();
openEditors();
listenForKeys(view, () => tabs[state.tab.value]);
offerTour();
start();

/** Where things are that can be taken hold of, in client coordinates. */
const places = {
  handlePosition, sheetBounds, sheetJointPosition, posePosition, poseHandlePosition, posePointPosition,
  bodyJointPosition,
};

declare global {
  interface Window {
    /** For tests and the curious. */
    retime: {
      state: typeof state; liveServer: typeof liveServer; actions: typeof actions; view: typeof view;
      timeline: typeof timeline; places: typeof places; compare: typeof compare;
    };
  }
}
window.retime = { state, liveServer, actions, view, timeline, places, compare };
