import type { OperationContext } from '../base/operation.ts';

/** Does work before anything is sent, and reports that it stops; it then rejects with the signal's reason. */
export async function whileNothingIsSent<Result>(
  { emit, signal }: Pick<OperationContext, 'emit' | 'signal'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const stop = () => emit({ kind: 'stopping', stage: 'nothing_sent', unpaused: [] });
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work();
  } catch (error) {
    // Whatever breaks off because of that is no trouble of its own.
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
