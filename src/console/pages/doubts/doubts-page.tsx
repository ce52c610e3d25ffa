import { useState } from 'react';
import { useRole } from '../../api/session.ts';
import { Loaded } from '../../base/failure.tsx';
import { Page } from '../../base/page.tsx';
import { Tabs } from '../../base/tabs.tsx';
import { BatchLink } from '../../base/values.tsx';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { HeldPanel, NoneHeld } from '../batch/held-panel.tsx';
import { DoubtList } from './doubt-list.tsx';
import { type OpenBatch, useOpenBatches } from './doubt-queries.ts';
import { HeldRowsOf } from './held-rows.tsx';

const tabs = ['doubts', 'held'] as const;

/** The doubt desk: rows in doubt, and held rows that wait for a decision. */
export function DoubtsPage() {
  const [chosen, setChosen] = useState<(typeof tabs)[number]>('doubts');
  const query = useOpenBatches();
  return (
    <Page title={t('nav.doubts')} sub={t('doubts.sub')}>
      <Loaded query={query}>
        {(batches) => (
          <Tabs
            label={t('nav.doubts')}
            tabs={tabs.map((id) => ({ id, label: `${t(`doubts.tab.${id}`)} (${formatCount(countOf(batches, id))})` }))}
            chosen={chosen}
            onChoose={setChosen}
          >
            {chosen === 'doubts' ? (
              <DoubtList />
            ) : (
              <HeldList batches={batches.filter(({ counts }) => (counts.held ?? 0) > 0)} />
            )}
          </Tabs>
        )}
      </Loaded>
    </Page>
  );
}

function countOf(batches: readonly OpenBatch[], tab: (typeof tabs)[number]): number {
  const state = tab === 'doubts' ? 'in_doubt' : 'held';
  return batches.reduce((sum, { counts }) => sum + (counts[state] ?? 0), 0);
}

function HeldList({ batches }: { batches: readonly OpenBatch[] }) {
  const mayDecide = useRole('operate');
  if (batches.length === 0) return <NoneHeld />;
  return batches.map(({ batch_id, run_id }) => (
    <section key={batch_id} className="stack">
      <h2>
        <BatchLink id={batch_id} run={run_id} />
      </h2>
      {mayDecide ? <HeldPanel batchId={batch_id} run={run_id} /> : <HeldRowsOf batchId={batch_id} run={run_id} />}
    </section>
  ));
}
