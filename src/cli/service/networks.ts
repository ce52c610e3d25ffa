import type { z } from 'zod';
import { visible } from '../../core/text/visible.ts';
import { listNetworks } from '../../operations/service/list-networks.ts';
import type { CommandContext } from '../base/command.ts';
import { type Column, printTable } from '../base/table.ts';
import { call } from '../session/call.ts';
import { printRehearsal } from '../session/rehearsal.ts';

type Network = z.output<typeof listNetworks.result>['networks'][number];

const columns: readonly Column<Network>[] = [
  { name: 'id', align: 'right', cell: ({ network_id }) => String(network_id) },
  { name: 'network', cell: ({ name }) => name },
  { name: 'country', cell: ({ country_name }) => country_name },
  { name: 'currency', cell: ({ currency }) => currency },
];

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
  printTable(context, columns, found.networks, {
    json: found,
    none: `The service has no network for "${visible(query)}".`,
  });
  return 0;
}
