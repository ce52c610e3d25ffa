import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { change } from '../../api/client.ts';
import { Button } from '../../base/button.tsx';
import { Failure } from '../../base/failure.tsx';
import { Card, Figures } from '../../base/page.tsx';
import { CostUnknown, MoneyNotices, NetworksTable, timeTaken, WalletsTable } from '../../base/plan-money.tsx';
import { BatchLink, batchPath, None, Sums, Time, WalletBalance } from '../../base/values.tsx';
import { useChange } from '../../forms/use-change.ts';
import { formatAmount, formatCount } from '../../texts/format.ts';
import { type TextId, t } from '../../texts/i18n.ts';
import { problemDetail, problemTitle } from '../../texts/problem-text.ts';
import { reasonText } from '../../texts/reason-text.ts';
import type { Draft, DraftPlan } from './draft-queries.ts';
import { RunIdField } from './run-id-field.tsx';
import '../../styles/figure-line.css';

/** The plan of the draft as it stands, and how it is made. */
export type Planning = ReturnType<typeof usePlan>;

export function usePlan({ draft_id, version }: Draft) {
  // Links of a batch lead to a draft within its run.
  const [entered, setRunId] = useState(() => new URLSearchParams(location.search).get('run') ?? '');
  const runId = entered.trim();
  const { data, variables, error, isPending, mutate } = useChange(
    (run_id: string) =>
      change('/api/v1/drafts/{draft_id}/plan', {
        path: { draft_id },
        body: { version, ...(run_id === '' ? {} : { run_id }) },
      }),
    // Rows that earlier payments hold have another state now.
    { reads: ['draft', 'draft-rows'].map((kind) => [kind, draft_id]) },
  );
  // A change of the draft cancels its batch, because the plan no longer matches the rows. Nor is a plan for another run
  // submitted than the one that the page names.
  const plan = data?.version === version && variables === runId ? data : null;
  return { plan, error, isPending, entered, setRunId, make: () => mutate(runId) };
}

interface PlanProps {
  draft: Draft;
  planning: Planning;
  isReady: boolean;
  isOpen: boolean;
}

