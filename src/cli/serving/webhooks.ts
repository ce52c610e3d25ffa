import type { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { changeWebhook } from '../../operations/webhooks/change-webhook.ts';
import { createWebhook } from '../../operations/webhooks/create-webhook.ts';
import { deleteWebhook } from '../../operations/webhooks/delete-webhook.ts';
import { listDeliveries } from '../../operations/webhooks/list-deliveries.ts';
import { listWebhooks } from '../../operations/webhooks/list-webhooks.ts';
import { redeliverWebhook } from '../../operations/webhooks/redeliver-webhook.ts';
import { rotateWebhookSecret } from '../../operations/webhooks/rotate-webhook-secret.ts';
import { timeText } from '../../reports/sentences/format.ts';
import type { CommandContext } from '../base/command.ts';
import { type Column, printTable } from '../base/table.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { call } from '../session/call.ts';
import { listed } from '../text/listed.ts';

interface Given {
  events?: string;
  accounts?: string;
  after?: string;
}

const actions = ['create', 'enable', 'disable', 'rotate', 'delete', 'log', 'redeliver'];

/** `airbatch webhooks`: lists the endpoints of webhooks, makes and changes them, and shows what was sent to one. */
export async function execute(context: CommandContext, args: string[], options: Given): Promise<number> {
  const [action = 'list', id, delivery] = args;
  if (action === 'list') return list(context);
  if (!actions.includes(action))
    throw new AirbatchError('USAGE', `"${action}" is not an action`, { hint: `Write list, ${actions.join(', ')}.` });
  if (id === undefined)
    throw new AirbatchError('USAGE', `"${action}" needs ${action === 'create' ? 'a URL' : 'the id of an endpoint'}`, {
      hint:
        action === 'create'
          ? 'For example: airbatch webhooks create https://payroll.example.com/airbatch'
          : '"airbatch webhooks" lists the endpoints.',
    });
  if (action === 'log') return log(context, id, options);
  const [done, text] = await change(context, action, id, { delivery, ...options });
  if (context.json) context.terminal.print(jsonLine(done));
  else if ('secret' in done) {
    context.terminal.error(`${text} The secret is shown only once: store it where you keep secrets.\n`);
    context.terminal.print(`${done.secret}\n`);
  } else context.terminal.print(`${text}\n`);
  return 0;
}

async function change(
  context: CommandContext,
  action: string,
  id: string,
  { events, accounts, delivery }: Given & { delivery: string | undefined },
): Promise<[object, string]> {
  switch (action) {
    case 'create': {
      // The operation refuses an event that does not exist.
      const chosen = { events: listed(events) as never[], accounts: listed(accounts) };
      const made = await call(context, createWebhook, { url: id, ...chosen });
      return [made, `The endpoint ${made.endpoint_id} receives events from now on.`];
    }
    case 'enable':
    case 'disable':
      return [
        await call(context, changeWebhook, { endpoint_id: id, enabled: action === 'enable' }),
        `The endpoint ${id} is ${action}d.`,
      ];
    case 'rotate':
      return [
        await call(context, rotateWebhookSecret, { endpoint_id: id }),
        `The endpoint ${id} has a new secret. The earlier one signs as well for a day.`,
      ];
    case 'redeliver': {
      const delivery_no = wholeNumber('"redeliver"', delivery, 1);
      if (delivery_no === undefined)
        throw new AirbatchError('USAGE', '"redeliver" needs the number of a delivery', {
          hint: `"airbatch webhooks log ${id}" lists the deliveries.`,
        });
      return [
        await call(context, redeliverWebhook, { endpoint_id: id, delivery_no }),
        `The delivery ${delivery_no} is sent again.`,
      ];
    }
    default:
      return [await call(context, deleteWebhook, { endpoint_id: id }), `The endpoint ${id} is deleted.`];
  }
}

const endpointColumns: readonly Column<z.output<typeof listWebhooks.result>['endpoints'][number]>[] = [
  { name: 'endpoint', cell: ({ endpoint_id }) => endpoint_id },
  { name: 'url', cell: ({ url }) => url },
  { name: 'events', cell: ({ events }) => (events.length === 0 ? 'all' : events.join(', ')) },
  { name: 'accounts', cell: ({ accounts }) => (accounts.length === 0 ? 'all' : accounts.join(', ')) },
  {
    name: 'state',
    cell: ({ enabled, failed_at }) =>
      enabled ? 'enabled' : failed_at === null ? 'disabled' : `disabled ${timeText(failed_at)}: nothing arrived`,
  },
];

async function list(context: CommandContext): Promise<number> {
  const found = await call(context, listWebhooks, {});
  const none = 'There are no webhook endpoints. "airbatch webhooks create URL" makes one.';
  printTable(context, endpointColumns, found.endpoints, { json: found, none });
  return 0;
}

type Delivery = z.output<typeof listDeliveries.result>['deliveries'][number];

const deliveryColumns: readonly Column<Delivery>[] = [
  { name: 'no', align: 'right', cell: ({ delivery_no }) => String(delivery_no) },
  { name: 'event', cell: ({ event }) => event },
  { name: 'batch', cell: ({ batch_id }) => batch_id },
  { name: 'outcome', cell: ({ outcome }) => outcome },
  { name: 'attempts', align: 'right', cell: ({ attempts }) => String(attempts.length) },
  { name: 'last', cell: (delivery) => ofLast(delivery, ({ at }) => timeText(at)) },
  {
    name: 'answer',
    cell: (delivery) =>
      ofLast(delivery, ({ error, status, duration_ms }) => `${error ?? `HTTP ${status}`} in ${duration_ms} ms`),
  },
];

function ofLast({ attempts }: Delivery, text: (attempt: Delivery['attempts'][number]) => string): string | null {
  const last = attempts.at(-1);
  return last === undefined ? null : text(last);
}

async function log(context: CommandContext, id: string, { after }: Given): Promise<number> {
  const found = await call(context, listDeliveries, {
    endpoint_id: id,
    after: wholeNumber('--after', after),
  });
  printTable(context, deliveryColumns, found.deliveries, { json: found, none: 'Nothing was sent to it yet.' });
  if (found.next !== null && !context.json)
    context.terminal.error(`Older ones: airbatch webhooks log ${id} --after ${found.next}\n`);
  return 0;
}
