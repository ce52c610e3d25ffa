import { useState } from 'react';
import { useRole } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Loaded } from '../../base/failure.tsx';
import { Card, EmptyCard } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { BatchLink, Sums } from '../../base/values.tsx';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { problemDetail, problemTitle } from '../../texts/problem-text.ts';
import { reasonText } from '../../texts/reason-text.ts';
import { type HeldRows, useHeldRows } from './batch-queries.ts';
import { type Decision, DecisionDialog } from './held-decision.tsx';
import { Asked } from './row-values.tsx';

type Example = HeldRows['reasons'][number]['examples'][number];

/** The held rows of a batch by why they are held; a person releases or skips one, or all of them. */
export function HeldPanel({ batchId, run }: { batchId: string; run: string }) {
  const query = useHeldRows(batchId, true);
  const [decision, setDecision] = useState<Decision | null>(null);
  const mayOperate = useRole('operate');
  return (
    <Loaded query={query}>
      {(held) => {
        const refusal = reasonText(held.refusal_reason) ?? held.refusal;
        // The list is read again while the dialog is open: what is decided stays what was seen.
        const decide = (asked: Omit<Decision, 'seen'>) => setDecision({ ...asked, seen: held.seen });
        const decideAll = (what: Decision['what']) => decide({ what, choice: {}, count: held.held });
        return (
          <>
            {refusal !== null && <p className="notice tone-attention">{refusal}</p>}
            {held.held === 0 && <NoneHeld />}
            {held.reasons.length > 1 && (
              <Card
                title={t('held.title', { count: held.held })}
                actions={
                  mayOperate && (
                    <div className="line">
                      <Button disabledBecause={refusal} onClick={() => decideAll('release')}>
                        {t('held.release_all')}
                      </Button>
                      <Button onClick={() => decideAll('skip')}>{t('held.skip_all')}</Button>
                    </div>
                  )
                }
              >
                <div className="line">
                  {t('doubts.sum')} <Sums sums={held.sums} products={held.products} />
                </div>
              </Card>
            )}
            {held.reasons.map((reason) => (
              <Group
                key={`${reason.code} ${reason.earlier_batch}`}
                run={run}
                reason={reason}
                refusal={refusal}
                onDecide={decide}
              />
            ))}
            {decision !== null && (
              <DecisionDialog batchId={batchId} decision={decision} onClose={() => setDecision(null)} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

export function NoneHeld() {
  return (
    <EmptyCard title={t('held.none')}>
      <p>{t('held.none_help')}</p>
    </EmptyCard>
  );
}

interface GroupProps {
  run: string;
  reason: HeldRows['reasons'][number];
  refusal: string | null;
  onDecide: (decision: Omit<Decision, 'seen'>) => void;
}

function Group({ run, reason, refusal, onDecide }: GroupProps) {
  const mayOperate = useRole('operate');
  const { code, earlier_batch: earlier, count, examples } = reason;
  const decide = (what: Decision['what'], row: number) => onDecide({ what, choice: { rows: [row] }, count: 1 });
  const group = earlier === null ? { code } : { code, earlier_batch: earlier };
  const decideGroup = (what: Decision['what']) => onDecide({ what, choice: group, count });
  return (
    <Card
      isFlush
      title={`${t('held.group', { count })} ${problemTitle(code)}`}
      actions={
        mayOperate && (
          <div className="line">
            <Button disabledBecause={refusal} onClick={() => decideGroup('release')}>
              {t('held.release_group', { count })}
            </Button>
            <Button onClick={() => decideGroup('skip')}>{t('held.skip_group', { count })}</Button>
          </div>
        )
      }
    >
      <GroupNote reason={reason} />
      <Table
        // Of several batches, and of several earlier ones, on one page.
        caption={[run, problemTitle(code), ...(earlier === null ? [] : [earlier])].join(', ')}
        rows={examples}
        keyOf={({ row }) => row}
        stacks
        columns={[
          {
            id: 'row',
            label: t('rows.row'),
            isHead: true,
            cell: ({ row }) => <span className="nowrap">{t('rows.one', { row: formatCount(row) })}</span>,
          },
          { id: 'person', label: t('rows.person'), cell: ({ person, phone_number }) => person ?? phone_number },
          { id: 'amount', label: t('rows.amount'), isNumber: true, cell: (row) => <Asked row={row} /> },
          {
            ...{ id: 'why', label: t('base.reason') },
            cell: ({ problems }) => <span className="wrap">{whyOf(problems, code)}</span>,
          },
          {
            ...{ id: 'decide', label: t('held.decide'), isAction: true },
            cell: ({ row }: Example) =>
              mayOperate && (
                <div className="line">
                  <Button disabledBecause={refusal} onClick={() => decide('release', row)}>
                    {t('held.release')}
                  </Button>
                  <Button onClick={() => decide('skip', row)}>{t('held.skip')}</Button>
                </div>
              ),
          },
        ]}
      />
      {count > examples.length && (
        <p className="card-foot small quiet">
          {t('held.examples', { count: count - examples.length })}. {t('held.alone')}
        </p>
      )}
    </Card>
  );
}

function GroupNote({ reason: { count, sums, earlier_batch: earlier } }: { reason: HeldRows['reasons'][number] }) {
  const isAllProducts = Object.keys(sums).length === 0;
  return (
    <div className="card-note line">
      <Sums sums={sums} products={isAllProducts ? count : 0} />
      {earlier !== null && (
        <span className="small">
          {t('held.earlier')} <BatchLink id={earlier} />
        </span>
      )}
    </div>
  );
}

/** The group's own problem is named above the group. */
function whyOf(problems: Example['problems'], groupCode: string): string {
  return problems
    .flatMap(({ code, message, values }) => {
      const detail = problemDetail({ code, values });
      if (detail === null) return message;
      return code === groupCode ? detail : `${problemTitle(code)}. ${detail}`;
    })
    .join(' ');
}
