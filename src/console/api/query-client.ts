import { QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './problem.ts';

/** How long an answer is shown without asking again (ms). What streams is asked again when something happens. */
const freshMs = 3_000;
/** A list that nothing streams is asked for again so often while it is looked at (ms). */
export const refreshMs = 10_000;
const retriesMax = 2;

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
