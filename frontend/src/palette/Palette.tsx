export function Palette({ open: _open, onOpenChange: _onOpenChange }: { open: boolean; onOpenChange(open: boolean): void }) {
  return null;
}
