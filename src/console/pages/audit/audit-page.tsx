import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { change, get } from '../../api/client.ts';
import { usePages } from '../../api/query-client.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { actorName, type ChainEvent, detailOf, eventName } from '../../base/event-text.ts';
import { EventsTable } from '../../base/events-table.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Field } from '../../base/field.tsx';
import { NoneFits } from '../../base/filter-row.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card, Empty, Page } from '../../base/page.tsx';
import { Tabs } from '../../base/tabs.tsx';
import { Time } from '../../base/values.tsx';
import { endOf } from '../../forms/days.ts';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { auditFindings } from './audit-findings.ts';

/** Events that are read at once; a person reads on until what they look for is found. */
const eventsMax = 1_000;
const accessEventsMax = 500;
const tabs = ['batches', 'access', 'numbers'] as const;

/** Who did what: about batches, and about people, keys and sessions. */
export function AuditPage() {
  // The chain of access, and a check of all chains, are about all accounts.
  const seesAll = useSession().accounts.length === 0;
  const shown = tabs.filter((id) => seesAll || id === 'batches');
  const [chosen, setChosen] = useState<(typeof tabs)[number]>('batches');
  const [search, setSearch] = useState('');
  const [day, setDay] = useState('');
  // The end of the day in the reader's zone.
  const until = day === '' ? {} : { until: new Date(endOf(day)).toISOString() };
  const clear = () => {
    setSearch('');
    setDay('');
  };
  const searched = { search, until, onClear: search === '' && day === '' ? null : clear };
  return (
    <Page title={t('nav.audit')} sub={t('audit.sub')} actions={seesAll && <CheckButton />}>
      <Tabs
        label={t('nav.audit')}
        tabs={shown.map((id) => ({ id, label: t(`audit.tab.${id}`) }))}
        chosen={chosen}
        onChoose={setChosen}
      >
        <div className="filters">
          <Field label={t('audit.until')} type="date" value={day} onText={setDay} />
          <div className="align-end">
            <Field
              label={t('audit.search')}
              isLabelHidden
              type="search"
              placeholder={t('audit.search')}
              value={search}
              onText={setSearch}
            />
          </div>
        </div>
        {chosen === 'batches' ? (
          <BatchEvents {...searched} />
        ) : (
          <AccessEvents {...searched} onlyNumbers={chosen === 'numbers'} />
        )}
      </Tabs>
    </Page>
  );
}

function fits(event: ChainEvent, search: string): boolean {
  const { actor, kind, batch_id, body } = event;
  const text = [actorName(actor), kind, eventName({ kind, body }), batch_id, body, detailOf(event)]
    .join('\n')
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((part) => text.includes(part));
}

interface Searched {
  search: string;
  until: { until?: string };
  /** Null: nothing is filtered. */
  onClear: (() => void) | null;
}

/** The actions of people, the latest first; for one batch, everything. */
function BatchEvents({ search, until, onClear }: Searched) {
  const [batchId, setBatchId] = useState('');
  const [entered, setEntered] = useState('');
  const query = useInfiniteQuery({
    queryKey: ['events', batchId, until],
    queryFn: ({ pageParam }) => {
      const of = batchId === '' ? until : { batch_id: batchId };
      return get('/api/v1/events', { query: { limit: eventsMax, ...of, ...pageParam } });
    },
    initialPageParam: {} as { before?: string; after?: number },
    getNextPageParam: ({ next, older }) =>
      older !== null ? { before: older } : next !== null ? { after: next } : undefined,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBatchId(entered.trim());
  };
  const clear = () => {
    onClear?.();
    setBatchId('');
    setEntered('');
  };
  return (
    <>
      <form className="line" onSubmit={submit}>
        <Field label={t('audit.batch')} value={entered} onText={setEntered} />
        <div className="align-end">
          <Button type="submit">{t('base.show')}</Button>
        </div>
      </form>
      <Loaded query={query}>
        {({ pages }) => (
          <EventCard
            events={pages.flatMap((page) => (batchId === '' ? page.events.toReversed() : page.events))}
            search={search}
            onClear={onClear === null && batchId === '' ? null : clear}
            ofBatches
          />
        )}
      </Loaded>
      <MoreRows query={query} label={t('audit.more')} />
    </>
  );
}

/** Signing in, people, keys, and complete numbers that somebody has seen; or these alone. */
function AccessEvents({ search, until, onClear, onlyNumbers }: Searched & { onlyNumbers: boolean }) {
  const query = usePages(['events', 'access', onlyNumbers, until], null as number | null, (after) =>
    get('/api/v1/access-events', { query: { limit: accessEventsMax, numbers: onlyNumbers, ...until, after } }),
  );
  return (
    <>
      <Loaded query={query}>
        {({ pages }) => (
          <>
            {pages.map(
              ({ broken_at }) =>
                broken_at !== null && (
                  <p key={broken_at} className="notice tone-bad" role="alert">
                    {t('audit.broken_at', { seq: broken_at })}
                  </p>
                ),
            )}
            {onlyNumbers && <p className="small quiet">{t('audit.numbers_help')}</p>}
            <EventCard
              events={pages.flatMap(({ events }) =>
                events.map((event) => ({ ...event, batch_id: '', row_no: null, why_reason: null })),
              )}
              search={search}
              onClear={onClear}
            />
          </>
        )}
      </Loaded>
      <MoreRows query={query} label={t('audit.more')} />
    </>
  );
}

interface EventsProps {
  /** All that were read. */
  events: ChainEvent[];
  search: string;
  /** Null: nothing is filtered. */
  onClear: (() => void) | null;
  ofBatches?: boolean;
}

/** The events that fit the search, and how far it has looked. */
function EventCard({ events, search, onClear, ofBatches = false }: EventsProps) {
  const shown = events.filter((event) => fits(event, search));
  const last = events.at(-1);
  return (
    <>
      {last !== undefined && (
        <p className="small quiet" role="status">
          {t('audit.searched', { shown: formatCount(shown.length), count: formatCount(events.length) })}{' '}
          <Time at={last.at} isExact />
        </p>
      )}
      <Card isFlush={shown.length > 0}>
        {shown.length === 0 ? (
          onClear === null ? (
            <Empty title={t('audit.none_yet')}>
              <p>{t('audit.none_yet_help')}</p>
            </Empty>
          ) : (
            <NoneFits title={t('audit.none')} onClear={onClear} />
          )
        ) : (
          <EventsTable events={shown} ofBatches={ofBatches} />
        )}
      </Card>
    </>
  );
}

const checkChains = () => change('/api/v1/audits', { body: {} });

/** Checks every chain of the ledger anew. */
function CheckButton() {
  const check = useMutation({ mutationFn: checkChains });
  const { data, error, isPending, mutate } = check;
  return (
    <div className="stack tight">
      <div className="line">
        {data !== undefined &&
          auditFindings(data).map(({ tone, text }) => (
            <span key={text} className={`notice tone-${tone} small`} role="status">
              {text}
            </span>
          ))}
        <Button isBusy={isPending} onClick={() => mutate()}>
          {t('audit.check')}
        </Button>
      </div>
      {error !== null && <Failure error={error} />}
    </div>
  );
}
