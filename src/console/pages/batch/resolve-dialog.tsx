import { useState } from 'react';
import { change } from '../../api/client.ts';
import { Dialog } from '../../base/dialog.tsx';
import { Select, TextArea } from '../../base/field.tsx';
import { useRequiredText } from '../../forms/required-text.ts';
import { t } from '../../texts/i18n.ts';
import { useAction } from './batch-queries.ts';

const outcomes = ['not-paid', 'paid'] as const;
type Outcome = (typeof outcomes)[number];

/** A person decides whether a row was paid, with evidence. */
export function ResolveDialog({ batchId, rowNo, onClose }: { batchId: string; rowNo: number; onClose: () => void }) {
  const [outcome, setOutcome] = useState<Outcome | ''>('');
  const evidence = useRequiredText();
  const [isChecked, setChecked] = useState(false);
  const action = useAction(
    batchId,
    (as: Outcome) =>
      change('/api/v1/batches/{batch_id}/rows/{row}/resolve', {
        path: { batch_id: batchId, row: rowNo },
        body: { as, evidence: evidence.text },
      }),
    { done: () => t('resolve.done', { row: rowNo }), onDone: onClose },
  );
  const submit = () => {
    setChecked(true);
    if (evidence.check() && outcome !== '') action.mutate(outcome);
  };
  return (
    <Dialog
      title={t('resolve.title', { row: rowNo })}
      onClose={onClose}
      onSubmit={submit}
      submitText={t('resolve.submit')}
      work={action}
    >
      <p>{t('resolve.help')}</p>
      <Select
        label={t('resolve.outcome')}
        value={outcome}
        options={[
          { value: '', label: t('resolve.choose') },
          ...outcomes.map((value) => ({ value, label: t(`resolve.${value}`) })),
        ]}
        onPick={setOutcome}
        fault={isChecked && outcome === '' ? t('resolve.outcome_missing') : null}
      />
      <TextArea label={t('resolve.evidence')} help={t('resolve.evidence_help')} {...evidence.field} />
    </Dialog>
  );
}
