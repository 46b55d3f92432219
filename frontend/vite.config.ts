/// <reference types="vitest/config" />
import { readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig(({ mode }) => ({
  plugins: [
    react(),
    tailwindcss(),
    {
      // The Go side embeds dist, so the folder has to exist on a fresh clone.
      name: "keep-dist",
      closeBundle() {
        if (mode !== "mock") writeFileSync(at("./dist/.gitkeep"), "");
      },
    },
  ],
  // A new agent is known by its folder.
  define: { AGENTS: JSON.stringify(readdirSync(at("../engine/agents"), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() && entry.name !== "agenttest" ? [entry.name] : []))) },
  resolve: { alias: { "@": at("./src") } },
  build: {
    outDir: mode === "mock" ? "node_modules/.mock-dist" : "dist",
    emptyOutDir: true,
    // Everything stays a file of our own: the content policy allows no data: fonts or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
  },
  server: { fs: { allow: [at("."), at("../app/tongue"), at("../engine/agents")] }, proxy: { "/api": process.env.HOLDPOINT_API ?? "http://127.0.0.1:8765" } },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test.setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
    // A window and the modules for each file would take four times as long as the tests.
    isolate: false,
    // Two cores may be busy with something else.
    testTimeout: 60_000,
  },
}));
