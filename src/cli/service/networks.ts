import { visible } from '../../core/text/visible.ts';
import { listNetworks } from '../../operations/service/list-networks.ts';
import type { CommandContext } from '../base/command.ts';
import { printTable } from '../base/table.ts';
import { call } from '../session/call.ts';
import { printRehearsal } from '../session/rehearsal.ts';

const columns = [
  { name: 'id', align: 'right' },
  { name: 'network' },
  { name: 'country' },
  { name: 'currency' },
] as const;

/** `airbatch networks [QUERY]`: QUERY is a country code, a phone number, or a part of a name. */
export async function execute(
  context: CommandContext,
  [query = '']: string[],
  { account }: { account?: string },
): Promise<number> {
  const found = await call(context, listNetworks, { account, query });
  printRehearsal(context.terminal, found.is_rehearsal);
  if (!found.is_filtered)
    context.terminal.error('Version 1 does not say which countries and numbers its networks serve: all are shown.\n');
  const lines = found.networks.map(({ network_id, name, country_name, currency }) => [
    String(network_id),
    name,
    country_name,
    currency ?? '',
  ]);
  printTable(context, columns, lines, { json: found, none: `The service has no network for "${visible(query)}".` });
  return 0;
}
