import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { change } from '../../api/client.ts';
import { Button } from '../../base/button.tsx';
import { Failure } from '../../base/failure.tsx';
import { Field, Select } from '../../base/field.tsx';
import { Card } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { draftPath, Sums } from '../../base/values.tsx';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import type { Draft } from './draft-queries.ts';

type Sheet = Draft['sheets'][number];

/** Reads the file again in another way: a new draft takes the place of this one. */
function useReread({ draft_id, version }: Draft) {
  const [, go] = useLocation();
  return useMutation({
    mutationFn: (how: { sheet?: string; header_line?: number }) =>
      change('/api/v1/drafts/{draft_id}/reread', { path: { draft_id }, body: { ...how, version } }),
    onSuccess: (draft) => go(draftPath(draft.draft_id), { replace: true }),
  });
}

/** Asks which sheet of a workbook holds the payments: only a person knows. */
export function SheetsCard({ draft, isOpen }: { draft: Draft; isOpen: boolean }) {
  const reading = useReread(draft);
  return (
    <Card title={t('draft.which_sheet')} isFlush>
      <p className="card-part quiet">{t('draft.which_sheet_help')}</p>
      {reading.error !== null && <Failure error={reading.error} />}
      <Table
        caption={t('draft.which_sheet')}
        rows={draft.sheets}
        keyOf={({ name }) => name}
        stacks
        columns={[
          { id: 'name', label: t('draft.sheet'), isHead: true, cell: (sheet) => <SheetName sheet={sheet} /> },
          {
            id: 'rows',
            label: t('approval.to_pay_rows'),
            isNumber: true,
            cell: ({ rows }) => formatCount(rows),
          },
          { id: 'sums', label: t('payout.sum'), isNumber: true, cell: ({ sums }) => <Sums sums={sums} /> },
          {
            id: 'read',
            label: '',
            cell: ({ name, rows }) =>
              isOpen &&
              rows > 0 && (
                <Button
                  isBusy={reading.isPending}
                  aria-label={t('draft.read_sheet_of', { name })}
                  onClick={() => reading.mutate({ sheet: name })}
                >
                  {t('draft.read_sheet')}
                </Button>
              ),
          },
        ]}
      />
    </Card>
  );
}

function SheetName({ sheet: { name, is_active } }: { sheet: Sheet }) {
  return (
    <>
      {name} {is_active && <Badge tone="neutral">{t('draft.sheet_active')}</Badge>}
    </>
  );
}

/** The sheet and the header line of a draft that has rows: another one gives other rows. */
export function RereadPart({ draft }: { draft: Draft }) {
  const { options, sheets, undo } = draft;
  const reading = useReread(draft);
  const now = { sheet: options.sheet ?? '', line: options.header_line?.toString() ?? '' };
  const [sheet, setSheet] = useState(now.sheet);
  const [line, setLine] = useState(now.line);
  const isSame = sheet === now.sheet && line === now.line;
  const isLine = line === '' || /^[1-9][0-9]{0,2}$/.test(line);
  const read = () =>
    reading.mutate({
      ...(sheet === '' ? {} : { sheet }),
      // Another sheet has its header in another line.
      ...(line === '' || (sheet !== now.sheet && line === now.line) ? {} : { header_line: Number(line) }),
    });
  return (
    <>
      <div className="fields">
        {sheets.length > 0 && (
          <Select
            label={t('draft.sheet')}
            value={sheet}
            options={sheets.map(({ name, rows }) => ({
              value: name,
              label: `${name} (${t('payments.rows', { count: rows })})`,
            }))}
            onPick={setSheet}
          />
        )}
        <Field
          label={t('draft.header_line')}
          help={t('draft.header_line_help')}
          fault={isLine ? null : t('draft.header_line_fault')}
          inputMode="numeric"
          value={line}
          onText={(text) => setLine(text.trim())}
        />
      </div>
      {reading.error !== null && <Failure error={reading.error} />}
      {!isSame && isLine && (
        <div className="line">
          <Button isBusy={reading.isPending} onClick={read}>
            {t('draft.read_again')}
          </Button>
          {undo !== null && <span className="small tone-attention notice">{t('draft.read_again_help')}</span>}
        </div>
      )}
    </>
  );
}
