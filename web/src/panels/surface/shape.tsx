/** How a surface bends, how far it reaches, and how it fades: with what the server had to change. */

import { Button, Field, Icon, Section, Segments } from "../../controls";
import * as state from "../../store/state";
import {
  changeSurface, DEFAULTS, dragsOf, gammaOf, LEAST_FADE, sigmaOf, surfaceKeys, type SurfaceKey,
} from "../../store/surface";
import { jointTitle } from "../../words/surface_keys";
import { KeyNumberField, type KeyNumber } from "./field";
import { heldJoint, withDrag } from "./joints";
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
  const key = surfaceKeys.value[index];
  const given = key?.shape ?? "gaussian";
  const shape = typeof given === "string" ? given : "";
  const choose = (to: string): void => changeSurface(index, { shape: to === "gaussian" ? null : to });
  return (
    <Section id="surface-shape" title="Shape" caption="H is the figure's height">
      <Segments class="surface-shapes" label="Shape" options={SHAPES} value={shape} onChange={choose} />
      {key && shape === "polynomial" && dragsOf(key).length < 2 && <Flat {...{ index }} of={key} />}
      {key && shape === "polynomial" && <DegreeField {...{ index }} of={key} />}
      {NUMBERS.map((of) => <KeyNumberField key={of.name} {...{ index, of }} />)}
      <KeyNotes index={index} />
    </Section>
  );
}

/** What a polynomial through one drag is, and the drag that bends it. */
function Flat({ index, of }: { index: number; of: SurfaceKey }) {
  const joint = heldJoint(of);
  const hold = (): void => changeSurface(index, withDrag(of, joint!));
  return (
    <div class="surface-note">
      <Icon name="alert" />
      <div>
        A polynomial through one drag is flat: all parts share its shift. Hold another joint at its own time to bend it.
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
  const degrees = Array.from({ length: DEFAULTS.degree }, (_, k) => ({ value: String(k + 1), label: String(k + 1) }));
  return (
    <Field label="Degree" help="Degree of the polynomial through the drags. Many drags are fitted by least squares." data-surface="degree">
      <div>
        <Segments
          label="Degree" options={degrees} value={String(of.degree ?? DEFAULTS.degree)}
          onChange={(degree) => changeSurface(index, { degree: Number(degree) })}
        />
      </div>
    </Field>
  );
}
