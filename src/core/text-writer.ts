/** Texts one behind the other, as UTF-8. */
export interface TextWriter {
  write(text: string): void;
  /** Bytes written since the last `take`. */
  bytes(): number;
  /** What was written since the last time. It is overwritten by what is written next. */
  take(): Uint8Array;
}

/** A UTF-16 unit takes three bytes of UTF-8 at most. */
const bytesPerUnitMax = 3;

/**
 * Writes texts out at once: a long text to which others are added hangs on to all of their parts, which the garbage collector then moves
 * about.
 */
export function makeTextWriter(bytesMin: number): TextWriter {
  let buffer = Buffer.allocUnsafeSlow(bytesMin);
  let used = 0;
  return {
    write(text) {
      const needed = used + text.length * bytesPerUnitMax;
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * buffer.length));
        buffer.copy(larger, 0, 0, used);
        buffer = larger;
      }
      used += buffer.write(text, used);
    },
    bytes: () => used,
    take() {
      const taken = buffer.subarray(0, used);
      used = 0;
      return taken;
    },
  };
}
