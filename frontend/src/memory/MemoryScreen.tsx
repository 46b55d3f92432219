export function MemoryScreen({ session: _session }: { session: string }) {
  return null;
}
