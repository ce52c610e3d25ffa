import { useState } from 'react';
import { change } from '../../api/client.ts';
import { Page } from '../../base/page.tsx';
import { AccountField, WithAccounts } from '../../forms/account-field.tsx';
import { FormWithResult } from '../../forms/form-with-result.tsx';
import { PeriodFields, periodZone, usePeriod } from '../../forms/period.tsx';
import { t } from '../../texts/i18n.ts';
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
  return (
    <FormWithResult
      entered={period.times}
      request={(times) => change('/api/v1/reconciliations', { body: { account, ...times } })}
      submitText={t('reconciliation.compare')}
      busyText={t('reconciliation.comparing')}
      note={periodZone()}
      result={(compared) => <ReconciliationResult result={compared} />}
    >
      <AccountField accounts={accounts} value={account} onPick={setAccount} />
      <PeriodFields period={period} />
    </FormWithResult>
  );
}
