import { once } from 'node:events';
import { resolve } from 'node:path';
import type { CommandContext } from './main.ts';

/** `airbatch sandbox`: the service on this machine, until Ctrl-C. */
export async function execute(
  { terminal, cwd, json }: CommandContext,
  _args: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const { makeSandbox } = await import('../sandbox/index.ts');
  const data = options.ephemeral === true ? undefined : resolve(cwd, String(options.data ?? '.airbatch/sandbox.db'));
  const sandbox = await makeSandbox({ ...(data === undefined ? {} : { data }) });
  const url = await sandbox.listen({ port: Number(options.port ?? 0) });
  if (json) terminal.print(`${JSON.stringify({ url })}\n`);
  else terminal.print(`The sandbox listens at ${url} (key: sandbox-key). Ctrl-C ends it.\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await sandbox.close();
  return 0;
}
