import type { TabApi } from "../tab";

export function mountLive(container: HTMLElement): TabApi {
  container.textContent = "";
  return { handleKey: () => false, dispose: () => undefined };
}
