import { jsonLine } from '../../core/text/json-output.ts';
import type { CommandContext } from '../base/command.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { graceSecondsDefault } from './serve.ts';
import { serveUntilStopped } from './serve-until-stopped.ts';

const hostDefault = '127.0.0.1';
const portDefault = 8788;

interface Given {
  host?: string;
  port?: string;
  sandbox?: boolean;
  admin?: string;
}

/**
 * `airbatch console`: what `airbatch serve` does, with the console for people in a browser. Webhooks come in at a port
 * of this machine alone.
 */
export async function execute(context: CommandContext, _args: string[], given: Given): Promise<number> {
  const apiAddress = { host: given.host ?? hostDefault, port: wholeNumber('--port', given.port) ?? portDefault };
  const options = {
    address: { host: hostDefault, port: 0 },
    metricsAddress: null,
    apiAddress,
    graceMs: graceSecondsDefault * 1_000,
    restored: false,
    invitation: given.admin === undefined ? {} : { name: given.admin },
    sandbox: given.sandbox === true,
  };
  return serveUntilStopped(context, options, {
    onServing: (_webhooks, console) => console && sayWhere(context, console),
    optionOf: (field) => field.replace(/^api_/, ''),
  });
}

function sayWhere({ terminal, json }: CommandContext, { url, link }: { url: string; link: string | null }): void {
  if (json) terminal.print(jsonLine({ url, link }));
  else {
    terminal.print(`The console is at ${url} (Ctrl-C ends it).\n`);
    if (link !== null)
      terminal.print(`Set the administrator's password here. The link works once, for 72 hours:\n  ${link}\n`);
  }
}
