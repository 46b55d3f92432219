import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "@/api/query";
import { chooseTransport } from "@/transport";
import { App } from "./App";
import { Boundary } from "./shell/Boundary";
import "./index.css";

// A dropped file must not replace the app.
for (const kind of ["dragover", "drop"] as const) window.addEventListener(kind, (event) => event.preventDefault());

await chooseTransport();

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Boundary>
      <QueryClientProvider client={queryClient}>
        <App />
      </QueryClientProvider>
    </Boundary>
  </StrictMode>,
);
