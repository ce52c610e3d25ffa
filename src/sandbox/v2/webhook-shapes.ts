import { z } from 'zod';
import { isoTime, money } from '../http/shapes.ts';
import { v2Answers } from './v2-shapes.ts';

/** The body of a registered webhook (spec section 6.2). */
const registered = (type: string, data: z.ZodType) =>
  z.object({ id: z.uuid(), type: z.literal(type), timestamp: isoTime, data });

const transaction = z.object({
  transactionId: z.uuid(),
  status: z.string(),
  recipient: z.object({ phoneNumber: z.string(), network: z.string(), country: z.string() }),
  product: z.object({ type: z.string(), localAmount: money, currency: z.string() }),
  sourceAmount: money,
  sourceCurrency: z.string(),
  idempotencyKey: z.string(),
  completedAt: isoTime.optional(),
});

/** The spec does not show its shape. */
const wallet = z.object({ walletId: z.string(), currency: z.string(), balance: money, threshold: money });

export interface WebhookShape {
  event: string;
  scheme: 'callback' | 'registered';
  summary: string;
  body: z.ZodType;
}

/** Every event of spec section 6, with its body. */
export const webhookShapes: readonly WebhookShape[] = [
  { event: 'topup.processing', scheme: 'callback', summary: 'Delivery is in progress', body: v2Answers.single },
  { event: 'topup.completed', scheme: 'callback', summary: 'The airtime was delivered', body: v2Answers.single },
  { event: 'topup.failed', scheme: 'callback', summary: 'The delivery failed', body: v2Answers.single },
  ...[
    ['transaction.pending', 'The transaction waits for its processing'],
    ['transaction.completed', 'The airtime was delivered'],
    ['transaction.failed', 'The transaction failed'],
    ['transaction.refunded', 'The transaction was refunded to the wallet'],
  ].map(([event = '', summary = '']) => ({
    event,
    scheme: 'registered' as const,
    summary,
    body: registered(event, transaction),
  })),
  {
    event: 'wallet.low_balance',
    scheme: 'registered',
    summary: 'The balance of a wallet fell below its threshold',
    body: registered('wallet.low_balance', wallet),
  },
];
