import { jsonLine } from '../../core/text/json-output.ts';
import { serve } from '../../serving/serve.ts';
import type { CommandContext } from '../base/command.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { doorOf } from '../session/call.ts';
import { onInterrupt } from '../session/interrupt.ts';
import { graceSecondsDefault } from './serve.ts';

const hostDefault = '127.0.0.1';
const portDefault = 8788;
/** A request was left in flight; its row is in doubt at the next start. */
const lateExitCode = 5;

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
  const { place, nameOf } = doorOf(context);
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
  const stopping = new AbortController();
  const interrupts: { dispose(): void }[] = [];
  try {
    await serve(place, options, {
      onServing: (_webhooks, console) => {
        if (console !== null) sayWhere(context, console);
      },
      stopSignal() {
        interrupts.push(onInterrupt(() => stopping.abort()));
        return stopping.signal;
      },
      exitLate: () => process.exit(lateExitCode),
      nameOf: (field) => nameOf(field.replace(/^api_/, '')),
    });
    return 0;
  } finally {
    for (const interrupt of interrupts) interrupt.dispose();
  }
}

function sayWhere({ terminal, json }: CommandContext, { url, link }: { url: string; link: string | null }): void {
  if (json) terminal.print(jsonLine({ url, link }));
  else {
    terminal.print(`The console is at ${url} (Ctrl-C ends it).\n`);
    if (link !== null)
      terminal.print(`Set the administrator's password here. The link works once, for 72 hours:\n  ${link}\n`);
  }
}
