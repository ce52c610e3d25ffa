import { useState } from 'react';
import { change } from '../../api/client.ts';
import { useRole } from '../../api/session.ts';
import { Field } from '../../base/field.tsx';
import { NoRole, Page } from '../../base/page.tsx';
import { AccountField, WithAccounts } from '../../forms/account-field.tsx';
import { FormWithResult } from '../../forms/form-with-result.tsx';
import { t } from '../../texts/i18n.ts';
import { PayoutResult } from './payout-result.tsx';

const rowsMax = 20_000_000;
const example = { rows: '5000', currency: 'KES' };

/** What a payout of so many rows would take. Nothing is stored or sent. */
export function PayoutPage() {
  const mayPrepare = useRole('prepare');
  return (
    <Page title={t('nav.payout')} sub={t('payout.sub')}>
      {mayPrepare ? (
        <WithAccounts>{(accounts) => <Question accounts={accounts} />}</WithAccounts>
      ) : (
        <NoRole title={t('payout.no_role')} needs="prepare" />
      )}
    </Page>
  );
}

function Question({ accounts }: { accounts: string[] }) {
  const [account, setAccount] = useState(accounts[0] ?? '');
  const [count, setCount] = useState('');
  const [sum, setSum] = useState('');
  const [currency, setCurrency] = useState('');
  const [isChecked, setChecked] = useState(false);
  // Thousands may be grouped: "1.5" is no count.
  const rows = /^[0-9]+$|^[0-9]{1,3}(?:[\s,.][0-9]{3})+$/.test(count.trim()) ? Number(count.replaceAll(/\D/g, '')) : 0;
  const isCount = rows >= 1 && rows <= rowsMax;
  const isSum = (sum.trim() === '') === (currency.trim() === '');
  const entered = () => {
    setChecked(true);
    if (!isCount || !isSum) return null;
    return { rows, ...(sum.trim() === '' ? {} : { sums: { [currency.trim().toUpperCase()]: sum.trim() } }) };
  };
  return (
    <FormWithResult
      entered={entered}
      request={(body) => change('/api/v1/accounts/{account}/plan', { path: { account }, body })}
      submitText={t('payout.make')}
      note={t('payout.sum_help')}
      result={(planned) => <PayoutResult planned={planned} />}
    >
      <AccountField accounts={accounts} value={account} onPick={setAccount} />
      <Field
        label={t('batches.column.rows')}
        inputMode="numeric"
        placeholder={example.rows}
        value={count}
        onText={setCount}
        fault={isChecked && !isCount ? t('payout.rows_fault') : null}
      />
      <Field
        label={t('payout.sum')}
        inputMode="decimal"
        value={sum}
        onText={setSum}
        fault={isChecked && !isSum ? t('payout.sum_fault') : null}
      />
      <Field
        label={t('payout.currency')}
        placeholder={example.currency}
        maxLength={3}
        value={currency}
        onText={setCurrency}
      />
    </FormWithResult>
  );
}
