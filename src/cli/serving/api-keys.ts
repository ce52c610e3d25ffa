import type { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import type { ApiKey } from '../../operations/access/api-key-fields.ts';
import { createApiKey } from '../../operations/access/create-api-key.ts';
import { listApiKeys } from '../../operations/access/list-api-keys.ts';
import { revokeApiKey } from '../../operations/access/revoke-api-key.ts';
import { timeText } from '../../reports/sentences/format.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { type Column, printTable } from '../base/table.ts';
import { call } from '../session/call.ts';
import { listed } from '../text/listed.ts';

interface Given {
  roles?: string;
  accounts?: string;
  expires?: string;
}

/** `airbatch api-keys`: lists the keys of the HTTP API, creates one, or revokes one. */
export async function execute(context: CommandContext, args: string[], options: Given): Promise<number> {
  const [action = 'list', name] = args;
  if (action === 'list') return list(context);
  if (action !== 'create' && action !== 'revoke')
    throw new AirbatchError('USAGE', `"${action}" is not an action`, { hint: 'Write list, create or revoke.' });
  if (name === undefined)
    throw new AirbatchError('USAGE', `"${action}" needs the name of the key`, {
      hint: `For example: airbatch api-keys ${action} payroll-system${action === 'create' ? ' --roles prepare' : ''}`,
    });
  return action === 'create' ? create(context, name, options) : revoke(context, name);
}

type Key = z.output<typeof listApiKeys.result>['keys'][number];

const columns: readonly Column<Key>[] = [
  { name: 'key', cell: ({ name }) => name },
  { name: 'roles', cell: ({ roles }) => roles.join(', ') },
  { name: 'accounts', cell: ({ accounts }) => (accounts.length === 0 ? 'all' : accounts.join(', ')) },
  { name: 'works', cell: stateText },
  { name: 'last used', cell: ({ last_used_at }) => (last_used_at === null ? 'never' : timeText(last_used_at)) },
];

async function list(context: CommandContext): Promise<number> {
  const found = await call(context, listApiKeys, {});
  const none = 'There are no API keys. "airbatch api-keys create NAME --roles audit" makes one.';
  printTable(context, columns, found.keys, { json: found, none });
  return 0;
}

async function create(context: CommandContext, name: string, { roles, accounts, expires }: Given): Promise<number> {
  const { terminal, json } = context;
  const key = await call(context, createApiKey, {
    name,
    // The operation refuses a role that does not exist.
    roles: listed(roles) as ApiKey['roles'],
    accounts: listed(accounts),
    expires,
  });
  if (json) terminal.print(jsonLine(key));
  else {
    terminal.error(
      `The key of ${name}, which ${mayText(key)}. It is shown only once: store it where you keep secrets.\n`,
    );
    terminal.print(`${key.secret}\n`);
  }
  return 0;
}

async function revoke(context: CommandContext, name: string): Promise<number> {
  const revoked = await call(context, revokeApiKey, { name });
  answer(context, revoked, `The key of ${name} is revoked: the API refuses it from now on.`);
  return 0;
}

function stateText({ revoked_at, expires_at }: Pick<ApiKey, 'revoked_at' | 'expires_at'>): string {
  if (revoked_at !== null) return `revoked ${timeText(revoked_at)}`;
  return expires_at === null ? 'for ever' : `until ${timeText(expires_at)}`;
}

function mayText({ roles, accounts }: ApiKey): string {
  const where = accounts.length === 0 ? 'for all accounts' : `for ${accounts.join(' and ')}`;
  return `has ${roles.length === 1 ? 'the role' : 'the roles'} ${roles.join(', ')} ${where}`;
}
