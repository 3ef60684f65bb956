/** @vitest-environment happy-dom */
/** Shared controls: each has a name, edits by transactions, and gives up by Esc. */

import { signal } from "@preact/signals";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  Amount, Button, Field, IconButton, MenuButton, NumberField, Section, Segments, Select, Slider, Switch, TextField,
} from "../../src/controls";
import type { Editable } from "../../src/store/editable";
import { drawn, mount, named, press, type } from "../dom";

/** A value that tells what was done to it. */
function watched(start: number | null) {
  const value = signal(start);
  const done: string[] = [];
  const edit = (): Editable<number> => ({
    value: value.value,
    set: (to) => {
      done.push(`set ${to}`);
      value.value = to;
    },
    drag: () => ({
      update: (to) => {
        done.push(`update ${to}`);
        value.value = to;
      },
      commit: () => done.push("commit"),
      discard: () => {
        done.push("discard");
        value.value = start;
      },
    }),
    clear: () => done.push("clear"),
  });
  return { done, edit };
}

afterEach(() => document.body.replaceChildren());

describe("a number", () => {
  const Numeric = ({ edit }: { edit(): Editable<number> }) => (
    <NumberField label="Length" unit="s" step={0.1} minimum={0} maximum={9} edit={edit()} />
  );
  const input = (): HTMLInputElement => named("Length, s");

  it("is typed: Enter keeps it within its limits", async () => {
    const { done, edit } = watched(2);
    mount(<Numeric edit={edit} />);
    expect(input().value).toBe("2.00");
    type(input(), "12,5 s");
    press(input(), "Enter");
    await drawn();
    expect([done, input().value]).toEqual([["set 9"], "9.00"]);
  });

  it("that is no number goes back; an empty field clears it", async () => {
    const { done, edit } = watched(2);
    mount(<Numeric edit={edit} />);
    type(input(), "soon");
    press(input(), "Enter");
    await drawn();
    expect([done, input().value]).toEqual([[], "2.00"]);
    type(input(), " ");
    press(input(), "Enter");
    expect(done).toEqual(["clear"]);
  });

  it("is given up by Esc while it is typed", async () => {
    const { done, edit } = watched(2);
    mount(<Numeric edit={edit} />);
    type(input(), "5");
    await drawn();
    expect(input().dataset["typed"]).toBe("yes");
    press(input(), "Escape");
    await drawn();
    expect([done, input().value, input().dataset["typed"]]).toEqual([[], "2.00", undefined]);
  });

  it("goes by arrow keys as one drag", async () => {
    const { done, edit } = watched(2);
    mount(<Numeric edit={edit} />);
    press(input(), "ArrowUp");
    await drawn();
    press(input(), "ArrowUp", { shiftKey: true });
    await drawn();
    input().dispatchEvent(new KeyboardEvent("keyup", { key: "ArrowUp", bubbles: true }));
    expect(done).toEqual(["update 2.1", "update 2.11", "commit"]);
  });

  it("is dragged sideways, and Esc restores it", () => {
    const { done, edit } = watched(2);
    const host = mount(<Numeric edit={edit} />);
    const box = host.querySelector<HTMLElement>(".number")!;
    box.setPointerCapture = vi.fn();
    const point = (kind: string, clientX: number): boolean =>
      box.dispatchEvent(new PointerEvent(kind, { clientX, button: 0, pointerId: 1, bubbles: true, cancelable: true }));
    point("pointerdown", 100);
    point("pointermove", 102); // an unsteady hand
    expect(done).toEqual([]);
    point("pointermove", 110);
    press(document.body, "Escape");
    point("pointermove", 150);
    expect(done).toEqual(["update 3", "discard"]);
  });
});

describe("a slider", () => {
  it("previews while it moves and keeps what it ends with", async () => {
    const { done, edit } = watched(0.5);
    const Sliding = () => <Slider label="Share" bounds={[0, 1]} edit={edit()} spoken={(v) => `${100 * v} %`} />;
    mount(<Sliding />);
    const slider = named<HTMLInputElement>("Share");
    expect(slider.getAttribute("aria-valuetext")).toBe("50 %");
    type(slider, "0.6");
    type(slider, "0.7");
    type(slider, "0.7", "change");
    await drawn();
    expect(done).toEqual(["update 0.6", "update 0.7", "commit"]);
    type(slider, "0.9");
    press(slider, "Escape");
    type(slider, "0.95"); // the pointer is still down
    type(slider, "0.95", "change");
    expect(done.slice(3)).toEqual(["update 0.9", "discard"]);
  });

  it("widens its bounds for a value beyond them, and shows where there is none", () => {
    mount(<Slider label="A" bounds={[0, 1]} edit={watched(3).edit()} />);
    expect(named<HTMLInputElement>("A").max).toBe("3");
    mount(<Slider label="B" bounds={[0, 1]} edit={watched(null).edit()} />);
    expect(named("B").classList.contains("unset")).toBe(true);
  });
});

describe("names", () => {
  it("every control has one by construction", () => {
    const nothing = (): void => undefined;
    const options = [{ value: "a", label: "First" }, { value: "b", label: "Second" }];
    const host = mount(
      <Field label="Field" help="Explains it." reset={nothing}>
        <IconButton icon="plus" label="Add" onClick={nothing} />
        <Switch label="Flag" on={false} onChange={nothing} />
        <Select label="List" options={options} value="a" onChange={nothing} />
        <Segments label="Group" options={options} value="b" onChange={nothing} />
        <TextField label="Words" value="" onChange={nothing} />
        <Amount label="Amount" bounds={[0, 1]} edit={watched(0).edit()} />
        <MenuButton icon="more" label="Menu" rows={() => []} />
        <Button onClick={nothing}>Go</Button>
      </Field>,
    );
    const controls = [...host.querySelectorAll("button, input, select")];
    expect(controls.length).toBeGreaterThan(9);
    for (const control of controls)
      expect(control.getAttribute("aria-label") || control.textContent, control.outerHTML).toBeTruthy();
    expect(named("Reset Field").title).toBe("Reset Field");
    expect(named("Second").getAttribute("aria-pressed")).toBe("true");
  });
});

describe("a section", () => {
  it("folds, makes its content only while it is open, and is remembered", async () => {
    localStorage.clear();
    const host = mount(<Section id="try" title="Try" folded><p>Inside</p></Section>);
    const heading = named("Try");
    expect([heading.getAttribute("aria-expanded"), host.querySelector("p")]).toEqual(["false", null]);
    host.querySelector<HTMLElement>(".section-heading")!.click();
    await drawn();
    expect(host.querySelector("p")?.textContent).toBe("Inside");
    expect(localStorage.getItem("retime.fold.try")).toBe("open");
  });
});

describe("words", () => {
  it("are kept when the field is left, and not after Esc", () => {
    const keep = vi.fn();
    mount(<TextField label="Words" value="old" onChange={keep} />);
    const input = named<HTMLInputElement>("Words");
    type(input, " new ");
    type(input, " new ", "change");
    expect(keep).toHaveBeenCalledWith("new");
    type(input, "other");
    press(input, "Escape");
    expect(input.value).toBe("old");
  });
});
