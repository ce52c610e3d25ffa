import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import type { Network } from '../../gateway/contract/gateway.ts';
import { accountName, isRehearsal } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { ask } from './ask-service.ts';

/** Lists the networks that can be paid. */
export const listNetworks = defineOperation({
  name: 'list-networks',
  role: 'audit',
  ledger: 'read',
  input: z.strictObject({
    account: accountName.optional(),
    /** A country code, a phone number with its country code, or a part of a name. */
    query: z.string().default(''),
  }),
  result: z.strictObject({
    account: accountName,
    is_rehearsal: isRehearsal,
    /** Version 1 does not say which countries and numbers its networks serve, so all networks are listed. */
    is_filtered: z.boolean(),
    networks: z.array(
      z.strictObject({
        network_id: z.int(),
        name: z.string(),
        /** ISO 3166, two letters. Empty, like the name, if the service does not say. */
        country_code: z.string(),
        country_name: z.string(),
        currency: z.string().nullable(),
      }),
    ),
  }),
  async run({ session, withAccount }, { account: name, query }) {
    if (/^0[0-9]{6,14}$/.test(query))
      throw new AirbatchError('USAGE', 'a number is looked up with its country code, such as +254712345678');
    return withAccount(name, async (opened) => {
      const { gateway, name: account, isSandbox: is_rehearsal } = opened;
      const asked = catalogQuery(query);
      const { items } = await ask(session, opened, 'catalog', () => gateway.networks(asked ?? {}));
      const named = asked === null ? items.filter((network) => isOfName(network, query)) : items;
      const is_filtered = asked === null || gateway.version !== 'V1';
      return { account, is_rehearsal, is_filtered, networks: named.map(networkJson) };
    });
  },
});

/** The part of the query that the service itself can search for; null for a part of a name. */
function catalogQuery(query: string): { phoneNumber: string } | { country: string } | null {
  if (/^\+?[0-9]{7,15}$/.test(query)) return { phoneNumber: query.startsWith('+') ? query : `+${query}` };
  return /^[A-Za-z]{2}$/.test(query) ? { country: query.toUpperCase() } : null;
}

function isOfName({ name, countryName }: Network, query: string): boolean {
  return [name, countryName].some((text) => text.toLowerCase().includes(query.toLowerCase()));
}

function networkJson({ networkId, name, countryCode, countryName, currency }: Network) {
  return { network_id: networkId, name, country_code: countryCode, country_name: countryName, currency };
}
