/** What this browser remembers: theme, folded sections, the tour. Storage may be refused; then nothing is. */

const PREFIX = "retime.";

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Private windows refuse; the choice then lasts as long as the page.
  }
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Nothing was kept either.
  }
}

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}
