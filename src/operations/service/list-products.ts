import { z } from 'zod';
import type { Product } from '../../gateway/contract/gateway.ts';
import { durationText } from '../../reports/sentences/format.ts';
import { accountName, isRehearsal, money } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';
import { askProducts } from './ask-service.ts';

/** Lists what can be bought: bundles at a fixed price and, in version 1, plain airtime too. */
export const listProducts = defineOperation({
  name: 'list-products',
  role: 'audit',
  ledger: 'read',
  input: z.strictObject({ account: accountName.optional(), network_id: z.int().min(0).optional() }),
  result: z.strictObject({
    account: accountName,
    is_rehearsal: isRehearsal,
    products: z.array(
      z.strictObject({
        product_id: z.string(),
        name: z.string(),
        network_id: z.int(),
        network_name: z.string(),
        /** The fixed price, in the recipient's currency; null if any amount can be bought. */
        amount: money.nullable(),
      }),
    ),
  }),
  run: ({ session, withAccount, emit, nameOf }, { account: name, network_id }) =>
    withAccount(name, async (opened) => {
      const items = await askProducts(session, opened, network_id, (networks, ms) =>
        emit({
          kind: 'note',
          text: `Version 1 lists products by network: asking for those of ${networks}, about ${durationText(ms)} (${nameOf('network')} asks for one).`,
        }),
      );
      return { account: opened.name, is_rehearsal: opened.isSandbox, products: items.map(productJson) };
    }),
});

function productJson({ productId, name, networkId, networkName, amount }: Product) {
  return { product_id: productId, name, network_id: networkId, network_name: networkName, amount };
}
