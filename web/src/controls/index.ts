/** Shared controls. Each one needs a label, so that everything on the page has an accessible name. */

export * from "./amount";
export * from "./bars";
export * from "./button";
export * from "./choice";
export * from "./classes";
export * from "./field";
export * from "./icon";
export * from "./icon_paths";
export * from "./menu";
export * from "./number";
export * from "./online";
export * from "./plot";
export * from "./popover";
export * from "./press";
export * from "./progress";
export * from "./section";
export * from "./slider";
export * from "./text";
