/** What every tab below the transport offers. */
export interface TabApi {
  /** A key while this tab is shown; true where it was used. */
  handleKey(event: KeyboardEvent): boolean;
  dispose(): void;
}
