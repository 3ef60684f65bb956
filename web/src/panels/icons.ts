/** The studio's own icons: 16 px, lines of 1.5, drawn in the colour of the text around them. */

const PATHS = {
  undo: "M6 3 2.5 6.5 6 10M3 6.5h6.5a3.5 3.5 0 0 1 0 7H7",
  redo: "m10 3 3.5 3.5L10 10M13 6.5H6.5a3.5 3.5 0 0 0 0 7H9",
  sun:
    "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1" +
    "M11.9 11.9 13 13M3 13l1.1-1.1M11.9 4.1 13 3",
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z",
  help: "M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13ZM6.2 6.3a1.85 1.85 0 1 1 2.7 1.7c-.6.3-.9.7-.9 1.3M8 11.3v.01",
  export: "M8 2v7.5M5 6.7l3 3 3-3M2.5 10.5v2a1.2 1.2 0 0 0 1.2 1.2h8.6a1.2 1.2 0 0 0 1.2-1.2v-2",
  down: "m4 6 4 4 4-4",
  right: "m6 4 4 4-4 4",
  plus: "M8 3v10M3 8h10",
  close: "m4 4 8 8M12 4l-8 8",
  more:
    "M3.2 7.5a.5.5 0 1 1 0 1 .5.5 0 0 1 0-1ZM8 7.5a.5.5 0 1 1 0 1 .5.5 0 0 1 0-1Z" +
    "M12.8 7.5a.5.5 0 1 1 0 1 .5.5 0 0 1 0-1Z",
  grip: "M6 4v.01M10 4v.01M6 8v.01M10 8v.01M6 12v.01M10 12v.01",
  eye:
    "M1.5 8S3.8 3.5 8 3.5 14.5 8 14.5 8 12.2 12.5 8 12.5 1.5 8 1.5 8Z" +
    "M8 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6Z",
  "eye-off":
    "M6.2 3.8A6 6 0 0 1 8 3.5c4.2 0 6.5 4.5 6.5 4.5a11 11 0 0 1-1.7 2.3M9.3 9.3a1.85 1.85 0 0 1-2.6-2.6" +
    "M4.3 4.6A10.5 10.5 0 0 0 1.5 8S3.8 12.5 8 12.5a6 6 0 0 0 3.4-1M2 2l12 12",
  file: "M4 1.5h5L12.5 5v8.3a1.2 1.2 0 0 1-1.2 1.2H4.7a1.2 1.2 0 0 1-1.2-1.2V2.7ZM9 1.5V5h3.5",
  folder:
    "M1.5 12V3.8A1.3 1.3 0 0 1 2.8 2.5h3l1.7 2h5.7a1.3 1.3 0 0 1 1.3 1.3V12a1.3 1.3 0 0 1-1.3 1.3H2.8A1.3 1.3 0 " +
    "0 1 1.5 12Z",
  arrow: "M2.5 8h11M9.5 4l4 4-4 4",
  lock: "M3.5 7h9v6.5h-9ZM5.3 7V4.7a2.7 2.7 0 0 1 5.4 0V7",
  ghost: "M3 14V7a5 5 0 0 1 10 0v7l-1.7-1.5L9.7 14 8 12.5 6.3 14l-1.6-1.5ZM6.3 6.8v.01M9.7 6.8v.01",
  trails:
    "M3.3 2.2a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6ZM12.7 11.2a1.3 1.3 0 1 1 0 2.6 1.3 1.3 0 0 1 0-2.6Z" +
    "M4.6 3.5h6.6a2.25 2.25 0 0 1 0 4.5H4.8a2.25 2.25 0 0 0 0 4.5h6.6",
  feet:
    "M3.8 10.3V8.5c0-1-1.3-2-1.3-3.7C2.5 3 3.5 2 4.6 2s2.1 1.2 2.1 2.8c0 1.7-.7 2.2-.7 3.7v1.8a1.1 1.1 0 0 1-2.2 " +
    "0ZM10 12.7v-1.8c0-1.5-.7-2-.7-3.7 0-1.6 1-2.8 2.1-2.8s2.1 1 2.1 2.8c0 1.7-1.3 2.7-1.3 3.7v1.8a1.1 1.1 0 0 " +
    "1-2.2 0Z",
  shield: "M8 1.5 13.5 3.5V8c0 3.2-2.3 5.5-5.5 6.5C4.8 13.5 2.5 11.2 2.5 8V3.5ZM5.7 8l1.7 1.7 3-3.2",
  frame:
    "M2 5.5V3.2A1.2 1.2 0 0 1 3.2 2h2.3M10.5 2h2.3A1.2 1.2 0 0 1 14 3.2v2.3" +
    "M14 10.5v2.3a1.2 1.2 0 0 1-1.2 1.2h-2.3M5.5 14H3.2A1.2 1.2 0 0 1 2 12.8v-2.3",
  "to-start": "M13 3 5.5 8l7.5 5ZM2.8 3v10",
  "to-end": "m3 3 7.5 5L3 13ZM13.2 3v10",
  "step-back": "M9.5 3 2.5 8l7 5ZM13 3v10",
  "step-on": "m6.5 3 7 5-7 5ZM3 3v10",
  play: "m4.5 2.5 8.5 5.5-8.5 5.5Z",
  pause: "M5.5 3v10M10.5 3v10",
  loop:
    "m11 1.5 2.3 2.3L11 6M2.7 7.5v-1a2.7 2.7 0 0 1 2.7-2.7h7.6M5 14.5l-2.3-2.3L5 10" +
    "M13.3 8.5v1a2.7 2.7 0 0 1-2.7 2.7H3",
  check: "m3 8.5 3.3 3.3L13 4.5",
  alert: "M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13ZM8 4.8v3.7M8 11v.01",
  warning: "M8 2 14.8 13.5H1.2ZM8 6.3v3.2M8 11.5v.01",
  list:
    "M7 3.5h7M7 8h7M7 12.5h7M2.2 2.7l1-.4v3M2.2 5.3h2M2.2 7.3c.9-.8 2-.2 1.6.7L2.2 9.5h2" +
    "M2.2 11.3h1.9l-.9 1c1.3.3 1 2-.1 1.9",
  bone:
    "m5.5 8.3 2.8-2.8M7.7 10.5l2.8-2.8M8.3 5.5c-.6-1.8.5-3.3 1.7-3.3 1.1 0 1.8.8 1.7 1.9 1.2 0 2.1.9 2.1 1.9 0 " +
    "1.3-1.4 2.2-3.3 1.7M5.5 8.3c-1.9-.5-3.3.4-3.3 1.7 0 1 .9 1.9 2.1 1.9 0 1.1.6 1.9 1.7 1.9 1.2 0 2.3-1.5 " +
    "1.7-3.3",
  panel: "M3 2.5h10a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1ZM6 2.5v11M8.7 6l2 2-2 2",
  sliders:
    "M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 2.7a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6Z" +
    "M6 9.7a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6Z",
  reset: "M3 3v3.5h3.5M3.3 6.3A5.5 5.5 0 1 1 2.6 9",
  video:
    "M2.7 3.5h6.6a1.2 1.2 0 0 1 1.2 1.2v6.6a1.2 1.2 0 0 1-1.2 1.2H2.7a1.2 1.2 0 0 1-1.2-1.2V4.7a1.2 1.2 0 0 1 " +
    "1.2-1.2ZM10.5 7l4-2.5v7l-4-2.5",
  keyboard:
    "M2.5 4h11a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1ZM4 6.7v.01M6.7 6.7v.01" +
    "M9.3 6.7v.01M12 6.7v.01M5 9.5h6",
  // one for each method
  guided:
    "M2 13.2a1.2 1.2 0 1 0 2.4 0 1.2 1.2 0 0 0-2.4 0ZM11.6 2.8a1.2 1.2 0 1 0 2.4 0 1.2 1.2 0 0 0-2.4 0Z" +
    "M3.2 12C3.4 6.5 6.5 3.2 11.6 2.8",
  spline: "M1.5 12.5c5 0 4.5-9 13-9M5.5 8.5l1.6 1.6-1.6 1.6-1.6-1.6Z",
  warp: "M2 2v12h12M4.5 11.5 8 9l1.5-4L14 3",
  pose: "M8 1.5a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2ZM3 7l5-1 5 1M8 6v4M8 10l-2.7 4.5M8 10l2.7 4.5",
  align: "M2 4h5M9.5 4H14M2 12h3M7.5 12H14M7 4l.5 8M4.5 4 5 12M9.5 4l-2 8",
  physics:
    "M8 6.3a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4ZM13.4 5.1A6 6 0 0 1 5 13.2M2.6 10.9A6 6 0 0 1 11 2.8" +
    "M12.6 2.7v.01M3.4 13.3v.01",
  stagger: "M2 3.5h5M5 8h6M9 12.5h5",
  surface:
    "M1.5 4.5c2.2-2 4.3-2 6.5 0s4.3 2 6.5 0M1.5 8.5c2.2-2 4.3-2 6.5 0s4.3 2 6.5 0" +
    "M1.5 12.5c2.2-2 4.3-2 6.5 0s4.3 2 6.5 0",
  smooth: "M1.5 10.5 3 6l1.5 5L6 5M6 5c2.5 6 5.5 6 8.5 1.5",
  hold:
    "M3.8 10.3V8.5c0-1-1.3-2-1.3-3.7C2.5 3 3.5 2 4.6 2s2.1 1.2 2.1 2.8c0 1.7-.7 2.2-.7 3.7v1.8a1.1 1.1 0 0 1-2.2 " +
    "0ZM10 12.7v-1.8c0-1.5-.7-2-.7-3.7 0-1.6 1-2.8 2.1-2.8s2.1 1 2.1 2.8c0 1.7-1.3 2.7-1.3 3.7v1.8a1.1 1.1 0 0 " +
    "1-2.2 0Z",
} as const;

