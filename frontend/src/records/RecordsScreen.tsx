export function RecordsScreen({ type: _type, id: _id }: { type: string; id: string }) {
  return null;
}
