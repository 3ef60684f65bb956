import type { TabApi } from "../tab";

export function mountJointTimes(container: HTMLElement): TabApi {
  container.textContent = "";
  return { handleKey: () => false, dispose: () => undefined };
}
