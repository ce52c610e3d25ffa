import { useEffect, useRef, useState } from 'react';
import { noteOnline } from './connection.ts';
import { passed } from './gates.ts';
import { problemOf } from './problem.ts';

/** A message of a stream of server-sent events. */
export interface StreamMessage {
  id: string;
  event: string;
  data: string;
}

const reconnectMsFirst = 1_000;
const reconnectMsMax = 15_000;
/** The server sends a sign of life every 15 s. A stream without one for so long has broken. */
const silenceMsMax = 40_000;
/** A page draws all messages of this time at once. */
const gatherMs = 400;

/**
 * Follows a stream and calls `onMessages` with its messages, until the component is removed. A broken stream is opened
 * again at the same place (`Last-Event-ID`), and `onMessages` is called even if no message was missed: a stream that
 * broke before its first message has no place. Returns whether the stream is open.
 */
export function useEvents(path: string, onMessages: (messages: StreamMessage[]) => void): boolean {
  const [isOpen, setOpen] = useState(true);
  const latest = useRef(onMessages);
  latest.current = onMessages;
  useEffect(() => {
    const stopping = new AbortController();
    let gathered: StreamMessage[] = [];
    let timer: ReturnType<typeof setTimeout> | null = null;
    const flush = () => {
      timer = null;
      const messages = gathered;
      gathered = [];
      if (!stopping.signal.aborted) latest.current(messages);
    };
    void follow(path, stopping.signal, {
      onMessage(message) {
        gathered.push(message);
        timer ??= setTimeout(flush, gatherMs);
      },
      onAgain: () => latest.current([]),
      onState: setOpen,
    });
    return () => {
      stopping.abort();
      if (timer !== null) clearTimeout(timer);
    };
  }, [path]);
  return isOpen;
}

interface Follower {
  onMessage: (message: StreamMessage) => void;
  /** The stream was opened again. */
  onAgain: () => void;
  onState: (isOpen: boolean) => void;
}

async function follow(path: string, signal: AbortSignal, { onMessage, onAgain, onState }: Follower): Promise<void> {
  let lastId = 'latest';
  let waitMs = reconnectMsFirst;
  for (let isFirst = true; !signal.aborted; ) {
    const response = await open(path, lastId, signal);
    if (response?.body) {
      onState(true);
      if (!isFirst) onAgain();
      isFirst = false;
      noteOnline(true);
      waitMs = reconnectMsFirst;
      await readMessages(response.body, signal, (message) => {
        if (message.id !== '') lastId = message.id;
        if (message.data !== '') onMessage(message);
      });
    }
    if (signal.aborted) return;
    onState(false);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    waitMs = Math.min(waitMs * 2, reconnectMsMax);
  }
}

async function open(path: string, lastId: string, signal: AbortSignal): Promise<Response | null> {
  const headers = { accept: 'text/event-stream', 'last-event-id': lastId };
  const response = await fetch(`/api/v1${path}`, { headers, signal }).catch(() => null);
  if (response === null || response.ok) return response;
  await passed(await problemOf(response));
  return null;
}

async function readMessages(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  signal: AbortSignal,
  onMessage: (message: StreamMessage) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let silence: ReturnType<typeof setTimeout> | undefined;
  const stop = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    for (let text = ''; ; ) {
      silence = setTimeout(stop, silenceMsMax);
      const { value, done } = await reader.read();
      clearTimeout(silence);
      if (done) return;
      const parts = (text + value).split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) onMessage(messageOf(part));
    }
  } catch {
    // The stream broke: it is opened again.
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', stop);
  }
}

export function messageOf(part: string): StreamMessage {
  const field = (name: string) =>
    part
      .split('\n')
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ''))
      .join('\n');
  return { id: field('id'), event: field('event'), data: field('data') };
}
