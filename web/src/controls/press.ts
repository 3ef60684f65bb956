/** A press of the pointer, followed until it is released, or given up by Esc or by the browser. */

interface Following {
  move(event: PointerEvent): void;
  release(event: PointerEvent): void;
  giveUp(): void;
}

export function followPress(host: HTMLElement, press: PointerEvent, { move, release, giveUp }: Following): void {
  const ended = new AbortController();
  const { signal } = ended;
  const ending = <E extends Event>(then: (event: E) => void) => (event: E): void => {
    ended.abort();
    then(event);
  };
  host.setPointerCapture(press.pointerId);
  host.addEventListener("pointermove", move, { signal });
  host.addEventListener("pointerup", ending(release), { signal });
  host.addEventListener("pointercancel", ending(giveUp), { signal });
  window.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    ending(giveUp)(event);
  }, { signal, capture: true });
}

/** Where the pointer is on an element, in the element's pixels. */
export function placeOn(host: HTMLElement, event: MouseEvent): [number, number] {
  const box = host.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}
