import type { TabApi } from "../tab";

export function mountPoses(container: HTMLElement): TabApi {
  container.textContent = "";
  return { handleKey: () => false, dispose: () => undefined };
}
