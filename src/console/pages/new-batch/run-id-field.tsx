import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { get } from '../../api/client.ts';
import { Field, Select } from '../../base/field.tsx';
import { t } from '../../texts/i18n.ts';
import type { Draft } from './draft-queries.ts';

interface RunIdProps {
  draft: Draft;
  value: string;
  onChange: (runId: string) => void;
}

/** The columns that a report adds to rows that are to be corrected. */
const ofCorrections = ['problem', 'suggestion'];
const batchesMax = 50;

/** The run within which the rows are paid. A file of corrections belongs to the run of the batch that it corrects. */
export function RunIdField({ draft, value, onChange }: RunIdProps) {
  const isCorrection = ofCorrections.every((wanted) => draft.columns.some(({ name }) => name.trim() === wanted));
  return isCorrection ? (
    <CorrectedBatch {...{ draft, value, onChange }} />
  ) : (
    <Field label={t('draft.run_id')} help={t('draft.run_id_help')} value={value} onText={onChange} />
  );
}

function CorrectedBatch({ draft: { account }, value, onChange }: RunIdProps) {
  const { data } = useQuery({
    queryKey: ['batches', 'corrected', account],
    queryFn: () => get('/api/v1/batches', { query: { account, status: ['completed'], limit: batchesMax } }),
  });
  const corrected = (data?.batches ?? []).filter(({ counts }) => (counts.failed ?? 0) + (counts.invalid ?? 0) > 0);
  const likely = corrected[0]?.run_id ?? '';
  // The first proposal stays, and so does what a link or a person names: the list is read again, and another batch may
  // be newer.
  const isChosen = useRef(value !== '');
  const choose = useCallback(
    (runId: string) => {
      isChosen.current = true;
      onChange(runId);
    },
    [onChange],
  );
  useEffect(() => {
    if (likely !== '' && !isChosen.current) choose(likely);
  }, [likely, choose]);
  const names = new Map(corrected.map(({ run_id, file_name }) => [run_id, `${run_id} (${file_name})`]));
  if (value !== '' && !names.has(value)) names.set(value, value);
  return (
    <Select
      label={t('draft.corrects')}
      help={t('draft.corrects_help')}
      value={value}
      options={[
        ...[...names].map(([run, label]) => ({ value: run, label })),
        { value: '', label: t('draft.corrects_none') },
      ]}
      onPick={choose}
    />
  );
}
