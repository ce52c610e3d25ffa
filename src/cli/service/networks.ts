import { AirbatchError } from '../../core/basics/errors.ts';
import { visible } from '../../core/text/visible.ts';
import type { Network } from '../../gateway/contract/gateway.ts';
import type { CommandContext } from '../base/command.ts';
import { printTable } from '../base/table.ts';
import { ask, withCatalog } from './catalog.ts';

const columns = [
  { name: 'id', align: 'right' },
  { name: 'network' },
  { name: 'country' },
  { name: 'currency' },
] as const;

/**
 * `airbatch networks [QUERY]`: the networks that can be paid; QUERY is a country code, a phone number, or a part of a
 * name.
 */
export async function execute(
  context: CommandContext,
  [query = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  if (/^0[0-9]{6,14}$/.test(query)) {
    throw new AirbatchError('USAGE', 'a number is looked up with its country code, such as +254712345678');
  }
  return withCatalog(context, options, async (account) => {
    const isNumber = /^\+?[0-9]{7,15}$/.test(query);
    const isCountry = /^[A-Za-z]{2}$/.test(query);
    const asked = isNumber
      ? { phoneNumber: query.startsWith('+') ? query : `+${query}` }
      : isCountry
        ? { country: query.toUpperCase() }
        : {};
    const { items } = await ask(account, 'catalog', () => account.gateway.networks(asked));
    const isOfName = ({ name, countryName }: Network) =>
      [name, countryName].some((text) => text.toLowerCase().includes(query.toLowerCase()));
    const named = isNumber || isCountry ? items : items.filter(isOfName);
    if ((isNumber || isCountry) && account.gateway.version === 'V1') {
      context.terminal.error('Version 1 does not say which countries and numbers its networks serve: all are shown.\n');
    }
    const lines = named.map(({ networkId, name, countryName, currency }) => [
      String(networkId),
      name,
      countryName,
      currency ?? '',
    ]);
    printTable(context, columns, lines, {
      json: { account: account.name, networks: named.map(networkJson) },
      none: `The service has no network for "${visible(query)}".`,
    });
    return 0;
  });
}

function networkJson({ networkId, name, countryCode, countryName, currency }: Network) {
  return { network_id: networkId, name, country_code: countryCode, country_name: countryName, currency };
}
