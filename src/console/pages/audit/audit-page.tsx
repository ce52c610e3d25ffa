import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { answered, api, change } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Button } from '../../base/button.tsx';
import { type ChainEvent, detailOf, eventText } from '../../base/event-text.ts';
import { EventsTable } from '../../base/events-table.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Field } from '../../base/field.tsx';
import { NoneFits } from '../../base/filter-row.tsx';
import { Card, Empty, Page } from '../../base/page.tsx';
import { Tabs } from '../../base/tabs.tsx';
import { t } from '../../texts/i18n.ts';

const eventsMax = 1_000;
const accessEventsMax = 500;
const tabs = ['batches', 'access', 'numbers'] as const;

/** Who did what: about batches, and about people, keys and sessions. */
export function AuditPage() {
  const [chosen, setChosen] = useState<(typeof tabs)[number]>('batches');
  const [search, setSearch] = useState('');
  const clear = () => setSearch('');
  return (
    <Page title={t('nav.audit')} sub={t('audit.sub')} actions={<CheckButton />}>
      <Tabs
        label={t('nav.audit')}
        tabs={tabs.map((id) => ({ id, label: t(`audit.tab.${id}`) }))}
        chosen={chosen}
        onChoose={setChosen}
      >
        <div className="filters">
          <Field
            label={t('audit.search')}
            isLabelHidden
            type="search"
            placeholder={t('audit.search')}
            value={search}
            onText={setSearch}
          />
        </div>
        {chosen === 'batches' ? (
          <BatchEvents search={search} onClear={clear} />
        ) : (
          <AccessEvents search={search} onClear={clear} onlyNumbers={chosen === 'numbers'} />
        )}
      </Tabs>
    </Page>
  );
}

function fits(event: ChainEvent, search: string): boolean {
  const { actor, kind, batch_id, body } = event;
  const text = [actor, kind, eventText(kind), batch_id, body, detailOf(event)].join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((part) => text.includes(part));
}

interface Searched {
  search: string;
  onClear: () => void;
}

/** The latest actions of people; for one batch, everything. */
function BatchEvents({ search, onClear }: Searched) {
  const [batchId, setBatchId] = useState('');
  const [entered, setEntered] = useState('');
  const query = useQuery({
    queryKey: ['events', batchId],
    queryFn: () => {
      const wanted = { limit: eventsMax, ...(batchId === '' ? {} : { batch_id: batchId }) };
      return answered(api.GET('/api/v1/events', { params: { query: wanted } }));
    },
    refetchInterval: refresh(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBatchId(entered.trim());
  };
  const clear = () => {
    onClear();
    setBatchId('');
    setEntered('');
  };
  const link = (id: string) => (
    <Link className="nowrap" href={`/batches/${encodeURIComponent(id)}`}>
      {id}
    </Link>
  );
  return (
    <>
      <form className="line" onSubmit={submit}>
        <Field label={t('audit.batch')} value={entered} onText={setEntered} />
        <div className="align-end">
          <Button type="submit">{t('base.show')}</Button>
        </div>
      </form>
      <Loaded query={query}>
        {({ events, next }) => {
          const shown = events.filter((event) => fits(event, search));
          const latestFirst = batchId === '' ? shown.toReversed() : shown;
          return (
            <>
              {next !== null && <p className="small quiet">{t('audit.more')}</p>}
              <EventCard
                events={latestFirst}
                onClear={search === '' && batchId === '' ? null : clear}
                batchCell={link}
              />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** Signing in, people, keys, and complete numbers that somebody has seen; or these alone. */
function AccessEvents({ search, onClear, onlyNumbers }: Searched & { onlyNumbers: boolean }) {
  const query = useQuery({
    queryKey: ['events', 'access', onlyNumbers],
    queryFn: () =>
      answered(
        api.GET('/api/v1/access-events', { params: { query: { limit: accessEventsMax, numbers: onlyNumbers } } }),
      ),
    refetchInterval: refresh(),
  });
  return (
    <Loaded query={query}>
      {({ events, broken_at }) => (
        <>
          {broken_at !== null && (
            <p className="notice tone-bad" role="alert">
              {t('audit.broken_at', { seq: broken_at })}
            </p>
          )}
          {onlyNumbers && <p className="small quiet">{t('audit.numbers_help')}</p>}
          <EventCard
            onClear={search === '' ? null : onClear}
            events={events
              .map((event) => ({ ...event, batch_id: '', row_no: null }))
              .filter((event) => fits(event, search))}
          />
        </>
      )}
    </Loaded>
  );
}

interface EventsProps {
  events: ChainEvent[];
  /** Null: nothing is filtered. */
  onClear: (() => void) | null;
  batchCell?: (id: string) => ReactNode;
}

function EventCard({ events, onClear, batchCell }: EventsProps) {
  return (
    <Card isFlush={events.length > 0}>
      {events.length === 0 ? (
        onClear === null ? (
          <Empty title={t('audit.none_yet')}>
            <p>{t('audit.none_yet_help')}</p>
          </Empty>
        ) : (
          <NoneFits title={t('audit.none')} onClear={onClear} />
        )
      ) : (
        <EventsTable events={events} {...(batchCell === undefined ? {} : { batchCell })} />
      )}
    </Card>
  );
}

type Audit = Awaited<ReturnType<typeof checkChains>>;

const checkChains = () => change('/api/v1/audits', { body: {} });

/** The batches whose records somebody has changed; what was changed is in the report of `airbatch audit`. */
function editedIn({ chain, rows }: Audit): string {
  return [...new Set([...chain.broken, ...rows.edited].map(({ batch_id }) => batch_id))].join(', ');
}

/** Checks every chain of the ledger anew. */
function CheckButton() {
  const check = useMutation({ mutationFn: checkChains });
  const { data, error, isPending, mutate } = check;
  const isGood = data?.chain.whole === true && data.rows.agree;
  return (
    <div className="stack tight">
      <div className="line">
        {data !== undefined && (
          <span className={`notice tone-${isGood ? 'good' : 'bad'} small`} role="status">
            {isGood
              ? t('audit.whole', { batches: data.chain.batches, events: data.chain.events })
              : t('audit.edited', { batches: editedIn(data) })}
          </span>
        )}
        <Button isBusy={isPending} onClick={() => mutate()}>
          {t('audit.check')}
        </Button>
      </div>
      {error !== null && <Failure error={error} />}
    </div>
  );
}
