import { useState } from 'react';
import { Select } from '../../base/field.tsx';
import { Card } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { BatchLink, None, Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { slotText } from '../../texts/reason-text.ts';
import { type Job, SlotBadge } from './slot-cell.tsx';

/** The last runs of one job: what each brought, or why it brought nothing. */
export function PastSlots({ jobs }: { jobs: readonly Job[] }) {
  const [chosen, setChosen] = useState('');
  const job = jobs.find(({ name }) => name === chosen) ?? jobs[0];
  if (job === undefined) return null;
  const title = t('jobs.past');
  const options = jobs.map(({ name }) => ({ value: name, label: name }));
  const choice = <Select label={t('jobs.job')} isLabelHidden value={job.name} options={options} onPick={setChosen} />;
  return (
    <Card title={title} actions={choice} isFlush={job.slots.length > 0}>
      {job.slots.length === 0 ? (
        <p className="quiet">{t('jobs.not_run')}</p>
      ) : (
        <Table
          caption={title}
          rows={job.slots}
          keyOf={({ due_at }) => due_at}
          stacks
          columns={[
            {
              id: 'due',
              label: t('jobs.due'),
              isHead: true,
              cell: ({ due_at }) => (
                <span className="nowrap">
                  <Time at={due_at} />
                </span>
              ),
            },
            { id: 'state', label: t('base.state'), cell: ({ state }) => <SlotBadge state={state} /> },
            {
              ...{ id: 'batches', label: t('nav.batches') },
              cell: ({ batches }) =>
                batches.length === 0 ? (
                  <None />
                ) : (
                  batches.map(({ batch_id, file }) => (
                    <div key={batch_id}>
                      <BatchLink id={batch_id} />
                      <div className="small quiet">{file}</div>
                    </div>
                  ))
                ),
            },
            {
              ...{ id: 'result', label: t('jobs.result') },
              cell: ({ detail, reasons }) =>
                detail === null ? <None /> : <span className="wrap">{slotText({ detail, reasons })}</span>,
            },
          ]}
        />
      )}
    </Card>
  );
}
