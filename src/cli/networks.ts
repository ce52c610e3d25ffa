import { ask, printTable, withAccount } from './catalog.ts';
import type { CommandContext } from './main.ts';

/** `airbatch networks [QUERY]`: the networks that can be paid; QUERY is a country code, a phone number, or a part of a name. */
export function execute(
  context: CommandContext,
  [query = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  return withAccount(context, options.account as string | undefined, async (account) => {
    const isNumber = /^\+?[0-9]{7,15}$/.test(query);
    const isCountry = /^[A-Za-z]{2}$/.test(query);
    const asked = isNumber
      ? { phoneNumber: query.startsWith('+') ? query : `+${query}` }
      : isCountry
        ? { country: query.toUpperCase() }
        : {};
    const { items } = await ask(account, 'catalog', () => account.gateway.networks(asked));
    const named =
      isNumber || isCountry ? items : items.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()));
    const lines = named.map(({ networkId, name, countryName, currency }) => [
      String(networkId),
      name,
      countryName,
      currency ?? '',
    ]);
    printTable(context, ['id', 'network', 'country', 'currency'], lines, { account: account.name, networks: named });
    return 0;
  });
}
