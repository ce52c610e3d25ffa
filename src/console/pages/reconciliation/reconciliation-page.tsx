import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { change } from '../../api/client.ts';
import { Button } from '../../base/button.tsx';
import { Failure } from '../../base/failure.tsx';
import { Card, Page } from '../../base/page.tsx';
import { t } from '../../texts/i18n.ts';
import { AccountField, WithAccounts } from './account-field.tsx';
import { PeriodFields, PeriodZone, usePeriod } from './period.tsx';
import { ReconciliationResult } from './reconciliation-result.tsx';

const daysShown = 7;

/** Ledger, service and wallets side by side for a time. */
export function ReconciliationPage() {
  return (
    <Page title={t('nav.reconciliation')} sub={t('reconciliation.sub')}>
      <WithAccounts>{(accounts) => <Comparison accounts={accounts} />}</WithAccounts>
    </Page>
  );
}

function Comparison({ accounts }: { accounts: string[] }) {
  const [account, setAccount] = useState(accounts[0] ?? '');
  const period = usePeriod(daysShown);
  const compare = useMutation({
    mutationFn: (times: { from: string; to: string }) =>
      change('/api/v1/reconciliations', { body: { account, ...times } }),
  });
  const start = () => {
    const times = period.times();
    if (times !== null) compare.mutate(times);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start();
  };
  const { data, error, isPending } = compare;
  return (
    <>
      <Card>
        <form className="period" onSubmit={submit} noValidate>
          <AccountField accounts={accounts} value={account} onPick={setAccount} />
          <PeriodFields period={period} />
          <Button type="submit" look="main-action" isBusy={isPending}>
            {t('reconciliation.compare')}
          </Button>
        </form>
        <PeriodZone />
      </Card>
      {isPending && (
        <p className="quiet" role="status">
          {t('reconciliation.comparing')}
        </p>
      )}
      {error !== null && <Failure error={error} onRetry={start} />}
      {data !== undefined && <ReconciliationResult result={data} />}
    </>
  );
}
