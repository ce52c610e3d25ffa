import { QueryClient } from '@tanstack/react-query';
import { isAttended } from './attention.ts';
import { ApiProblem } from './problem.ts';

/** How long an answer is shown without asking again (ms). What streams is asked again when something happens. */
const freshMs = 3_000;
/** A list that nothing streams is asked for again so often (ms). */
const refreshMs = 10_000;
const retriesMax = 2;

/** For `refetchInterval`: asks again and again while somebody is there. */
export function refresh(everyMs: number = refreshMs): () => number | false {
  return () => isAttended() && everyMs;
}

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        networkMode: 'always',
        // What the server has refused, it refuses again.
        retry: (failures, error) => !(error instanceof ApiProblem) && failures < retriesMax,
      },
      mutations: { networkMode: 'always' },
    },
  });
}
