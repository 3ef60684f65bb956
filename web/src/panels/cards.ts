/** Trouble, at the top of the view until it is dismissed; the document is unchanged by it. */

import { signal } from "@preact/signals-core";
import * as actions from "../store/actions";
import { connect } from "../store/connection";
import * as state from "../store/state";
import type { Problem } from "../protocol";
import { button, iconButton } from "./controls";
import { element, live, rebuild, shown, watch } from "./dom";
import { icon } from "./icons";

const MOST_SHOWN = 3;

export function cards(): HTMLElement {
  const missing = element("div", { className: "card-list" });
  rebuild(missing, () => state.missing.value.join(), () => state.missing.value.map(missingCard));
  const problems = element("div", { className: "card-list", role: "alert" });
  watch(() => {
    problems.replaceChildren(...state.problems.value.slice(-MOST_SHOWN).map(problemCard));
  });
  return element("div", { className: "cards" }, problems, missing);
}

function problemCard(problem: Problem): HTMLElement {
  const dismiss = (): void => {
    state.problems.value = state.problems.value.filter((other) => other !== problem);
  };
  const copy = button("Copy details", () => void copyDetails(problem, copy), "button quiet");
  return element(
    "section",
    { className: "card problem", ariaLabel: problem.title },
    icon("alert"),
    element(
      "div",
      { className: "card-words" },
      element("h2", { textContent: problem.title }),
      element("p", { textContent: problem.text }),
      element("div", { className: "card-actions" }, button("Dismiss", dismiss), copy),
    ),
    iconButton("close", "Dismiss", dismiss),
  );
}

async function copyDetails(problem: Problem, said: HTMLElement): Promise<void> {
  const { title, text, step } = problem;
  const details = [
    title,
    text,
    step ? `Step ${step}` : "",
    `retime ${state.welcome.value?.version ?? ""}`,
    navigator.userAgent,
  ];
  try {
    await navigator.clipboard.writeText(details.filter(Boolean).join("\n"));
    said.textContent = "Copied";
  } catch {
    said.textContent = "The browser refused";
  }
}

function missingCard(id: string): HTMLElement {
  const name = state.committed.value?.motions[id]?.name ?? id;
  const path = element("input", { type: "text", className: "text", ariaLabel: "Path under the root" });
  path.placeholder = state.committed.value?.motions[id]?.path ?? "path/to/motion.bvh";
  path.onkeydown = (event) => {
    if (event.key === "Enter" && path.value.trim()) actions.locate(id, path.value.trim());
  };
  return element(
    "section",
    { className: "card", ariaLabel: `${name} was moved` },
    icon("warning"),
    element(
      "div",
      { className: "card-words" },
      element("h2", { textContent: `${name} was moved` }),
      element("p", { textContent: "Find it by its content, or give its path." }),
      element(
        "div",
        { className: "card-actions" },
        button("Find it", () => actions.locate(id, null)),
        path,
        button("Use path", () => path.value.trim() && actions.locate(id, path.value.trim()), "button quiet"),
      ),
    ),
  );
}

/** The bar that says when the server will be tried again; looking and playing go on meanwhile. */
export function goneBar(): HTMLElement {
  const now = signal(Date.now());
  watch(() => {
    if (state.link.value !== "gone") return undefined;
    now.value = Date.now();
    const timer = setInterval(() => (now.value = Date.now()), 250);
    return () => clearInterval(timer);
  });
  const wait = (): number => Math.max(0, Math.ceil((state.nextTry.value - now.value) / 1000));
  const words = (): string =>
    state.restarted.value ? "The studio was started anew. Open the address that it printed to go on."
    : wait() > 0 ? `The server does not answer. Next try in ${wait()} s.` : "The server does not answer. Trying now.";
  return shown(
    () => state.link.value === "gone",
    element("div", { className: "gone", role: "status" }, icon("warning"), live(words), button("Try now", connect)),
  );
}
