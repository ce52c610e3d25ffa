import type { ReactNode } from 'react';
import { ApiProblem, Unreachable } from '../api/problem.ts';
import { hasText, t } from '../texts/i18n.ts';
import { reasonText, refusalText } from '../texts/reason-text.ts';
import { Button } from './button.tsx';
import { Loading } from './page.tsx';

/** What went wrong, in the reader's language. */
export function failureText(error: unknown): string {
  if (error instanceof Unreachable) return t('failure.unreachable');
  return error instanceof ApiProblem ? refusalText(error.problem) : t('failure.program');
}

/** A request failed: why, and a way to try it again. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const problem = error instanceof ApiProblem ? error.problem : null;
  return (
    <div className="notice tone-bad" role="alert">
      <div className="stack tight">
        <h2>{error instanceof Unreachable ? t('failure.offline_title') : t('failure.title')}</h2>
        <p>{failureText(error)}</p>
        {problem !== null && <p className="small quiet mono">{problem.code}</p>}
        {problem !== null && reasonText(problem.reason) === null && (
          <ForSupport>
            {problem.detail} {problem.hint}
          </ForSupport>
        )}
        {onRetry !== undefined && (
          <div>
            <Button onClick={onRetry}>{t('failure.retry')}</Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** The server's own sentence, which says more than the text of a code. */
export function ForSupport({ children }: { children: ReactNode }) {
  if (!hasText('failure.details')) return null;
  return (
    <details className="small quiet">
      <summary>{t('failure.details')}</summary>
      <p lang="en">{children}</p>
    </details>
  );
}

/** Shows the data of a query, or that it loads, or why it failed. Older data stay while newer ones load. */
export function Loaded<Data>({
  query,
  children,
}: {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown };
  children: (data: Data) => ReactNode;
}) {
  const { data, error, refetch } = query;
  if (data === undefined)
    return error === null ? <Loading /> : <Failure error={error} onRetry={() => void refetch()} />;
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {children(data)}
    </>
  );
}
