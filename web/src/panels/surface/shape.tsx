/** How a surface bends, how far it reaches, and how it fades: with what the server had to change. */

import { useSignal } from "@preact/signals";
import { Button, Field, Icon, Section, Segments } from "../../controls";
import * as state from "../../store/state";
import {
  changeSurface, DEFAULTS, dragsOf, gammaOf, LEAST_FADE, sigmaOf, surfaceKeys, type SurfaceKey,
} from "../../store/surface";
import { jointTitle } from "../../words/surface_keys";
import { KeyNumberField, type KeyNumber } from "./field";
import { degreeFor, heldJoint, withDrag } from "./joints";
import { KeyNotes } from "./notes";

/** Lengths in heights of the figure: more than one takes the whole body along. */
const HEIGHTS = { unit: "H", bounds: [0.05, 1] as [number, number], minimum: 0.02 };

const NUMBERS: KeyNumber[] = [
  {
    ...HEIGHTS, name: "width", label: "Width",
    help: "Width of the drag on the plane, in body heights.",
    value: (key) => sigmaOf(key)[0], change: (key, value) => ({ sigma: [value, sigmaOf(key)[1]] }),
  },
  {
    ...HEIGHTS, name: "height", label: "Height",
    help: "Height of the drag on the plane, in body heights.",
    value: (key) => sigmaOf(key)[1], change: (key, value) => ({ sigma: [sigmaOf(key)[0], value] }),
  },
  {
    ...HEIGHTS, name: "range", label: "Body range",
    help: "Falloff of the drag along the bones, in body heights: a leg near the hand does not follow.",
    value: (key) => key.range_sigma ?? DEFAULTS.range_sigma, change: (_, value) => ({ range_sigma: value }),
  },
  {
    name: "fade", label: "Fade in time", unit: "s", bounds: [LEAST_FADE, 1], minimum: 0.01,
    help: "Falloff of the drag before and after its time, in seconds.",
    value: gammaOf, change: (_, value) => ({ gamma: value }),
  },
];

const SHAPES = [{ value: "gaussian", label: "Gaussian" }, { value: "polynomial", label: "Polynomial" }] as const;

export function ShapeSection({ index }: { index: number }) {
  const asked = useSignal(false); // for a polynomial that has too few drags yet
  const key = surfaceKeys.value[index];
  const given = key?.shape ?? "gaussian";
  const shape = asked.value ? "polynomial" : typeof given === "string" ? given : "";
  const choose = (to: string): void => {
    if (!key) return;
    const drags = dragsOf(key).length;
    asked.value = to === "polynomial" && drags < 2;
    if (to === "gaussian") changeSurface(index, { shape: null });
    else if (drags > 1) changeSurface(index, { shape: to, degree: degreeFor(key, drags) });
  };
  return (
    <Section id="surface-shape" title="Shape">
      <Segments class="surface-shapes" label="Shape" options={SHAPES} value={shape} onChange={choose} />
      {key && asked.value && <TooFew {...{ index }} of={key} done={() => (asked.value = false)} />}
      {key && shape === "polynomial" && !asked.value && <DegreeField {...{ index }} of={key} />}
      {NUMBERS.map((of) => <KeyNumberField key={of.name} {...{ index, of }} />)}
      <KeyNotes index={index} />
    </Section>
  );
}

/** Why a polynomial is not there yet, and the drag that makes one. */
function TooFew({ index, of, done }: { index: number; of: SurfaceKey; done(): void }) {
  const joint = heldJoint(of);
  const hold = (): void => {
    changeSurface(index, { ...withDrag(of, joint!), shape: "polynomial", degree: 1 });
    done();
  };
  return (
    <div class="surface-note">
      <Icon name="alert" />
      <div>
        A polynomial goes through two drags or more, and there is one. Hold another joint at its own time.
        {joint && (
          <Button class="button small" onClick={hold}>
            Hold {jointTitle(state.source.value?.header, joint).toLowerCase()}
          </Button>
        )}
      </div>
    </div>
  );
}

function DegreeField({ index, of }: { index: number; of: SurfaceKey }) {
  const most = Math.max(Math.min(dragsOf(of).length - 1, DEFAULTS.degree), 1);
  const degrees = Array.from({ length: most }, (_, k) => ({ value: String(k + 1), label: String(k + 1) }));
  return (
    <Field label="Degree" help="It goes through one drag more than its degree, or more." data-surface="degree">
      <div>
        <Segments
          label="Degree" options={degrees} value={String(of.degree ?? DEFAULTS.degree)}
          onChange={(degree) => changeSurface(index, { degree: Number(degree) })}
        />
      </div>
    </Field>
  );
}
