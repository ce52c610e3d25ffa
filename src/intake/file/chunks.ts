/** The first bytes of `chunks`, at least `bytesMin` if there are so many: a chunk may have a single byte. */
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

/** The bytes that were taken from the beginning, and then the rest. */
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

/** DOS ended a text with this byte, repeated to fill a block. */
const endMark = 0x1a;

/** The text without such bytes at its end. In the middle they are ordinary characters. */
export async function* withoutEndMark(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held = 0;
  for await (const chunk of text) {
    let end = chunk.length;
    while (end > 0 && chunk[end - 1] === endMark) end -= 1;
    if (end > 0) {
      if (held > 0) yield Buffer.alloc(held, endMark);
      held = 0;
      yield chunk.subarray(0, end);
    }
    held += chunk.length - end;
  }
}
