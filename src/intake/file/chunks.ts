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

/** With this byte, and with as many as fill a block, DOS ended a text. */
const endMark = 0x1a;

/** The text without such marks at its end. In the middle they are characters like others. */
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
