import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dialog } from '../../base/dialog.tsx';
import { Failure } from '../../base/failure.tsx';
import { Select } from '../../base/field.tsx';
import { Table } from '../../base/table.tsx';
import { toast } from '../../base/toast.tsx';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { problemTitle } from '../../texts/problem-text.ts';
import { type Draft, type GroupFix, type ProblemGroup, previewOf } from './draft-queries.ts';
import type { DraftEditor } from './use-draft-editor.ts';
import { CountryValue, CurrencyValue, DecimalValue, NetworkValue } from './value-fields.tsx';

interface FixProps {
  draft: Draft;
  group: ProblemGroup;
  editor: DraftEditor;
  onClose: () => void;
}

const everyValue = '';

/** One fix for all rows with a problem: the person's choice, and each change before and after. */
export function FixDialog({ draft, group, editor, onClose }: FixProps) {
  const [name, setName] = useState(group.fixes[0]?.fix ?? 'exclude_rows');
  const [value, setValue] = useState('');
  const [only, setOnly] = useState(everyValue);
  const [error, setError] = useState<unknown>(null);
  const needed = group.fixes.find(({ fix }) => fix === name)?.value ?? null;
  const fix: GroupFix = {
    ...{ code: group.code, column: group.column, fix: name },
    ...(needed === null ? {} : { value }),
    ...(only === everyValue ? {} : { only }),
  };
  const isComplete = needed === null || value !== '';
  const preview = useQuery({
    queryKey: ['draft-fix', draft.draft_id, draft.version, fix],
    queryFn: () => previewOf(draft.draft_id, fix),
    enabled: isComplete,
  });
  const mended = preview.data?.mended ?? 0;
  const apply = async () => {
    try {
      await editor.edit({ fix });
      toast(t('draft.fixed', { count: mended }));
      onClose();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <Dialog
      title={problemTitle(group.code)}
      submitText={isComplete && preview.data ? t('draft.fix_rows', { count: mended }) : t('draft.mend')}
      work={{ isPending: editor.isBusy || !isComplete || preview.data === undefined || mended === 0, error }}
      onSubmit={() => void apply()}
      onClose={onClose}
    >
      <Select
        label={t('draft.fix')}
        value={name}
        options={group.fixes.map((one) => ({ value: one.fix, label: t(`draft.fix.${one.fix}`) }))}
        onPick={(picked) => {
          setName(picked);
          setValue('');
        }}
      />
      {group.values.length > 1 && (
        <Select
          label={t('draft.only')}
          value={only}
          options={[
            { value: everyValue, label: t('draft.every_value') },
            ...group.values
              .filter((one) => one.value !== '')
              .map((one) => ({ value: one.value, label: `${one.value} (${formatCount(one.rows)})` })),
          ]}
          onPick={setOnly}
        />
      )}
      {needed !== null && <FixValue draft={draft} kind={needed} value={value} onPick={setValue} />}
      {preview.error !== null && <Failure error={preview.error} onRetry={() => void preview.refetch()} />}
      {isComplete && preview.data !== undefined && <BeforeAfter draft={draft} preview={preview.data} />}
    </Dialog>
  );
}

type Kind = NonNullable<ProblemGroup['fixes'][number]['value']>;

function FixValue({
  draft,
  kind,
  value,
  onPick,
}: {
  draft: Draft;
  kind: Kind;
  value: string;
  onPick: (value: string) => void;
}) {
  const none = t('draft.pick');
  if (kind === 'decimal') return <DecimalValue {...{ value, onPick, none }} />;
  if (kind === 'country') return <CountryValue {...{ draft, value, onPick, none }} />;
  if (kind === 'network_id') return <NetworkValue {...{ draft, value, onPick, none }} />;
  return <CurrencyValue {...{ value, onPick }} />;
}

function BeforeAfter({
  draft,
  preview: { mended, left, examples },
}: {
  draft: Draft;
  preview: Awaited<ReturnType<typeof previewOf>>;
}) {
  return (
    <div className="stack tight" aria-live="polite">
      <p>
        <strong>{t('draft.will_mend', { count: mended })}</strong>{' '}
        {left > 0 && <span className="quiet">{t('draft.will_leave', { count: left })}</span>}
      </p>
      {examples.length > 0 && (
        <Table
          caption={t('draft.before_after')}
          rows={examples}
          keyOf={({ row, column }) => `${row} ${column}`}
          stacks
          columns={[
            {
              id: 'row',
              label: t('draft.line'),
              isHead: true,
              cell: ({ line }) => `${t('draft.line')} ${formatCount(line)}`,
            },
            { id: 'before', label: t('draft.before'), cell: ({ before }) => <del>{before}</del> },
            {
              id: 'after',
              label: t('draft.after'),
              cell: ({ column, after }) => (column === null ? t('draft.left_out') : <ins>{after}</ins>),
            },
            {
              id: 'column',
              label: t('draft.column'),
              cell: ({ column }) => (column === null ? t('draft.whole_row') : draft.columns[column]?.name),
            },
          ]}
        />
      )}
    </div>
  );
}
