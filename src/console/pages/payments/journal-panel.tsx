import { useState } from 'react';
import { Link } from 'wouter';
import { change, type ResultOf } from '../../api/client.ts';
import { Button } from '../../base/button.tsx';
import { Field, Select } from '../../base/field.tsx';
import { Card, Figures } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { BatchLink, Count, Money, Sums } from '../../base/values.tsx';
import { AccountField } from '../../forms/account-field.tsx';
import { FormWithResult } from '../../forms/form-with-result.tsx';
import { NothingThen, PeriodFields, periodZone, usePeriod } from '../../forms/period.tsx';
import { formatCount, formatDate } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';

type Journal = ResultOf<'/api/v1/accounts/{account}/journal'>;

const formats = ['plain', 'quickbooks', 'xero'] as const;
const formatNames = { quickbooks: 'QuickBooks', xero: 'Xero' };
const daysShown = 31;

/** What left the wallets of an account, as double-entry lines for an accounting program. */
export function JournalPanel({ accounts }: { accounts: string[] }) {
  const [account, setAccount] = useState(accounts[0] ?? '');
  const [format, setFormat] = useState<(typeof formats)[number]>('plain');
  const [expense, setExpense] = useState('Airtime');
  const period = usePeriod(daysShown);
  return (
    <FormWithResult
      entered={period.times}
      request={(times) => {
        const named = expense.trim() === '' ? {} : { expense: expense.trim() };
        const body = { ...times, format, ...named };
        return change('/api/v1/accounts/{account}/journal', { path: { account }, body });
      }}
      submitText={t('payments.make')}
      note={periodZone()}
      result={(journal) => <Entries journal={journal} />}
    >
      <AccountField accounts={accounts} value={account} onPick={setAccount} />
      <PeriodFields period={period} />
      <Select
        label={t('payments.format')}
        value={format}
        options={formats.map((value) => ({
          value,
          label: value === 'plain' ? t('payments.format_plain') : formatNames[value],
        }))}
        onPick={setFormat}
      />
      <Field label={t('payments.expense')} value={expense} maxLength={100} onText={setExpense} />
    </FormWithResult>
  );
}

function Entries({ journal }: { journal: Journal }) {
  const { entries, totals, uncertain, wallets } = journal;
  const unexplained = (wallets?.currencies ?? []).filter((one) => Number(one.unexplained) !== 0);
  if (entries.length === 0 && unexplained.length === 0) return <NothingThen title={t('payments.no_entries')} />;
  return (
    <>
      <Figures
        figures={[
          { name: t('payments.left'), value: <Sums sums={totals} /> },
          { name: t('payments.entries'), value: formatCount(entries.length) },
          ...unexplained.map(({ currency, unexplained: amount }) => ({
            name: t('reconciliation.wallet', { currency }),
            value: <Money value={amount} currency={currency} />,
          })),
        ]}
      />
      {uncertain > 0 && (
        <p className="notice tone-attention">
          {t('payments.uncertain', { count: uncertain })} <Link href="/reconciliation">{t('nav.reconciliation')}</Link>
        </p>
      )}
      <Card
        isFlush
        title={t('payments.entries')}
        actions={
          <Button look="main-action" onClick={() => save(journal)}>
            {t('payments.download')}
          </Button>
        }
      >
        <EntryTable entries={entries} />
      </Card>
    </>
  );
}

function EntryTable({ entries }: Pick<Journal, 'entries'>) {
  return (
    <Table
      caption={t('payments.entries')}
      rows={entries}
      keyOf={({ date, batch_id, kind, currency }) => `${date} ${batch_id} ${kind} ${currency}`}
      stacks
      columns={[
        { id: 'date', label: t('payments.day'), cell: ({ date }) => formatDate(date) },
        {
          ...{ id: 'batch', label: t('batches.column.batch'), isHead: true },
          cell: ({ batch_id, run_id }) => <BatchLink id={batch_id} run={run_id} />,
        },
        { id: 'kind', label: t('payments.kind'), cell: ({ kind }) => t(`payments.kind.${kind}`) },
        { id: 'payments', label: t('nav.payments'), isNumber: true, cell: (entry) => <Count of={entry.payments} /> },
        {
          ...{ id: 'amount', label: t('rows.amount'), isNumber: true },
          cell: ({ amount, currency }) => <Money value={amount} currency={currency} />,
        },
      ]}
    />
  );
}

/** Lets the browser save the lines as a file. */
function save({ csv, account, from, to }: Journal): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
  link.download = `journal-${account}-${from.slice(0, 10)}-${to.slice(0, 10)}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}
