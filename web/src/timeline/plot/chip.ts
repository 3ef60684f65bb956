/** The read-out beside what is pointed at or dragged. */

export interface Place {
  x: number;
  y: number;
}

const ASIDE = 20;
const BELOW = 10;
const KEY_REACH = 11;

export class Chip {
  private readonly element = document.createElement("div");

  constructor(private readonly root: HTMLElement) {
    this.element.className = "beside-chip";
    this.element.setAttribute("aria-hidden", "true"); // the list and the announcements say the same
    this.element.hidden = true;
    root.append(this.element);
  }

  /** Show words, those at even places strong, beside a place and clear of others. */
  show(words: string[], at: Place, avoid: Place[]): void {
    this.element.hidden = false;
    this.element.replaceChildren(
      ...words.map((word, k) => {
        const part = document.createElement(k % 2 ? "span" : "strong");
        part.textContent = word;
        return part;
      }),
    );
    const { x, y } = this.freePlace(at, avoid);
    this.element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  }

  hide(): void {
    this.element.hidden = true;
  }

  /** Right below is free of a rising curve; the other corners serve where the next key is in the way. */
  private freePlace(at: Place, avoid: Place[]): Place {
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const { clientWidth, clientHeight } = this.root;
    const right = at.x + ASIDE;
    const left = at.x - ASIDE - width;
    const [below, above] = [at.y + BELOW, at.y - BELOW - height];
    const places: Place[] = [
      { x: right, y: below },
      { x: right, y: below + 2 * KEY_REACH },
      { x: left, y: above },
      { x: right, y: above },
      { x: left, y: below },
    ];
    const free = ({ x, y }: Place): boolean =>
      x >= 0 && y >= 0 && x + width <= clientWidth && y + height <= clientHeight &&
      avoid.every(
        (key) =>
          key.x + KEY_REACH < x || key.x - KEY_REACH > x + width ||
          key.y + KEY_REACH < y || key.y - KEY_REACH > y + height,
      );
    return (
      places.find(free) ?? {
        x: Math.min(Math.max(right, 0), clientWidth - width),
        y: Math.min(Math.max(below, 0), clientHeight - height),
      }
    );
  }
}
