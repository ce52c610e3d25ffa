/** Messages in order of arrival, for a receiver that takes them one by one. */
export interface Mailbox<Message> {
  put(message: Message): void;
  /** No more messages come: taking from the empty mailbox rejects with this reason. */
  fail(reason: unknown): void;
  take(): Promise<Message>;
}

export function makeMailbox<Message>(): Mailbox<Message> {
  const waiting: Message[] = [];
  let failure: { reason: unknown } | null = null;
  let wake: (() => void) | null = null;
  const rouse = () => {
    wake?.();
    wake = null;
  };
  return {
    put(message) {
      waiting.push(message);
      rouse();
    },
    fail(reason) {
      failure ??= { reason };
      rouse();
    },
    async take() {
      for (;;) {
        const message = waiting.shift();
        if (message !== undefined) return message;
        if (failure) throw failure.reason;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
