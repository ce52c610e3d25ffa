import { useQuery } from '@tanstack/react-query';
import { change, get } from '../../api/client.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { Failure } from '../../base/failure.tsx';
import { TextArea } from '../../base/field.tsx';
import { useRequiredText } from '../../forms/required-text.ts';
import { t } from '../../texts/i18n.ts';
import { reasonText } from '../../texts/reason-text.ts';
import { useAction } from './batch-queries.ts';

/** Rows that a person decides about: one row, a group, or all held rows (nothing is named). */
interface Choice {
  rows?: number[];
  code?: string;
  earlier_batch?: string;
}

/** What a person wants to do with them, and how many they are. */
export interface Decision {
  what: 'release' | 'skip';
  choice: Choice;
  count: number;
  /** What the person has seen: rows that were held after it stay held. */
  seen: number;
}

interface DecisionProps {
  batchId: string;
  decision: Decision;
  onClose: () => void;
}

/** Asks once more, and why if rows are not to be paid. */
export function DecisionDialog({ batchId, decision: { what, choice, count, seen }, onClose }: DecisionProps) {
  const why = useRequiredText();
  const path = { batch_id: batchId };
  const action = useAction(
    batchId,
    async () => {
      if (what === 'skip')
        return (await change('/api/v1/batches/{batch_id}/skip', { path, body: { ...choice, why: why.text, seen } }))
          .skipped;
      return (await change('/api/v1/batches/{batch_id}/release', { path, body: { ...choice, seen } })).released;
    },
    { done: (done) => t(what === 'skip' ? 'held.skipped' : 'held.released', { count: done }), onDone: onClose },
  );
  const submit = () => {
    if (what === 'release' || why.check()) action.mutate();
  };
  return (
    <Dialog
      title={t(what === 'skip' ? 'held.skip_title' : 'held.release_title', { count })}
      onClose={onClose}
      onSubmit={submit}
      submitText={t(what === 'skip' ? 'held.skip' : 'held.release')}
      work={action}
    >
      <p>{t(what === 'skip' ? 'held.skip_help' : 'held.release_help')}</p>
      {what === 'skip' && <TextArea label={t('base.reason')} {...why.field} />}
    </Dialog>
  );
}

interface HeldRowProps {
  batchId: string;
  rowNo: number;
  onDecide: (decision: Decision) => void;
}

/** A person releases or skips one held row: the list of a group shows some of its rows only. */
export function HeldRowActions({ batchId, rowNo, onDecide }: HeldRowProps) {
  const { data, error } = useQuery({
    queryKey: ['batch', batchId, 'held', rowNo],
    queryFn: () => {
      const params = { path: { batch_id: batchId }, query: { rows: [rowNo] } };
      return get('/api/v1/batches/{batch_id}/held-rows', params);
    },
  });
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return null;
  const { seen, refusal_reason, refusal } = data;
  const decide = (what: Decision['what']) => onDecide({ what, choice: { rows: [rowNo] }, count: 1, seen });
  return (
    <>
      <Button disabledBecause={reasonText(refusal_reason) ?? refusal} onClick={() => decide('release')}>
        {t('held.release')}
      </Button>
      <Button onClick={() => decide('skip')}>{t('held.skip')}</Button>
    </>
  );
}
