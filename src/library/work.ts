import type { OperationEvent } from '../operations/base/events.ts';

/** An operation that is under way: it resolves with its result, and can be iterated for what it reports meanwhile. */
export type Work<Result> = Promise<Result> & AsyncIterable<OperationEvent>;

type Listener = (event: OperationEvent) => void;

/** Begins an operation that reports events. Whoever iterates hears what is reported from then on. */
export function beginWork<Result>(begin: (emit: Listener) => Promise<Result>): Work<Result> {
  const listeners = new Set<Listener>();
  const result = begin((event) => {
    for (const listen of listeners) listen(event);
  });
  return Object.assign(result, { [Symbol.asyncIterator]: () => eventsUntil(result, listeners) });
}

/** The events until the end of the work. A rejection is for whoever awaits the result. */
async function* eventsUntil(result: Promise<unknown>, listeners: Set<Listener>): AsyncGenerator<OperationEvent, void> {
  const queue: OperationEvent[] = [];
  let news = Promise.withResolvers<void>();
  let isOver = false;
  const add = (event: OperationEvent) => {
    // A slow reader gets the latest state, and not a queue that grows for hours.
    const isState = event.kind === 'progress' || event.kind === 'reading';
    if (isState && queue.at(-1)?.kind === event.kind) queue.pop();
    queue.push(event);
    news.resolve();
  };
  const end = () => {
    isOver = true;
    news.resolve();
  };
  listeners.add(add);
  result.then(end, end);
  try {
    for (;;) {
      const event = queue.shift();
      if (event !== undefined) yield event;
      else if (isOver) return;
      else {
        await news.promise;
        news = Promise.withResolvers();
      }
    }
  } finally {
    listeners.delete(add);
  }
}
