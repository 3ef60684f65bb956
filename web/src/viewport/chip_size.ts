/** How large a floating element is, known without making the page lay all out in the middle of a frame. */

export class ChipSize {
  width = 0;
  height = 0;
  private readonly sizes: ResizeObserver;

  /** `changed` is called, before the frame is shown, when the element has become another size. */
  constructor(element: HTMLElement, changed: () => void) {
    this.sizes = new ResizeObserver(() => {
      [this.width, this.height] = [element.offsetWidth, element.offsetHeight];
      changed();
    });
    this.sizes.observe(element);
  }

  dispose(): void {
    this.sizes.disconnect();
  }
}
