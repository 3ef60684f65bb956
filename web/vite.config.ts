import { defineConfig } from "vite";

// The page must run under a content security policy of 'self': nothing inline, nothing from elsewhere.
export default defineConfig({
  base: "/",
  build: {
    outDir: "../src/retime/studio/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
  },
});
