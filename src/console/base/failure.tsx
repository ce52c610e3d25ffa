import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiProblem, Unreachable } from '../api/problem.ts';
import { type TextId, t } from '../texts/i18n.ts';
import { reasonText } from '../texts/reason-text.ts';
import { Button } from './button.tsx';
import { Loading } from './page.tsx';

/** Problems for which the console has a text of its own, which also says what to do. */
const texts: Readonly<Record<string, TextId>> = {
  ROLE_MISSING: 'failure.role',
  CHANGED_MEANWHILE: 'failure.changed',
  CONTENT_CHANGED: 'failure.changed',
  REQUEST_UNFINISHED: 'failure.unfinished',
  REQUEST_TOO_LARGE: 'failure.too_large',
  NOT_FOUND: 'failure.unknown',
  BATCH_UNKNOWN: 'failure.unknown',
  DRAFT_UNKNOWN: 'failure.unknown',
  ROW_UNKNOWN: 'failure.unknown',
  WEBHOOK_UNKNOWN: 'failure.unknown',
  DRAFT_STATE: 'failure.draft_state',
  APPROVAL_EXPIRED: 'failure.expired',
  RUN_ID_INVALID: 'failure.run_id',
  ACCOUNT_BUSY: 'failure.busy',
  SERVICE_UNREACHABLE: 'failure.service',
  CREDENTIALS_REJECTED: 'failure.credentials',
  BATCH_STATE: 'failure.state',
};

/** What went wrong, in the reader's language if the console knows it, otherwise in the server's words. */
export function failureText(error: unknown): string {
  if (error instanceof Unreachable) return t('failure.unreachable');
  if (!(error instanceof ApiProblem)) return t('failure.program');
  const { code, detail, reason, status } = error.problem;
  const known = texts[code];
  if (known !== undefined) return t(known);
  return status >= 500 ? t('failure.program') : (reasonText(reason) ?? detail);
}

/** A request failed: why, and a way to try it again. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const problem = error instanceof ApiProblem ? error.problem : null;
  const code = problem?.code ?? null;
  // The console's own text says what to do.
  const isOwnText = (code !== null && texts[code] !== undefined) || reasonText(problem?.reason) !== null;
  const hint = isOwnText ? null : (problem?.hint ?? null);
  return (
    <div className="notice tone-bad" role="alert">
      <div className="stack tight">
        <h2>{error instanceof Unreachable ? t('failure.offline_title') : t('failure.title')}</h2>
        <p>{failureText(error)}</p>
        {hint !== null && <p>{hint}</p>}
        {code === 'BATCH_STATE' && <p className="small quiet">{problem?.detail}</p>}
        {code !== null && <p className="small quiet mono">{code}</p>}
        {onRetry !== undefined && (
          <div>
            <Button onClick={onRetry}>{t('failure.retry')}</Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** Shows the data of a query, or that it loads, or why it failed. Older data stay while newer ones load. */
export function Loaded<Data>({
  query,
  children,
}: {
  query: UseQueryResult<Data>;
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
