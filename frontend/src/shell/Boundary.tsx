import { Component, type ErrorInfo, type ReactNode } from "react";
import { t } from "@/text/language";
import { Button } from "@/ui/Button";
import { ErrorNote } from "@/ui/Notice";

/** Keeps one broken screen from taking the others with it. */
export class Boundary extends Component<{ children: ReactNode; what?: string }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidCatch(error: Error, info: ErrorInfo) {
    // The name and the place only: messages may quote what is on the screen.
    console.error("holdpoint: a screen failed", error.name, info.componentStack);
  }

  override render() {
    if (!this.state.error) return this.props.children;
    return (
      <div className="mx-auto max-w-lg space-y-3 p-6">
        <ErrorNote title={t("shell.couldNotBeShown", { what: this.props.what ?? t("shell.thisScreen") })} error={new Error(t("shell.nothingWasChangedRunsGoOn"))} />
        <Button onClick={() => this.setState({ error: null })}>{t("shell.showItAgain")}</Button>
      </div>
    );
  }
}
