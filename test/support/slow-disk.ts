import { setImmediate as turn } from 'node:timers/promises';

/** A disk that takes what it is given when the test says so. */
export function slowDisk() {
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const descriptors: number[] = [];
  return {
    descriptors,
    waiting,
    syncFile: (descriptor: number) =>
      new Promise<void>((resolve, reject) => {
        descriptors.push(descriptor);
        waiting.push({ resolve, reject });
      }),
    /** The disk has taken what it was first asked to. */
    take: () => waiting.shift()?.resolve(),
    refuse: () => waiting.shift()?.reject(new Error('EIO: i/o error')),
  };
}

export type SlowDisk = ReturnType<typeof slowDisk>;

/** Whether a promise is settled once everything that can run has run. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  await turn();
  await turn();
  return settled;
}
