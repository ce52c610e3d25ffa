import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Answer, get } from '../../api/client.ts';
import { Loaded } from '../../base/failure.tsx';
import { Card } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { t } from '../../texts/i18n.ts';
import './configuration.css';

interface Setting {
  name: string;
  value: string;
}

type Configuration = Answer<'/api/v1/configuration'>;

/** The settings by what they are about, with the names that the file has. */
const groups = ['policy', 'intake', 'people', 'notices', 'places'] as const;
type Group = (typeof groups)[number];
const groupOf: Readonly<Record<string, Group>> = {
  ...{ policy: 'policy', intake: 'intake', people: 'people', other_names: 'people' },
  ...{ notifications: 'notices', mail: 'notices' },
};
/** Groups that say so if nothing is set: their defaults are what protects money. */
const alwaysShown: readonly Group[] = ['policy', 'intake'];

/**
 * The configuration that is in use. Only its file changes it: whoever has taken over the session of an administrator
 * must not be able to lower what protects money.
 */
export function ConfigurationCard() {
  const query = useQuery({
    queryKey: ['configuration'],
    queryFn: () => get('/api/v1/configuration'),
  });
  return (
    <Card isFlush title={t('settings.configuration')}>
      <Loaded query={query}>
        {({ warnings, file, ...settings }) => (
          <>
            <div className="card-note stack tight">
              <p>{t('settings.configuration_help', { file: file ?? t('settings.no_file') })}</p>
              <p>{t('settings.why_file')}</p>
              <p>
                {t('settings.people_place')} <Link href="/people">{t('nav.people')}</Link>. {t('settings.own_place')}{' '}
                <Link href="/account">{t('account.title')}</Link>.
              </p>
            </div>
            {warnings.map((warning) => (
              <p key={warning} className="notice tone-attention">
                {warning}
              </p>
            ))}
            <div className="configuration">
              {groups.map((group) => (
                <SettingGroup key={group} group={group} settings={settingsOf(group, settings)} />
              ))}
            </div>
          </>
        )}
      </Loaded>
    </Card>
  );
}

function SettingGroup({ group, settings }: { group: Group; settings: readonly Setting[] }) {
  if (settings.length === 0 && !alwaysShown.includes(group)) return null;
  const title = t(`settings.group.${group}`);
  return (
    <>
      <div className="card-head">
        <h3>{title}</h3>
      </div>
      <Table
        caption={title}
        rows={settings}
        keyOf={({ name }) => name}
        stacks
        empty={<p className="card-note quiet">{t('settings.default')}</p>}
        columns={[
          {
            ...{ id: 'name', label: t('settings.name'), isHead: true },
            cell: ({ name }) => <code className="wrap">{name}</code>,
          },
          { id: 'value', label: t('settings.value'), cell: ({ value }) => <span className="wrap">{value}</span> },
        ]}
      />
    </>
  );
}

function settingsOf(group: Group, settings: Omit<Configuration, 'warnings' | 'file'>): Setting[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    (groupOf[name] ?? 'places') === group ? flat(name, value) : [],
  );
}

/** Each setting with the path to it (`policy.approval.needed`). What is not set is left out. */
function flat(path: string, value: unknown): Setting[] {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return [];
  if (typeof value !== 'object') return [{ name: path, value: String(value) }];
  const parts = Array.isArray(value) && value.every((one) => typeof one !== 'object') ? null : Object.entries(value);
  if (parts === null) return [{ name: path, value: (value as unknown[]).join(', ') }];
  return parts.flatMap(([name, one]) => flat(`${path}.${name}`, one));
}
