import { z } from 'zod';
import { setRevoked } from './access.ts';
import { type Controls, setClockShape, setWalletShape } from './controls.ts';
import type { ChargeLog } from './money/charges.ts';
import type { Wallets } from './money/wallets.ts';
import type { Store } from './parts/store.ts';
import type { Deliveries } from './webhooks/deliveries.ts';

/** An endpoint that the real service does not have: it shows or changes the sandbox's state. */
export interface DeskRoute {
  method: 'GET' | 'POST';
  /** With `:name` for parameters. */
  path: string;
  summary: string;
  body?: z.ZodType;
  answer: z.ZodType;
  /** Null if there is nothing with this name. */
  handle(params: Readonly<Record<string, string>>, body: unknown): object | null;
}

export interface DeskRouteParts {
  store: Store;
  charges: ChargeLog;
  wallets: Wallets;
  deliveries: Deliveries;
  controls: Controls;
  /** Books events that have fallen due, before the state is shown. */
  settle(): void;
  wake(): void;
}

const wallet = z.object({
  id: z.string(),
  company: z.string(),
  version: z.enum(['v2', 'v1']),
  currency: z.string(),
  balance: z.number(),
  type: z.enum(['global', 'local']),
  status: z.enum(['active', 'inactive']),
  allowed_countries: z.array(z.string()),
});
const clock = z.object({ now: z.iso.datetime(), advanced_ms: z.number().int() });
const revoked = z.object({ revoked: z.boolean() });
const records = (name: string) => z.object({ [name]: z.array(z.record(z.string(), z.unknown())) });

/** The endpoints with which a person sees and changes the sandbox's state. */
export function deskRoutes(parts: DeskRouteParts): DeskRoute[] {
  return [...moneyRoutes(parts), ...controlRoutes(parts), ...deliveryRoutes(parts)];
}

function moneyRoutes({ charges, wallets, controls, settle }: DeskRouteParts): DeskRoute[] {
  return [
    {
      method: 'GET',
      path: '/_sandbox/charges',
      summary: 'Lists every charge ever made; `live` until its top-up has failed and the money is back',
      answer: records('charges'),
      handle() {
        settle();
        return { charges: charges.entries() };
      },
    },
    {
      method: 'GET',
      path: '/_sandbox/statement/:wallet_id',
      summary: 'Lists every movement of a wallet; they add up to its balance',
      answer: records('statement'),
      handle({ wallet_id = '' }) {
        settle();
        return wallets.find(wallet_id) && { statement: wallets.statement(wallet_id) };
      },
    },
    {
      method: 'POST',
      path: '/_sandbox/wallets/:id',
      summary: 'Sets what a wallet holds, whether it is active, and below what it reports `wallet.low_balance`',
      body: setWalletShape,
      answer: wallet,
      handle: ({ id = '' }, body) => controls.setWallet(id, body as z.output<typeof setWalletShape>),
    },
  ];
}

function controlRoutes({ store, controls }: DeskRouteParts): DeskRoute[] {
  return [
    {
      method: 'GET',
      path: '/_sandbox/clock',
      summary: 'Returns the time of the sandbox',
      answer: clock,
      handle: () => controls.clock(),
    },
    {
      method: 'POST',
      path: '/_sandbox/clock',
      summary: 'Sets the clock forward',
      body: setClockShape,
      answer: clock,
      handle: (_params, body) => controls.advance((body as z.output<typeof setClockShape>).advance_ms.integer() ?? 0),
    },
    {
      method: 'POST',
      path: '/_sandbox/reset',
      summary: 'Forgets everything: wallets, clock and limits are as after a first start',
      answer: z.object({ reset: z.literal(true) }),
      handle() {
        controls.reset();
        return { reset: true };
      },
    },
    ...(['revoke', 'restore'] as const).map(
      (act): DeskRoute => ({
        method: 'POST',
        path: `/_sandbox/keys/:key/${act}`,
        summary: act === 'revoke' ? 'Makes an API key get 401' : 'Takes that back',
        answer: revoked,
        handle: ({ key = '' }) => (setRevoked(store, key, act === 'revoke') ? { revoked: act === 'revoke' } : null),
      }),
    ),
  ];
}

function deliveryRoutes({ deliveries, wake }: DeskRouteParts): DeskRoute[] {
  return [
    {
      method: 'GET',
      path: '/_sandbox/deliveries',
      summary: 'Lists the latest deliveries of webhooks',
      answer: records('deliveries'),
      handle: () => ({ deliveries: deliveries.log().map(({ signing_key: _secret, ...shown }) => shown) }),
    },
    {
      method: 'POST',
      path: '/_sandbox/deliveries/:id/retry',
      summary: 'Sends a delivery once more, at once',
      answer: z.object({ id: z.string() }),
      handle({ id = '' }) {
        if (!deliveries.retry(id)) return null;
        wake();
        return { id };
      },
    },
  ];
}
