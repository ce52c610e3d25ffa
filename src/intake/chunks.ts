/** The first bytes of `chunks`, at least `bytesMin` where there are as many: chunks may be as small as one byte. */
export async function firstBytes(iterator: AsyncIterator<Buffer>, bytesMin: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  while (bytes < bytesMin) {
    const next = await iterator.next();
    if (next.done) break;
    parts.push(next.value);
    bytes += next.value.length;
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}

/** What was taken from the beginning, and then the rest. */
export async function* withFirst(first: Buffer, iterator: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (first.length > 0) yield first;
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
