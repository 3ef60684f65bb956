/** The page: its areas, and what lies over them. */

import { PointerMenu } from "../../controls";
import * as state from "../../store/state";
import type { ViewApi } from "../../viewport/view";
import { JointNames } from "../form/rows";
import { Header } from "../header/header";
import { Help } from "../help/help";
import { Tour } from "../help/tour";
import { Inspector } from "../inspector/inspector";
import { StatusLine } from "../inspector/status";
import { Left } from "../left/left";
import { ToolPanel } from "../poses/tool";
import { Transport } from "../transport/transport";
import { Cards, GoneBar } from "../view/cards";
import { EmptyState, LoadingState } from "../view/empty";
import { Overlay } from "../view/overlay";
import { Edge } from "./layout";

/** The view and the timeline draw into the hosts `.view-canvas` and `#panel-…`, which stay empty here. */
export const Page = ({ view }: { view(): ViewApi }) => (
  <>
    <Header view={view} />
    <Left />
    <main class="view" aria-label="View" tabIndex={-1} data-area="view">
      <div class="view-canvas" />
      <GoneBar />
      <Overlay frame={() => view().frameCharacter()} />
      <div class="view-status"><StatusLine /></div>
      <EmptyState />
      <LoadingState />
      <Cards />
      <ToolPanel />
    </main>
    <Edge />
    <Transport />
    <section class="timeline-area" id="timeline" aria-label="Timeline" tabIndex={-1} data-area="timeline">
      {state.TABS.map((name) => <TabPanel key={name} name={name} />)}
    </section>
    <Inspector />
  </>
);

const TabPanel = ({ name }: { name: state.Tab }) => (
  <div
    class="tab-panel" id={`panel-${name}`} role="tabpanel" aria-labelledby={`tab-${name}`}
    hidden={state.tab.value !== name}
  />
);

/** What is on the page once, outside its areas. */
export const Extras = () => (
  <>
    <div class="announcer" aria-live="polite"><span>{state.announcement.value}</span></div>
    <JointNames />
    <PointerMenu />
    <Help />
    <Tour />
  </>
);
