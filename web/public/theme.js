// Runs before the first paint, so that nobody who chose light is shown a dark flash. panels/theme.ts does the rest.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem("retime.theme");
  } catch {
    // Without storage the system's wish is all there is.
  }
  var light = chosen ? chosen === "light" : matchMedia("(prefers-color-scheme: light)").matches;
  document.documentElement.dataset.theme = light ? "light" : "dark";
})();
