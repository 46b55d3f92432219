import { render, screen } from "@testing-library/react";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { expect, it } from "vitest";
import type { Job } from "@/api/types";
import type { Mapping } from "@/models/jobs";
import { Columns } from "./Columns";

const asked = { title: "Who counted", unsaid: "nobody knows", choices: [{ value: "a", title: "The ranger" }], kinds: ["birds"], files: [".csv"] };
const mapping: Mapping = { source: "1", kind: "birds", kinds: ["birds", "trees"], columns: [{ name: "n", field: "count" }], fields: [{ name: "count", about: "how many" }, { name: "ranger", about: "who counted", whole: asked }, { name: "depth", about: "how deep", whole: { ...asked, title: "Depth", with: ["lake"], files: [] } }], chosen: false };
const show = (change: Partial<Mapping>, file = "counts.csv") =>
  render(<QueryClientProvider client={new QueryClient()}><Columns job={{ id: "j" } as Job} file={file} mapping={{ ...mapping, ...change }} /></QueryClientProvider>);

// "My agent reads counts of birds, and the import asked me for the datum of wells and not for who counted."
it("asks what holds for all lines as the agent that reads the file declares it", () => {
  const { unmount } = show({});
  expect(screen.getByLabelText("Who counted").textContent).toBe("nobody knowsThe ranger");
  expect(screen.queryByLabelText("Depth")).toBeNull();
  unmount();
  for (const [change, file] of [[{ kind: "trees" }, "counts.csv"], [{}, "counts.xml"], [{ columns: [{ name: "n", field: "ranger" }] }, "counts.csv"]] as const) {
    const { unmount: close } = show(change as Partial<Mapping>, file);
    expect(screen.queryByLabelText("Who counted"), `${JSON.stringify(change)} ${file}`).toBeNull();
    close();
  }
  show({ columns: [{ name: "n", field: "lake" }] });
  expect(screen.getByLabelText("Depth")).toBeTruthy();
});
