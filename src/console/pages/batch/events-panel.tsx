import { useInfiniteQuery } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { EventsTable } from '../../base/events-table.tsx';
import { Loaded } from '../../base/failure.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card } from '../../base/page.tsx';
import { t } from '../../texts/i18n.ts';

const pageEvents = 200;

/** The audit chain of a batch, from its first event. */
export function EventsPanel({ batchId }: { batchId: string }) {
  const query = useInfiniteQuery({
    queryKey: ['batch', batchId, 'events'],
    queryFn: ({ pageParam }) =>
      answered(
        api.GET('/api/v1/events', { params: { query: { batch_id: batchId, after: pageParam, limit: pageEvents } } }),
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
  });
  return (
    <Card isFlush>
      <Loaded query={query}>{({ pages }) => <EventsTable events={pages.flatMap(({ events }) => events)} />}</Loaded>
      <MoreRows query={query} label={t('events.more')} isInCard />
    </Card>
  );
}
