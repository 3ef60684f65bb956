/** What lies over the view: the legend of the bodies, what is drawn, and the colours of feasibility. */

import type { Signal } from "@preact/signals";
import { Button, IconButton, type IconName, IconToggle, Segments } from "../../controls";
import * as compare from "../../store/compare";
import { liveBodies } from "../../store/live";
import { isServerShown, serverReading } from "../../store/live_server";
import { clickJoint } from "../../store/selection";
import * as state from "../../store/state";
import { finishTaps, giveUpTaps, tap, tapping, type Tapping } from "../../store/taps";
import { waiting } from "../../store/waiting";
import { seconds } from "../../words/numbers";
import { lengthText } from "../../words/units";
import { jointLabel } from "../../viewport/poses/pose_edit";
import { recording } from "../export/record";
import { ActBar } from "./act";

export function Overlay({ frame }: { frame(): void }) {
  if (!state.source.value && !isServerShown.value) return null;
  return (
    <div class="overlay">
      <div class="overlay-left">
        <Legend />
        {waiting.value && <span class="chip stale">Showing the result before this change</span>}
        {tapping.value && <TapChip now={tapping.value} />}
        {recording.value && <RecordingChip stop={recording.value} />}
      </div>
      <Switches frame={frame} />
      <ActBar />
      {state.showFeasibility.value && (
        <div class="chip feasibility" role="group" aria-label="Feasibility">
          {["Feasible", "Marginal", "Infeasible"].map((name) => (
            <span key={name}><span class={`swatch ${name.toLowerCase()}`} />{name}</span>
          ))}
        </div>
      )}
    </div>
  );
}

function Legend() {
  const server = isServerShown.value;
  const served = server ? serverReading.value : null;
  const live = liveBodies.value;
  const t = state.time.value;
  const third = server ? null : compare.thirdBody.value;
  const compared = compare.otherResult.value;
  const shows = served?.time ?? live?.shows ?? state.result.value?.sourceAt(t) ?? t;
  return (
    <div class="legend" role="group" aria-label="Bodies">
      <span class="chip">
        <span class="swatch original" /><strong>{server || live ? "Performer" : compared ? `Version ${compare.otherVersion.value}` : "Original"}</strong>
        <span class="legend-time">{compared ? `source ${seconds(compared.sourceAt(t))}` : seconds(served?.heard ?? live?.at ?? t)}</span>
      </span>
      <span class="chip">
        <span class="swatch retimed" /><strong>{server ? "Partner" : live ? "Follower" : compared ? `Version ${state.version.value}` : "Retimed"}</strong>
        <span class="legend-time">source {seconds(shows)}</span>
      </span>
      {third && (
        <span class="chip">
          <span class="swatch target" /><strong>Reference</strong><span class="legend-name">{third.header.name}</span>
        </span>
      )}
      {!server && !live && <SelectedChip />}
    </div>
  );
}

/** What T, P and the tools of poses work on. */
function SelectedChip() {
  const header = state.source.value?.header;
  const joint = state.selectedJoint.value;
  if (!header || joint === null || joint >= header.joints.length) return null;
  return (
    <span class="chip" title={header.joints[joint]}>
      <span class="swatch selection" /><strong>{jointLabel(header, joint)}</strong><span>selected</span>
      <IconButton icon="close" label="Select nothing" onClick={() => clickJoint(null)} />
    </span>
  );
}

/** While moments are tapped: which one is next, and the ways to end it. */
function TapChip({ now: { taps, moments } }: { now: Tapping }) {
  return (
    <div class="chip recording" role="status">
      <strong>Press B</strong>
      <span>for pose {taps.length + 1} of {moments.length} (shown as a ghost)</span>
      <span class="legend-time">source {seconds(moments[taps.length] ?? 0)}</span>
      <Button class="button small" onClick={tap}>Tap</Button>
      <Button class="button small" disabled={!taps.length} onClick={finishTaps}>Keep</Button>
      <IconButton icon="close" label="Discard the taps (Esc)" onClick={giveUpTaps} />
    </div>
  );
}

/** While the view is recorded: how far it is, and the way to stop. */
function RecordingChip({ stop }: { stop(): void }) {
  const [from, to] = state.playSpan.value;
  const now = Math.min(Math.max(state.time.value, from), to);
  return (
    <div class="chip recording" role="status">
      <span class="recording-dot" /><strong>Recording</strong>
      <span aria-hidden="true">{lengthText(now - from, 1)} of {lengthText(to - from, 1)}</span>
      <Button class="button small" title="The recorded part is kept" onClick={stop}>Stop</Button>
    </div>
  );
}

const LAYOUTS = [{ value: "overlay", label: "Overlay" }, { value: "side", label: "Side by side" }];

const Switches = ({ frame }: { frame(): void }) => (
  <div class="switches" role="toolbar" aria-label="What the view shows">
    <Segments
      label="Layout" options={LAYOUTS} value={state.layout.value}
      onChange={(value) => (state.layout.value = value as state.Layout)}
    />
    <div class="toggles">
      {/* In narrow windows, in place of the words. */}
      <span class="narrow-only">
        <IconToggle
          icon="side" label="Side by side" on={state.layout.value === "side"}
          onClick={() => (state.layout.value = state.layout.value === "side" ? "overlay" : "side")}
        />
      </span>
      <Flag icon="compare" label="Compare version A with version B" flag={compare.comparing} />
      {compare.target.value && (
        <Flag icon="align" label="Reference of the step, as a third body" flag={compare.showTarget} />
      )}
      <Flag icon="ghost" label="Ghosts: poses before and after" flag={state.showGhosts} />
      <Flag icon="trails" label="Trails of hands and feet" flag={state.showTrails} />
      <Flag icon="feet" label="Contacts with the ground; red where a planted foot slides" flag={state.showContacts} />
      <Flag icon="shield" label="Feasibility" flag={state.showFeasibility} />
      <IconButton icon="frame" label="Frame the character (F)" onClick={frame} />
    </div>
  </div>
);

const Flag = ({ flag, ...rest }: { icon: IconName; label: string; flag: Signal<boolean> }) => (
  <IconToggle on={flag.value} onClick={() => (flag.value = !flag.value)} {...rest} />
);
