import { useQuery } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { Loaded } from '../../base/failure.tsx';
import { Card } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { t } from '../../texts/i18n.ts';

interface Setting {
  name: string;
  value: string;
}

/** The configuration that is in use, by the names that its file has. Only the file changes it. */
export function ConfigurationCard() {
  const query = useQuery({
    queryKey: ['configuration'],
    queryFn: () => answered(api.GET('/api/v1/configuration')),
  });
  return (
    <Card isFlush title={t('settings.configuration')}>
      <p className="card-note">{t('settings.configuration_help')}</p>
      <Loaded query={query}>
        {({ warnings, ...settings }) => (
          <>
            {warnings.map((warning) => (
              <p key={warning} className="notice tone-attention">
                {warning}
              </p>
            ))}
            <Table
              caption={t('settings.configuration')}
              rows={flat('', settings)}
              keyOf={({ name }) => name}
              stacks
              columns={[
                {
                  ...{ id: 'name', label: t('settings.name'), isHead: true },
                  cell: ({ name }) => <code className="wrap">{name}</code>,
                },
                { id: 'value', label: t('settings.value'), cell: ({ value }) => <span className="wrap">{value}</span> },
              ]}
            />
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** Each setting with the path to it (`policy.approval.needed`). What is not set is left out. */
function flat(path: string, value: unknown): Setting[] {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return [];
  if (typeof value !== 'object') return [{ name: path, value: String(value) }];
  const parts = Array.isArray(value) && value.every((one) => typeof one !== 'object') ? null : Object.entries(value);
  if (parts === null) return [{ name: path, value: (value as unknown[]).join(', ') }];
  return parts.flatMap(([name, one]) => flat(path === '' ? name : `${path}.${name}`, one));
}
