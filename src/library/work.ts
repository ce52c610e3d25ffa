import type { operationEvent, question } from '../operations/base/events.ts';
import type { CamelOutput } from './names.ts';

/** What a method reports while it works. */
export type OperationEvent = CamelOutput<typeof operationEvent>;

/** The question that a method asks before it continues. */
export type Question = CamelOutput<typeof question>;

/**
 * A running operation: it resolves with its result, and an iteration yields the events that it reports in the meantime.
 */
export type Work<Result> = Promise<Result> & AsyncIterable<OperationEvent>;

type Listener = (event: OperationEvent) => void;

/** Starts an operation that reports events. An iteration yields the events from its start on. */
export function beginWork<Result>(begin: (emit: Listener) => Promise<Result>): Work<Result> {
  const listeners = new Set<Listener>();
  const result = begin((event) => {
    for (const listen of listeners) listen(event);
  });
  return Object.assign(result, { [Symbol.asyncIterator]: () => eventsUntil(result, listeners) });
}

/** Yields the events until the operation ends. Errors reach the code that awaits the result. */
async function* eventsUntil(result: Promise<unknown>, listeners: Set<Listener>): AsyncGenerator<OperationEvent, void> {
  const queue: OperationEvent[] = [];
  let news = Promise.withResolvers<void>();
  let isOver = false;
  const add = (event: OperationEvent) => {
    // A slow reader gets only the latest state, so that no queue grows for hours.
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
