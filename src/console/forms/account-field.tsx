import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { Loaded } from '../base/failure.tsx';
import { Select } from '../base/field.tsx';
import { EmptyCard } from '../base/page.tsx';
import { t } from '../texts/i18n.ts';

/** The content with the accounts that the person sees. */
export function WithAccounts({ children }: { children: (accounts: string[]) => ReactNode }) {
  const query = useQuery({ queryKey: ['accounts'], queryFn: () => get('/api/v1/accounts') });
  return (
    <Loaded query={query}>
      {({ accounts }) => (accounts.length === 0 ? <NoAccount /> : children(accounts.map(({ account }) => account)))}
    </Loaded>
  );
}

/** There is no account, or the person sees none. */
export function NoAccount() {
  return (
    <EmptyCard title={t('base.no_account')}>
      <p>{t('base.no_account_help')}</p>
    </EmptyCard>
  );
}

/** The accounts that somebody sees; none is named: all. */
export function accountsText(accounts: readonly string[]): string {
  return accounts.length === 0 ? t('shell.all_accounts') : accounts.join(', ');
}

interface AccountProps {
  accounts: readonly string[];
  value: string;
  onPick: (account: string) => void;
}

export function AccountField({ accounts, value, onPick }: AccountProps) {
  const options = accounts.map((account) => ({ value: account, label: account }));
  return <Select label={t('batches.column.account')} value={value} options={options} onPick={onPick} />;
}
