import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { answered, api, change } from '../../api/client.ts';
import { Button } from '../../base/button.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Field, Select } from '../../base/field.tsx';
import { Card, Page } from '../../base/page.tsx';
import { t } from '../../texts/i18n.ts';
import { ReconciliationResult } from './reconciliation-result.tsx';

const dayMs = 86_400_000;

/** Ledger, service and wallets side by side for a time. */
export function ReconciliationPage() {
  const query = useQuery({ queryKey: ['accounts'], queryFn: () => answered(api.GET('/api/v1/accounts')) });
  return (
    <Page title={t('nav.reconciliation')} sub={t('reconciliation.sub')}>
      <Loaded query={query}>
        {({ accounts }) => <Comparison accounts={accounts.map(({ account }) => account)} />}
      </Loaded>
    </Page>
  );
}

function Comparison({ accounts }: { accounts: string[] }) {
  const [account, setAccount] = useState(accounts[0] ?? '');
  const [from, setFrom] = useState(() => dayOf(Date.now() - 7 * dayMs));
  const [to, setTo] = useState(() => dayOf(Date.now()));
  const [isChecked, setChecked] = useState(false);
  const isBackwards = from === '' || to === '' || from > to;
  const compare = useMutation({
    mutationFn: () => {
      // Whole days of the reader's zone; the last one until now, if it is today.
      const end = Math.min(Date.parse(`${to}T00:00`) + dayMs, Date.now());
      const period = { from: new Date(`${from}T00:00`).toISOString(), to: new Date(end).toISOString() };
      return change('/api/v1/reconciliations', { body: { account, ...period } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!isBackwards) compare.mutate();
  };
  const { data, error, isPending } = compare;
  return (
    <>
      <Card>
        <form className="period" onSubmit={submit} noValidate>
          <Select
            label={t('batches.column.account')}
            value={account}
            options={accounts.map((value) => ({ value, label: value }))}
            onPick={setAccount}
          />
          <Field
            label={t('reconciliation.from')}
            type="date"
            value={from}
            onChange={({ target }) => setFrom(target.value)}
          />
          <Field
            label={t('reconciliation.to')}
            type="date"
            value={to}
            onChange={({ target }) => setTo(target.value)}
            fault={isChecked && isBackwards ? t('reconciliation.backwards') : null}
          />
          <Button type="submit" look="main-action" isBusy={isPending}>
            {t('reconciliation.compare')}
          </Button>
        </form>
        <p className="small quiet">
          {t('reconciliation.zone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}
        </p>
      </Card>
      {isPending && (
        <p className="quiet" role="status">
          {t('reconciliation.comparing')}
        </p>
      )}
      {error !== null && <Failure error={error} onRetry={() => compare.mutate()} />}
      {data !== undefined && <ReconciliationResult result={data} />}
    </>
  );
}

/** A day in the reader's zone for an input: `2026-11-26`. */
function dayOf(ms: number): string {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}
