import type { OperationContext } from '../base/operation.ts';

/** Does work that comes before any sending. Reports if it is stopped, and then rejects with the signal's reason. */
export async function whileNothingIsSent<Result>(
  { emit, signal }: Pick<OperationContext, 'emit' | 'signal'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const stop = () => emit({ kind: 'stopping', stage: 'nothing_sent', unpaused: [] });
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work();
  } catch (error) {
    // An error that the stop has caused is not reported as one.
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
