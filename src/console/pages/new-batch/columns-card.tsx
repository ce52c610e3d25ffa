import { useState } from 'react';
import { Button } from '../../base/button.tsx';
import { Select } from '../../base/field.tsx';
import { Card } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import type { TextId } from '../../texts/i18n.ts';
import { t } from '../../texts/i18n.ts';
import { reasonText } from '../../texts/reason-text.ts';
import type { Draft, DraftColumn } from './draft-queries.ts';
import type { DraftEditor } from './use-draft-editor.ts';

const fields = [
  ...(['phone_number', 'network_id', 'amount', 'currency', 'product_id'] as const),
  ...(['reference', 'country', 'sms_message'] as const),
];
type Field = (typeof fields)[number];

const unread = '-';

/** What each column is read as. It is open where a person must choose. */
export function ColumnsCard({ draft, editor, isOpen }: { draft: Draft; editor: DraftEditor; isOpen: boolean }) {
  const { rejection, columns } = draft;
  const [isShown, setShown] = useState(false);
  const mustChoose = rejection !== null;
  const read = columns.filter(({ field }) => field !== null);
  return (
    <Card
      title={t('draft.columns')}
      isFlush
      actions={
        !mustChoose && (
          <Button look="link" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {t(isShown ? 'draft.columns_hide' : 'base.change')}
          </Button>
        )
      }
    >
      {rejection !== null && (
        <div className="notice tone-attention card-part" role="status">
          <h3>{t(isOfColumns(rejection) ? 'draft.unclear' : 'draft.not_payable')}</h3>
          <p>{reasonText(rejection.reason) ?? rejection.message}</p>
        </div>
      )}
      {mustChoose || isShown ? (
        <Mapping key={JSON.stringify(draft.options)} draft={draft} editor={editor} isOpen={isOpen} />
      ) : (
        <p className="card-part quiet">
          {read.map(({ name, field }) => `${name} → ${t(fieldText(field as Field))}`).join(' · ')}
        </p>
      )}
    </Card>
  );
}

/** Whether a person solves it by saying what the columns mean. */
function isOfColumns({ reason }: NonNullable<Draft['rejection']>): boolean {
  return reason === null || /^(COLUMN|CURRENCY)_/.test(reason.code);
}

function ColumnName({ column: { name, is_hidden } }: { column: DraftColumn }) {
  return (
    <>
      {name} {is_hidden && <Badge tone="attention">{t('draft.hidden_column')}</Badge>}
    </>
  );
}

function fieldText(field: Field): TextId {
  return `draft.field.${field}`;
}

function Mapping({ draft, editor, isOpen }: { draft: Draft; editor: DraftEditor; isOpen: boolean }) {
  const { columns, options } = draft;
  const [chosen, setChosen] = useState(() => new Map(columns.map((one) => [one.column, one.field ?? one.likely])));
  const taken = (column: number, field: Field) => [...chosen].some(([other, has]) => other !== column && has === field);
  const save = () => {
    const map: Partial<Record<Field, string>> = {};
    for (const { column, name } of columns) {
      const field = chosen.get(column);
      if (field) map[field] = name;
    }
    const { sheet: _, header_line: __, ...changeable } = options;
    void editor.edit({ options: { ...changeable, map } }).catch(() => undefined);
  };
  return (
    <>
      <Table
        caption={t('draft.columns')}
        rows={columns}
        keyOf={({ column }) => column}
        stacks
        columns={[
          { id: 'name', label: t('draft.column'), isHead: true, cell: (column) => <ColumnName column={column} /> },
          {
            id: 'values',
            label: t('draft.values'),
            cell: ({ values }: DraftColumn) => <span className="quiet wrap">{values.join(' · ')}</span>,
          },
          {
            id: 'field',
            label: t('draft.read_as'),
            cell: ({ column, name }: DraftColumn) => (
              <Select
                label={t('draft.read_as_of', { column: name })}
                isLabelHidden
                value={chosen.get(column) ?? unread}
                disabled={!isOpen}
                options={[
                  { value: unread, label: t('draft.not_read') },
                  ...fields
                    .filter((field) => !taken(column, field))
                    .map((field) => ({ value: field as string, label: t(fieldText(field)) })),
                ]}
                onPick={(value) =>
                  setChosen(new Map([...chosen, [column, value === unread ? null : (value as Field)]]))
                }
              />
            ),
          },
        ]}
      />
      {isOpen && (
        <div className="card-part line">
          <Button look="main-action" isBusy={editor.isBusy} onClick={save}>
            {t('draft.use_columns')}
          </Button>
          <span className="quiet small">{t('draft.remembered')}</span>
        </div>
      )}
    </>
  );
}
