/** Whether the server answers, as the last request shows. */
let isOnline = true;
const listeners = new Set<() => void>();

export function noteOnline(isNow: boolean): void {
  if (isNow === isOnline) return;
  isOnline = isNow;
  for (const listener of listeners) listener();
}

export const connection = {
  isOnline: () => isOnline,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
