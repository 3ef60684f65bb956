/** What stands in the place of the view when there is no 3D. */

export const NO_3D = "This browser cannot show 3D: WebGL is off. The timeline and export still work.";

export class Notice {
  private readonly element = document.createElement("p");

  constructor(container: HTMLElement) {
    this.element.textContent = NO_3D;
    this.element.setAttribute("role", "status");
    Object.assign(this.element.style, {
      position: "absolute", inset: "0", display: "grid", placeContent: "center", margin: "0",
      padding: "var(--space-6)", textAlign: "center", font: "var(--type-body)", color: "var(--text-2)",
      background: "linear-gradient(var(--view-top), var(--view-bottom))",
    });
    this.element.hidden = true;
    this.element.style.display = "none";
    container.append(this.element);
  }

  show(visible: boolean): void {
    this.element.hidden = !visible;
    this.element.style.display = visible ? "grid" : "none";
  }

  dispose(): void {
    this.element.remove();
  }
}
