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
import { followTheme } from "./panels/theme";
import { offerTour } from "./panels/tour";
import { transport } from "./panels/transport";
import { waiting } from "./panels/waiting";
import * as actions from "./store/actions";
import { connect } from "./store/connection";
import * as state from "./store/state";
import { mountTimeline } from "./timeline/timeline";
import { mountView } from "./viewport/view";

followTheme();

const app = document.querySelector<HTMLElement>("#app")!;
const canvasHost = element("div", { className: "view-canvas" });
const stage = element(
  "main",
  { className: "view", ariaLabel: "View", tabIndex: -1, data: { area: "view" } },
  canvasHost,
  goneBar(),
  overlay(() => view.frameCharacter()),
  emptyState(),
  loadingState(),
  cards(),
);
const timelineHost = element(
  "section",
  { className: "timeline-area", id: "timeline", role: "tabpanel", tabIndex: -1, data: { area: "timeline" } },
);
timelineHost.setAttribute("aria-labelledby", "tab-warp");

arrangeAreas(app, {
  header: header(() => view),
  left: left(),
  view: stage,
  inspector: inspector(),
  transport: transport(),
  timeline: timelineHost,
});
const announcer = element("div", { className: "announcer", ariaLive: "polite" }, live(() => state.announcement.value));
document.body.append(announcer, jointNames());

// The areas are on the page by now: both measure them.
const view = mountView(canvasHost);
const timeline = mountTimeline(timelineHost, { thumbnail: (t, w, h) => view.thumbnail(t, w, h) });

watch(() => {
  app.classList.toggle("waiting", waiting.value);
  app.classList.toggle("empty-project", isEmpty() || isLoading());
});
takeDrops(app);
runPlayback();
followSound(timeline);
askForSuggestions();
askForPhysics();
listenForKeys(view, timeline);
offerTour();
connect();

declare global {
  interface Window {
    /** For tests and the curious. */
    retime: { state: typeof state; actions: typeof actions; view: typeof view; timeline: typeof timeline };
  }
}
window.retime = { state, actions, view, timeline };
