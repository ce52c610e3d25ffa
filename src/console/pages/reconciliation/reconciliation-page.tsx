import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { change } from '../../api/client.ts';
import { Page } from '../../base/page.tsx';
import { AccountField, WithAccounts } from '../../forms/account-field.tsx';
import { FormWithResult } from '../../forms/form-with-result.tsx';
import { PeriodFields, periodZone, usePeriod } from '../../forms/period.tsx';
import { t } from '../../texts/i18n.ts';
import { EarlierCard } from './earlier-card.tsx';
import { reconciliationsKey } from './reconciliation-queries.ts';
import { ReconciliationResult } from './reconciliation-result.tsx';

const daysShown = 7;

/** Ledger, service and wallets side by side for a time, and the comparisons that were made before. */
export function ReconciliationPage() {
  return (
    <Page title={t('nav.reconciliation')} sub={t('reconciliation.sub')}>
      <WithAccounts>
        {(accounts) => (
          <>
            <Comparison accounts={accounts} />
            <EarlierCard />
          </>
        )}
      </WithAccounts>
    </Page>
  );
}

function Comparison({ accounts }: { accounts: string[] }) {
  const [account, setAccount] = useState(accounts[0] ?? '');
  const period = usePeriod(daysShown);
  const client = useQueryClient();
  return (
    <FormWithResult
      entered={period.times}
      request={async (times) => {
        const made = await change('/api/v1/reconciliations', { body: { account, ...times } });
        void client.invalidateQueries({ queryKey: reconciliationsKey });
        return made;
      }}
      submitText={t('reconciliation.compare')}
      busyText={t('reconciliation.comparing')}
      note={periodZone()}
      result={({ reconciliation, is_settled }) => (
        <ReconciliationResult reconciliation={{ ...reconciliation, is_settled }} />
      )}
    >
      <AccountField accounts={accounts} value={account} onPick={setAccount} />
      <PeriodFields period={period} />
    </FormWithResult>
  );
}
