import { useState } from 'react';
import { change, type ResultOf } from '../../api/client.ts';
import { Field } from '../../base/field.tsx';
import { Card, Empty, Figures } from '../../base/page.tsx';
import { Badge, RowBadge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { BatchLink, Sums, Time } from '../../base/values.tsx';
import { FormWithResult } from '../../forms/form-with-result.tsx';
import { formatCount, formatTime } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { rowReason } from '../../texts/problem-text.ts';
import { Asked, Cost } from '../batch/row-values.tsx';

type Found = ResultOf<'/api/v1/payment-searches'>;
type Payment = Found['payments'][number];

const exampleNumber = '+254 712 345 678';

/** What was sent to one phone number, in all batches. The number is not in the address of the page. */
export function PersonPanel() {
  const [number, setNumber] = useState('');
  return (
    <FormWithResult
      entered={() => number.trim() || null}
      request={(wanted) => change('/api/v1/payment-searches', { body: { number: wanted } })}
      submitText={t('payments.find')}
      note={t('payments.number_help')}
      result={(found) => <Result found={found} />}
    >
      <Field
        label={t('payments.number')}
        type="tel"
        autoComplete="off"
        placeholder={exampleNumber}
        value={number}
        onText={setNumber}
      />
    </FormWithResult>
  );
}

function Result({ found }: { found: Found }) {
  const { phone_number, payments, is_cut, forgotten_batches } = found;
  return (
    <>
      {payments.length > 0 && <Totals found={found} />}
      {is_cut && <p className="notice tone-attention">{t('payments.cut', { count: payments.length })}</p>}
      {forgotten_batches > 0 && (
        <p className="notice tone-attention">{t('payments.forgotten', { count: forgotten_batches })}</p>
      )}
      <Card isFlush={payments.length > 0}>
        {payments.length === 0 ? (
          <Empty title={t('payments.none', { number: phone_number })}>
            <p>{t('payments.none_help')}</p>
          </Empty>
        ) : (
          <Payments payments={payments} caption={t('payments.sent_to', { number: phone_number })} />
        )}
      </Card>
    </>
  );
}

function Totals({ found }: { found: Found }) {
  const { paid_rows, paid, paid_products, charged, open_rows, open, paid_twice_rows, refunded_rows } = found;
  const counted = (name: string, count: number, more: string) =>
    count === 0 ? [] : [{ name, value: formatCount(count), more }];
  return (
    <Figures
      figures={[
        {
          name: t('payments.paid'),
          value: <Sums sums={paid} products={paid_products} />,
          more: t('payments.rows', { count: paid_rows }),
        },
        { name: t('batches.column.charged'), value: <Sums sums={charged} /> },
        ...(open_rows === 0
          ? []
          : [
              { name: t('payments.open'), value: <Sums sums={open} />, more: t('payments.rows', { count: open_rows }) },
            ]),
        ...counted(t('payments.twice'), paid_twice_rows, t('payments.twice_help')),
        ...counted(t('payments.refunded'), refunded_rows, t('payments.refunded_help')),
      ]}
    />
  );
}

function Payments({ payments, caption }: { payments: Payment[]; caption: string }) {
  return (
    <Table
      caption={caption}
      rows={payments}
      keyOf={({ batch_id, row_no }) => `${batch_id} ${row_no}`}
      stacks
      columns={[
        {
          ...{ id: 'run', label: t('batches.column.batch'), isHead: true },
          cell: ({ batch_id, row_no, run_id, file_name }) => (
            <>
              <BatchLink id={batch_id} run={run_id} row={row_no} />
              <div className="quiet small name-cell">
                {file_name} · <span className="nowrap">{t('rows.one', { row: row_no })}</span>
              </div>
            </>
          ),
        },
        { id: 'person', label: t('rows.person'), cell: ({ person }) => person },
        { id: 'amount', label: t('rows.amount'), isNumber: true, cell: (row) => <Asked row={row} /> },
        { id: 'state', label: t('base.state'), cell: (row) => <State row={row} /> },
        { id: 'cost', label: t('batches.column.charged'), isNumber: true, cell: (row) => <Cost row={row} /> },
        { id: 'sent', label: t('rows.sent'), cell: ({ sent_at }) => <Time at={sent_at} /> },
        ...(payments.some(whyOf)
          ? [
              {
                ...{ id: 'why', label: t('base.reason') },
                cell: (row: Payment) => whyOf(row) && <span className="small quiet wrap">{whyOf(row)}</span>,
              },
            ]
          : []),
      ]}
    />
  );
}

function State({ row: { status, counts_as_paid, second_topup_id } }: { row: Payment }) {
  return (
    <div className="state-cell">
      <RowBadge state={status} />
      {status !== 'completed' && counts_as_paid && <Badge tone="attention">{t('payments.counts')}</Badge>}
      {status === 'completed' && !counts_as_paid && <Badge tone="bad">{t('payments.counts_not')}</Badge>}
      {second_topup_id !== null && <Badge tone="bad">{t('payments.twice')}</Badge>}
    </div>
  );
}

function whyOf({ refunded_at, second_topup_id, ...row }: Payment): string {
  const refunded = refunded_at === null ? null : t('payments.refunded_at', { time: formatTime(refunded_at) });
  return [rowReason(row), refunded, second_topup_id].filter((part) => part !== null && part !== '').join(' · ');
}