/** The plan of the batch, and its submission: exactly the planned batch is submitted. */
export function PlanPart({ draft, planning, isReady, isOpen }: PlanProps) {
  const [, go] = useLocation();
  const path = { draft_id: draft.draft_id };
  const { plan } = planning;
  const { make } = planning;
  const submitting = useMutation({
    mutationFn: (batch_id: string) => change('/api/v1/drafts/{draft_id}/submit', { path, body: { batch_id } }),
    onSuccess: ({ batch_id }) => go(batchPath(batch_id)),
  });
  if (!isOpen || draft.totals === null) return null;
  const { valid } = draft.totals.counts;
  return (
    <Card title={t('draft.plan')}>
      <div className="stack">
        <div className="columns">
          <RunIdField draft={draft} value={planning.entered} onChange={planning.setRunId} />
        </div>
        <div>
          <Button
            look={plan === null ? 'main-action' : undefined}
            isBusy={planning.isPending || !isReady}
            disabledBecause={valid === 0 ? t('draft.nothing_to_pay') : null}
            onClick={make}
          >
            {t('draft.make_plan')}
          </Button>
        </div>
        {planning.error !== null && <Failure error={planning.error} onRetry={make} />}
        {plan !== null && <PlanFigures plan={plan} />}
        {submitting.error !== null && <Failure error={submitting.error} />}
        {plan !== null && (
          <div className="figure-line">
            <span>
              <strong>{t('draft.will_pay', { count: plan.plan.to_send })}</strong>{' '}
              {plan.approval_needed !== null && (
                <span className="quiet">{reasonText(plan.approval_reason) ?? t('draft.needs_approval')}</span>
              )}
            </span>
            <Button
              look="main-action"
              isBusy={submitting.isPending}
              disabledBecause={isReady ? null : t('draft.checking')}
              onClick={() => submitting.mutate(plan.batch_id)}
            >
              {t('draft.submit')}
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}

function PlanFigures({ plan: { plan, findings, since, expected_cost, wallets } }: { plan: DraftPlan }) {
  const { balance, done_at, rows_before, unusual } = plan;
  return (
    <>
      <Figures
        figures={[
          {
            ...{ name: t('approval.pays'), value: <Sums sums={plan.sums} products={plan.products} /> },
            more: t('approval.rows_of', { rows: formatCount(plan.to_send), all: plan.rows }),
          },
          {
            ...{ name: t('approval.done_at'), value: <Time at={done_at} /> },
            more: timeTaken(plan),
          },
          rows_before > 0 && { name: t('approval.rows_before'), value: formatCount(rows_before) },
          wallets.length === 0 && {
            name: t('draft.wallets'),
            value:
              balance === null ? (
                <None />
              ) : (
                balance.wallets.map((wallet) => (
                  <div key={wallet.wallet_id}>
                    <WalletBalance wallet={wallet} />
                  </div>
                ))
              ),
          },
        ]}
      />
      <CostUnknown currencies={expected_cost.unknown} />
      <h3>{t('approval.by_network')}</h3>
      <NetworksTable networks={plan.networks} />
      {wallets.length > 0 && (
        <>
          <h3>{t('payout.money')}</h3>
          <WalletsTable {...{ wallets, caption: t('payout.money'), isCostKnown: expected_cost.unknown.length === 0 }} />
        </>
      )}
      <MoneyNotices plan={plan} heading="h3" />
      <Findings {...{ findings, unusual, since }} unpaid={plan.rows - plan.to_send} />
    </>
  );
}

/** Why rows are not paid, and what to check. A row may have several problems, so `unpaid` counts the rows. */
function Findings({
  findings,
  unusual,
  since,
  unpaid,
}: Pick<DraftPlan, 'findings' | 'since'> & Pick<DraftPlan['plan'], 'unusual'> & { unpaid: number }) {
  return (
    <>
      {findings.problems.length > 0 && (
        <h3>{t('base.labelled', { label: t('approval.not_paid'), value: t('payments.rows', { count: unpaid }) })}</h3>
      )}
      <ul className="plain-list">
        {findings.problems.map(({ code, count, examples: [example] }) => (
          <li key={code}>
            <strong>{formatCount(count)}</strong> · {problemTitle(code)}{' '}
            <span className="quiet">{problemDetail({ code, values: example?.values ?? {} })}</span>
          </li>
        ))}
      </ul>
      {unusual.length > 0 && <h3>{t('approval.unusual')}</h3>}
      <ul className="plain-list">
        {unusual.map(({ currency, amount, usual, lines }) => (
          <li key={`${currency} ${amount}`}>
            {t('draft.unusual', {
              amount: `${formatAmount(amount, currency)} ${currency}`,
              usual: formatAmount(usual, currency),
              lines: lines.map(formatCount).join(', '),
            })}
          </li>
        ))}
        {since !== null && (
          <li>
            {t('draft.since')} <BatchLink id={since.batch_id} />:{' '}
            {t('draft.since_numbers', {
              fresh: since.new_numbers,
              missing: since.missing_numbers,
              changed: since.changed,
            })}
            <SinceNumbers since={since} />
          </li>
        )}
      </ul>
    </>
  );
}

/** Some of the numbers that are new, missing or paid another amount. */
function SinceNumbers({ since }: { since: NonNullable<DraftPlan['since']> }) {
  const { new_examples, missing_examples, changed_examples } = since;
  const money = (amount: string, currency: string) => `${formatAmount(amount, currency)} ${currency}`;
  const lists: [TextId, string[]][] = [
    ['approval.new_examples', new_examples.map(({ phone_number }) => phone_number)],
    ['approval.missing_examples', missing_examples.map(({ phone_number }) => phone_number)],
    [
      'approval.changed_examples',
      changed_examples.map(
        ({ phone_number, before, amount, currency }) =>
          `${phone_number} (${money(before, currency)} → ${money(amount, currency)})`,
      ),
    ],
  ];
  return lists
    .filter(([, numbers]) => numbers.length > 0)
    .map(([label, numbers]) => (
      <div key={label} className="small quiet">
        {t('base.labelled', { label: t(label), value: numbers.join(', ') })}
      </div>
    ));
}
