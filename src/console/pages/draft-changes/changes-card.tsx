import { useState } from 'react';
import { type Answer, get } from '../../api/client.ts';
import { usePages } from '../../api/query-client.ts';
import { Button } from '../../base/button.tsx';
import { Loaded } from '../../base/failure.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { None, Time } from '../../base/values.tsx';
import { formatCount } from '../../texts/format.ts';
import { type TextId, t } from '../../texts/i18n.ts';

type Step = Answer<'/api/v1/drafts/{draft_id}/changes'>['steps'][number];
type Change = Step['changes'][number];
type Draft = Pick<Answer<'/api/v1/drafts/{draft_id}'>, 'draft_id' | 'version' | 'columns' | 'undo' | 'redo'>;

/** Who has changed what in a draft, undone steps included; nothing for a draft that nobody has changed. */
export function ChangesCard({ draft: { draft_id, version, columns, undo, redo } }: { draft: Draft }) {
  const [isShown, setShown] = useState(false);
  const query = usePages(
    ['draft-changes', draft_id, version],
    0,
    (after) => get('/api/v1/drafts/{draft_id}/changes', { path: { draft_id }, query: { after } }),
    { enabled: isShown },
  );
  if (undo === null && redo === null) return null;
  const names = columns.map(({ name }) => name);
  return (
    <Card
      title={t('draft.changes')}
      isFlush
      actions={
        <Button look="link" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {t(isShown ? 'draft.columns_hide' : 'draft.changes_show')}
        </Button>
      }
    >
      {isShown && (
        <Loaded query={query}>
          {({ pages }) => <Steps steps={pages.flatMap(({ steps }) => steps)} names={names} />}
        </Loaded>
      )}
      {isShown && <MoreRows query={query} label={t('doubts.more')} isInCard />}
    </Card>
  );
}

function Steps({ steps, names }: { steps: readonly Step[]; names: readonly string[] }) {
  return (
    <Table
      caption={t('draft.changes')}
      rows={steps}
      keyOf={({ step }) => step}
      stacks
      columns={[
        { id: 'at', label: t('events.at'), cell: ({ done_at }) => <Time at={done_at} isExact /> },
        { id: 'who', label: t('events.who'), cell: ({ done_by }) => done_by },
        { id: 'what', label: t('events.what'), isHead: true, cell: (step) => <What step={step} /> },
        { id: 'detail', label: t('draft.before_after'), cell: (step) => <Cells step={step} names={names} /> },
      ]}
    />
  );
}

/** What a step has changed, and how many cells. */
export function stepText({ kind, detail: fix, cells }: Pick<Step, 'kind' | 'detail' | 'cells'>): string {
  const what = kind === 'fix' ? t(`draft.fix.${fix}` as TextId) : t(`draft.step.${kind}`);
  return kind === 'options' ? what : t('base.labelled', { label: what, value: formatCount(cells) });
}

function What({ step }: { step: Step }) {
  const { undone_by } = step;
  return (
    <>
      {stepText(step)}{' '}
      {undone_by !== null && <Badge tone="attention">{t('draft.undone', { person: undone_by })}</Badge>}
    </>
  );
}

/** The server gives the first changes of each step. */
function Cells({ step: { changes, cells }, names }: { step: Step; names: readonly string[] }) {
  const more = cells - changes.length;
  return (
    <ul className="plain-list small">
      {changes.map((one) => (
        <li key={`${one.row} ${one.column}`} className="wrap">
          <CellChange change={one} names={names} />
        </li>
      ))}
      {more > 0 && <li className="quiet">{t('held.examples', { count: more })}</li>}
    </ul>
  );
}

function CellChange({ change, names }: { change: Change; names: readonly string[] }) {
  const { row, line, column, before, after } = change;
  if (column === -2) return <OptionChanges before={before} after={after} />;
  // As the grid of the rows has it.
  const place = line === null ? t('rows.one', { row: formatCount(row) }) : `${t('draft.line')} ${formatCount(line)}`;
  // The whole row.
  if (column === -1)
    return t('base.labelled', { label: place, value: t(after === '' ? 'draft.put_back' : 'draft.excluded') });
  return (
    <>
      <span className="quiet">
        {place} · {names[column] ?? column + 1}:
      </span>{' '}
      <del>{before}</del> → <ins>{after}</ins>
    </>
  );
}

/** What was changed of how the whole file is read: the options before and after are JSON. */
function OptionChanges({ before, after }: { before: string; after: string }) {
  const [old, now] = [optionsIn(before), optionsIn(after)];
  const changed = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  return (
    <>
      {changed.map((name) => (
        <div key={name}>
          <span className="quiet">{isField(name) ? t(`draft.field.${name}`) : name}:</span>{' '}
          {old.has(name) && <del>{old.get(name)}</del>} → {now.has(name) ? <ins>{now.get(name)}</ins> : <None />}
        </div>
      ))}
    </>
  );
}

const fields = [
  ...(['phone_number', 'network_id', 'amount', 'currency', 'product_id'] as const),
  ...(['reference', 'country', 'sms_message'] as const),
];
type Field = (typeof fields)[number];

function isField(name: string): name is Field {
  return (fields as readonly string[]).includes(name);
}

/** The options by name, and the columns by their meaning. */
function optionsIn(json: string): Map<string, string> {
  const { map = {}, ...options } = JSON.parse(json) as { map?: object };
  return new Map(Object.entries({ ...options, ...map }).map(([name, value]) => [name, String(value)]));
}
