import { useState } from 'react';
import { Link } from 'wouter';
import { type Answer, change, get } from '../../api/client.ts';
import { usePages } from '../../api/query-client.ts';
import { useRole } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { Loaded } from '../../base/failure.tsx';
import { TextArea } from '../../base/field.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card, EmptyCard } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { type Column, Table } from '../../base/table.tsx';
import { batchPath, Money, None, Time } from '../../base/values.tsx';
import { useRequiredText } from '../../forms/required-text.ts';
import { useChange } from '../../forms/use-change.ts';
import { hasText, t } from '../../texts/i18n.ts';
import { reasonText } from '../../texts/reason-text.ts';
import { tones } from './buckets.ts';

type ItemPage = Answer<'/api/v1/reconciliations/{reconciliation_id}/items'>;
export type Item = ItemPage['items'][number];

const itemsPerPage = 50;

/** The result of a row that may still change by itself, so that its line may agree later. */
const underWay: readonly (string | null)[] = ['accepted', 'in_doubt', 'sending'];

function isWaiting({ bucket, status_here }: Item): boolean {
  return tones[bucket] !== 'bad' || underWay.includes(status_here);
}

/** All open lines: those that are wrong, and apart from them those that wait. A person keeps notes on each. */
export function OpenItems({ id, all, isSettled }: { id: string; all: number; isSettled: boolean }) {
  const [noted, setNoted] = useState<Item | null>(null);
  const query = usePages(['reconciliation', id, 'items'], 0, (after) => {
    const query = { after, limit: itemsPerPage };
    return get('/api/v1/reconciliations/{reconciliation_id}/items', { path: { reconciliation_id: id }, query });
  });
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        if (items.length === 0)
          return (
            <EmptyCard title={t(isSettled ? 'reconciliation.none_open' : 'reconciliation.lines_agree')}>
              <p>{t(isSettled ? 'reconciliation.none_open_help' : 'reconciliation.lines_agree_help')}</p>
            </EmptyCard>
          );
        return (
          <>
            <p className="small quiet">{t('reconciliation.items', { shown: items.length, all })}</p>
            <Items
              title={t('reconciliation.wrong')}
              items={items.filter((item) => !isWaiting(item))}
              onNote={setNoted}
            />
            <Items title={t('reconciliation.waiting')} items={items.filter(isWaiting)} onNote={setNoted} />
            <MoreRows query={query} label={t('doubts.more')} />
            {noted !== null && <NoteDialog id={id} item={noted} onClose={() => setNoted(null)} />}
          </>
        );
      }}
    </Loaded>
  );
}

/** What a line says of its payment, on both sides. */
export function paymentColumns(): Column<Item>[] {
  return [
    {
      // One column for what names the payment: the sums of both sides need the width.
      ...{ id: 'payment', label: t('reconciliation.payment'), isHead: true },
      cell: (item) => (
        <>
          <div>
            <Badge tone={tones[item.bucket]}>{t(`bucket.${item.bucket}`)}</Badge>
          </div>
          {item.batch_id !== null && (
            <div>
              <RowLink batchId={item.batch_id} row={item.row} />
            </div>
          )}
          {item.topup_id !== null && (
            <div className="small quiet wrap">
              {t('base.labelled', { label: t('rows.topup'), value: item.topup_id })}
            </div>
          )}
        </>
      ),
    },
    {
      ...{ id: 'here', label: t('reconciliation.here'), isNumber: true },
      cell: (item) => <Side status={item.status_here} amount={item.amount_here} cost={item.cost_here} />,
    },
    {
      ...{ id: 'there', label: t('reconciliation.there'), isNumber: true },
      cell: (item) => <Side status={item.status_there} amount={item.amount_there} cost={item.cost_there} />,
    },
  ];
}

function Items({ title, items, onNote }: { title: string; items: readonly Item[]; onNote: (item: Item) => void }) {
  const mayNote = useRole('operate');
  if (items.length === 0) return null;
  return (
    <Card title={title} isFlush>
      <Table
        caption={title}
        rows={items}
        keyOf={({ item_no }) => item_no}
        stacks
        columns={[
          ...paymentColumns(),
          {
            ...{ id: 'next', label: t('reconciliation.next') },
            cell: ({ next, next_reason }) => <span className="wrap">{reasonText(next_reason) ?? next}</span>,
          },
          {
            ...{ id: 'notes', label: t('reconciliation.notes') },
            cell: (item) => (
              <div>
                {item.notes.map(({ at, person, text }) => (
                  <div key={at + text} className="small wrap">
                    {text}{' '}
                    <span className="quiet">
                      {person}, <Time at={at} />
                    </span>
                  </div>
                ))}
                {mayNote && (
                  <Button look="link" onClick={() => onNote(item)}>
                    {t('reconciliation.note')}
                  </Button>
                )}
              </div>
            ),
          },
        ]}
      />
    </Card>
  );
}

function NoteDialog({ id, item, onClose }: { id: string; item: Item; onClose: () => void }) {
  const note = useRequiredText('reconciliation.note_missing');
  const path = { reconciliation_id: id, item_no: item.item_no };
  const keep = useChange(
    () =>
      change('/api/v1/reconciliations/{reconciliation_id}/items/{item_no}/note', { path, body: { note: note.text } }),
    { reads: [['reconciliation', id]], onDone: onClose },
  );
  const submit = () => {
    if (note.check()) keep.mutate();
  };
  return (
    <Dialog
      title={t('reconciliation.note')}
      onClose={onClose}
      onSubmit={submit}
      submitText={t('base.save')}
      work={keep}
    >
      <TextArea label={t('reconciliation.note_text')} help={t('reconciliation.note_help')} {...note.field} />
    </Dialog>
  );
}

function RowLink({ batchId, row }: { batchId: string; row: Item['row'] }) {
  return (
    <Link href={`${batchPath(batchId)}${row === null ? '' : `?row=${row}`}`}>
      {batchId}
      {row !== null && (
        <>
          , <span className="nowrap">{t('rows.one', { row })}</span>
        </>
      )}
    </Link>
  );
}

/** A state of the ledger's rows, or one of the service that has the same name; others are the service's own terms. */
function statusText(status: string): string {
  const id = `state.row.${status}`;
  return hasText(id) ? t(id) : status;
}

/** An amount such as `12.50 KES`, or the id of a product. */
function Amount({ text }: { text: string | null }) {
  const [, value, currency] = /^(-?[0-9.]+) ([A-Z]{3})$/.exec(text ?? '') ?? [];
  return value === undefined || currency === undefined ? text : <Money value={value} currency={currency} />;
}

/** A payment as one side has it. */
function Side({ status, amount, cost }: { status: string | null; amount: string | null; cost: string | null }) {
  return [status, amount, cost].some((one) => one !== null) ? (
    <>
      {status !== null && statusText(status)}
      <div>
        <Amount text={amount} />
      </div>
      <div className="small quiet">
        <Amount text={cost} />
      </div>
    </>
  ) : (
    <None />
  );
}
