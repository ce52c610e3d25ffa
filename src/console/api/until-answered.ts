import { codeOf, Unreachable } from './problem.ts';

/** How long a change waits before it is sent again (ms): a server that was started again is found soon. */
const tryAgainMs = 2_000;
/** After so many answers that the server still works on the change, it was killed meanwhile, and never ends it. */
const unfinishedMax = 5;

/**
 * Carries out a change, and sends it again while the server does not answer: under the same key, so that it is done
 * once. What a killed server has begun is sent under a new key: such a change is refused if it was done after all.
 */
export async function untilAnswered<Result>(
  change: (key: string) => Promise<Result>,
  onWait: (isWaiting: boolean) => void,
): Promise<Result> {
  let key = crypto.randomUUID() as string;
  for (let unfinished = 0; ; ) {
    try {
      const result = await change(key);
      onWait(false);
      return result;
    } catch (error) {
      const isUnfinished = codeOf(error) === 'REQUEST_UNFINISHED';
      if (!isUnfinished && !(error instanceof Unreachable)) {
        onWait(false);
        throw error;
      }
      if (isUnfinished) unfinished += 1;
      if (unfinished >= unfinishedMax) {
        key = crypto.randomUUID();
        unfinished = 0;
      }
      onWait(true);
      await new Promise((resolve) => setTimeout(resolve, tryAgainMs));
    }
  }
}
