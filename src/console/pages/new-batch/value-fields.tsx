import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get } from '../../api/client.ts';
import { Failure } from '../../base/failure.tsx';
import { Field, Select } from '../../base/field.tsx';
import { countryName } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import type { Draft } from './draft-queries.ts';

interface ValueProps {
  draft: Draft;
  value: string;
  onPick: (value: string) => void;
  /** What it means if nothing is chosen. */
  none: string;
}

export function CountryValue({ draft, value, onPick, none }: ValueProps) {
  return (
    <Select
      label={t('draft.field.country')}
      value={value}
      options={[
        { value: '', label: none },
        ...countriesOf(draft).map((code) => ({ value: code, label: countryName(code) })),
      ]}
      onPick={onPick}
    />
  );
}

export function CurrencyValue({ value, onPick }: Pick<ValueProps, 'value' | 'onPick'>) {
  return (
    <Field
      label={t('draft.field.currency')}
      value={value}
      maxLength={3}
      placeholder={t('draft.currency_example')}
      onText={(text) => onPick(text.toUpperCase())}
    />
  );
}

export function DecimalValue({ value, onPick, none }: Omit<ValueProps, 'draft'>) {
  return (
    <Select
      label={t('draft.decimal')}
      value={value}
      options={[
        { value: '', label: none },
        { value: '.', label: t('draft.decimal_point') },
        { value: ',', label: t('draft.decimal_comma') },
      ]}
      onPick={onPick}
    />
  );
}

/** A network of a country: the country is chosen first. */
export function NetworkValue({ draft, value, onPick, none }: ValueProps) {
  const countries = countriesOf(draft);
  const [picked, setPicked] = useState<string | null>(null);
  const country = picked ?? draft.options.country ?? countries[0] ?? 'KE';
  const { data, error } = useQuery({
    queryKey: ['networks', draft.account, country],
    queryFn: () =>
      get('/api/v1/accounts/{account}/networks', { path: { account: draft.account }, query: { query: country } }),
  });
  const networks = data?.networks ?? [];
  const isListed = value === '' || networks.some(({ network_id }) => String(network_id) === value);
  return (
    <>
      <Select
        label={t('draft.network_country')}
        value={country}
        options={countries.map((code) => ({ value: code, label: countryName(code) }))}
        onPick={setPicked}
      />
      {error !== null && <Failure error={error} />}
      <Select
        label={t('draft.field.network_id')}
        value={value}
        options={[
          { value: '', label: none },
          ...(isListed ? [] : [{ value, label: value }]),
          ...networks.map((one) => ({ value: String(one.network_id), label: one.name })),
        ]}
        onPick={onPick}
      />
    </>
  );
}

/** The countries that airtime is usually sent to; those of the file come first, the most frequent at the top. */
const usualCountries = 'BF BI BJ CD CI CM ET GA GH GN KE MG ML MW MZ NE NG RW SL SN TD TG TZ UG ZA ZM ZW'.split(' ');

function countriesOf({ totals, country }: Draft): string[] {
  const own = Object.entries(totals?.countries ?? {})
    .filter(([code]) => code !== '')
    .sort(([, one], [, other]) => other.rows - one.rows)
    .map(([code]) => code);
  return [...new Set([...own, ...(country === null ? [] : [country]), ...usualCountries])];
}