export type IconName = keyof typeof PATHS;

const SVG = "http://www.w3.org/2000/svg";
const SIZE = 16;

/** An icon; what it means is said by the control that holds it. */
export function icon(name: IconName): SVGSVGElement {
  const svg = drawing(SIZE, "icon");
  svg.append(path(PATHS[name]));
  return svg;
}

/** A method's icon; one that came later than the page gets the warp's. */
export const methodIcon = (method: string): SVGSVGElement => icon(method in PATHS ? (method as IconName) : "warp");

/** The mark of the studio: what was given becomes what is yours, by a keytime. */
export function logo(): SVGSVGElement {
  const svg = drawing(20, "logo");
  svg.append(
    path("M2 17C8 17 8.5 14 10 10", "logo-given"),
    path("M10 10C11.5 6 12 3 18 3", "logo-made"),
    path("M10 6.8 13.2 10 10 13.2 6.8 10Z", "logo-key"),
  );
  return svg;
}

/** A keytime's diamond, a fixed end's square, or a suggestion's dashed diamond. */
export function keyMark(kind: "key" | "end" | "suggested"): SVGSVGElement {
  const svg = drawing(SIZE, `key-mark key-mark-${kind}`);
  if (kind === "key") svg.append(path("M8 .8 15.2 8 8 15.2.8 8Z", "key-ring"));
  svg.append(path(kind === "end" ? "M4 4h8v8H4Z" : "M8 2.5 13.5 8 8 13.5 2.5 8Z"));
  return svg;
}

function drawing(size: number, className: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("class", className);
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

function path(d: string, className = ""): SVGPathElement {
  const made = document.createElementNS(SVG, "path");
  made.setAttribute("d", d);
  if (className) made.setAttribute("class", className);
  return made;
}
