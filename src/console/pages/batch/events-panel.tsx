import { get } from '../../api/client.ts';
import { usePages } from '../../api/query-client.ts';
import { EventsTable } from '../../base/events-table.tsx';
import { Loaded } from '../../base/failure.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card } from '../../base/page.tsx';
import { t } from '../../texts/i18n.ts';

const pageEvents = 200;

/** The audit chain of a batch, from its first event. */
export function EventsPanel({ batchId }: { batchId: string }) {
  const query = usePages(['batch', batchId, 'events'], 0, (after) =>
    get('/api/v1/events', { query: { batch_id: batchId, after, limit: pageEvents } }),
  );
  return (
    <Card isFlush>
      <Loaded query={query}>{({ pages }) => <EventsTable events={pages.flatMap(({ events }) => events)} />}</Loaded>
      <MoreRows query={query} label={t('events.more')} isInCard />
    </Card>
  );
}
