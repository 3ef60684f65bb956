/** Controls that need the server: they are disabled while it is gone, and say why. */

import type { ComponentChildren } from "preact";
import { offline } from "../store/state";

/** The bar that tells about the server, which the disabled controls refer to. */
export const GONE = "server-gone";
const WHY = "The server does not answer. This can be changed when it is back.";

export const Online = ({ children }: { children: ComponentChildren }) => (
  <fieldset
    class="online" disabled={offline.value} title={offline.value ? WHY : undefined}
    aria-describedby={offline.value ? GONE : undefined}
  >
    {children}
  </fieldset>
);
