import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { change, get } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useRole } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { Loaded } from '../../base/failure.tsx';
import { Card, EmptyCard, Page } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { None, Time } from '../../base/values.tsx';
import { useChange } from '../../forms/use-change.ts';
import { t } from '../../texts/i18n.ts';
import { slotText } from '../../texts/reason-text.ts';
import { PastSlots } from './past-slots.tsx';
import { type Job, SlotCell } from './slot-cell.tsx';

/** The jobs: when each runs next, and the results of its last runs. */
export function JobsPage() {
  const query = useQuery({
    queryKey: ['jobs'],
    queryFn: () => get('/api/v1/jobs'),
    refetchInterval: refresh(),
  });
  return (
    <Page title={t('nav.jobs')} sub={t('jobs.sub')}>
      <Loaded query={query}>
        {({ jobs, folder }) => (
          <>
            <JobList jobs={jobs} folder={folder} />
            {jobs.length > 0 && <PastSlots jobs={jobs} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function JobList({ jobs, folder }: { jobs: readonly Job[]; folder: string }) {
  const [asked, setAsked] = useState<Job | null>(null);
  const mayRun = useRole('operate');
  if (jobs.length === 0)
    return (
      <EmptyCard title={t('jobs.none')}>
        <p>
          {t('jobs.none_help')} <code>{folder}</code>
        </p>
      </EmptyCard>
    );
  return (
    <Card isFlush>
      <Table
        caption={t('nav.jobs')}
        rows={jobs}
        keyOf={({ name }) => name}
        stacks
        columns={[
          {
            ...{ id: 'name', label: t('jobs.job'), isHead: true },
            cell: ({ name, description }) => (
              <>
                {name}
                <div className="small quiet">{description}</div>
              </>
            ),
          },
          { id: 'account', label: t('batches.column.account'), cell: ({ account }) => account ?? <None /> },
          {
            ...{ id: 'schedule', label: t('jobs.schedule') },
            cell: ({ schedule }) => (
              <>
                <code>{schedule.cron}</code>
                <div className="small quiet">{schedule.time_zone}</div>
              </>
            ),
          },
          { id: 'next', label: t('jobs.next'), cell: ({ next_run }) => <Time at={next_run} /> },
          { id: 'last', label: t('jobs.last'), cell: ({ last_slot }) => <SlotCell slot={last_slot} /> },
          { id: 'open', label: t('jobs.open'), cell: ({ open_slot }) => <SlotCell slot={open_slot} /> },
          {
            ...{ id: 'files', label: t('jobs.unprocessed') },
            cell: ({ unprocessed }) =>
              unprocessed.length === 0 ? <None /> : unprocessed.map(({ file }) => <div key={file}>{file}</div>),
          },
          ...(mayRun
            ? [
                {
                  ...{ id: 'run', label: t('held.decide'), isAction: true },
                  cell: (job: Job) => <Button onClick={() => setAsked(job)}>{t('jobs.run')}</Button>,
                },
              ]
            : []),
        ]}
      />
      {asked !== null && <RunDialog job={asked} onClose={() => setAsked(null)} />}
    </Card>
  );
}

/** A person runs a job now; what its file pays waits for approval as at any other time. */
function RunDialog({ job: { name: job, etag }, onClose }: { job: Job; onClose: () => void }) {
  // Refused if a slot of the job has begun or ended since the list was read: two people would run it twice.
  const run = useChange(() => change('/api/v1/jobs/{name}/run', { path: { name: job }, body: {}, etag }), {
    reads: [['jobs']],
    done: ({ outcome }) => `${t('jobs.run_done')} ${slotText(outcome)}`,
    onDone: onClose,
  });
  return (
    <Dialog
      title={t('jobs.run_title', { job })}
      onClose={onClose}
      onSubmit={() => run.mutate()}
      submitText={t('jobs.run')}
      work={run}
    >
      <p>{t('jobs.run_help')}</p>
    </Dialog>
  );
}
