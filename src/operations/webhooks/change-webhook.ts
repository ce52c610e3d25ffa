import { z } from 'zod';
import { shownUrl } from '../../core/text/safe-url.ts';
import { changeAccess } from '../../ledger/access/access-events.ts';
import { saveEndpoint } from '../../ledger/outbox/webhook-endpoints.ts';
import { defineOperation } from '../base/operation.ts';
import {
  endpoint,
  endpointChoices,
  endpointId,
  endpointJson,
  requireEndpoint,
  requireOutside,
} from './webhook-fields.ts';

/** Changes an endpoint: its address, which events it receives, or whether it receives any. */
export const changeWebhook = defineOperation({
  name: 'change-webhook',
  role: 'admin',
  ledger: 'change',
  input: z.strictObject({
    endpoint_id: endpointId,
    url: endpointChoices.url.optional(),
    events: endpointChoices.events.optional(),
    accounts: endpointChoices.accounts.optional(),
    /** While it is disabled, nothing new is stored for it; what waits is sent once it is enabled again. */
    enabled: z.boolean().optional(),
  }),
  result: endpoint,
  run: ({ session }, { endpoint_id, url, events, accounts, enabled }) =>
    changeAccess(session, async ({ tx, at, note }) => {
      if (url !== undefined) requireOutside(session, url);
      const before = await requireEndpoint(tx, endpoint_id);
      const after = {
        ...before,
        url: url ?? before.url,
        events: events === undefined ? before.events : [...new Set(events)].toSorted(),
        accounts: accounts === undefined ? before.accounts : [...new Set(accounts)].toSorted(),
        enabled: enabled === undefined ? before.enabled : Number(enabled),
        failed_at: enabled === true ? null : before.failed_at,
      };
      await saveEndpoint(tx, after);
      await note('webhook.change', { endpoint: endpoint_id, url: shownUrl(after.url), enabled: after.enabled === 1 });
      return endpointJson(after, at);
    }),
});
