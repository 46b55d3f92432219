export function ExportDialog({ session: _session, onClose: _onClose }: { session: string; onClose(): void }) {
  return null;
}
