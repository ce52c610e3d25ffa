import { useState } from 'react';
import { Field } from '../base/field.tsx';
import { EmptyCard } from '../base/page.tsx';
import { t } from '../texts/i18n.ts';
import { dayOf, endOf, startOf } from './days.ts';

const dayMs = 86_400_000;

/** Whole days of the reader's zone, from the first to the last. */
export type Period = ReturnType<typeof usePeriod>;

/** The last `days` days until today, which a person may change. */
export function usePeriod(days: number) {
  const [from, setFrom] = useState(() => dayOf(Date.now() - days * dayMs));
  const [to, setTo] = useState(() => dayOf(Date.now()));
  const [isChecked, setChecked] = useState(false);
  const isBackwards = from === '' || to === '' || from > to;
  return {
    ...{ from, to, setFrom, setTo },
    hasFault: isChecked && isBackwards,
    /** Its times; null, and the fault is shown, if the days are in the wrong order. Today ends now. */
    times(): { from: string; to: string } | null {
      setChecked(true);
      if (isBackwards) return null;
      const end = Math.min(endOf(to), Date.now());
      return { from: new Date(startOf(from)).toISOString(), to: new Date(end).toISOString() };
    },
  };
}

export function PeriodFields({ period: { from, to, setFrom, setTo, hasFault } }: { period: Period }) {
  return (
    <>
      <Field label={t('reconciliation.from')} type="date" value={from} onText={setFrom} />
      <Field
        label={t('reconciliation.to')}
        type="date"
        value={to}
        onText={setTo}
        fault={hasFault ? t('reconciliation.backwards') : null}
      />
    </>
  );
}

/** Which zone the days are of. */
export function periodZone(): string {
  return t('reconciliation.zone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
}

/** Nothing was found between the days. */
export function NothingThen({ title }: { title: string }) {
  return (
    <EmptyCard title={title}>
      <p>{t('reconciliation.other_days')}</p>
    </EmptyCard>
  );
}
