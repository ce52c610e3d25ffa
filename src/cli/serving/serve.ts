import { jsonLine } from '../../core/text/json-output.ts';
import { type ServeOptions, serve } from '../../serving/serve.ts';
import type { CommandContext } from '../base/command.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { doorOf } from '../session/call.ts';
import { type Interrupt, onInterrupt } from '../session/interrupt.ts';

/** Where it listens by default: for this machine alone, behind a proxy that speaks https to the world. */
const hostDefault = '127.0.0.1';
const portDefault = 8787;
/**
 * How long what is in flight may take to end after a SIGTERM: less than the 30 s after which container managers kill.
 * What has not ended by then is looked up at the next start, as after a crash.
 */
export const graceSecondsDefault = 25;
/** Something was left in flight: at the next start it is a doubt. */
const lateExitCode = 5;

interface Given {
  host?: string;
  port?: string;
  metricsHost?: string;
  metricsPort?: string;
  apiHost?: string;
  apiPort?: string;
  grace?: string;
  restored?: boolean;
}

/** `airbatch serve`: works for every configured account and takes its webhooks, until SIGTERM or Ctrl-C. */
export async function execute(context: CommandContext, _args: string[], given: Given): Promise<number> {
  const options = optionsOf(given);
  const interrupts: Interrupt[] = [];
  const { place, nameOf } = doorOf(context);
  try {
    // Its log is for programs, also where a person watches.
    await serve({ ...place, screen: null }, options, {
      onServing: (url) =>
        context.terminal.print(context.json ? jsonLine({ url }) : `Serving at ${url}. Ctrl-C ends it.\n`),
      stopSignal() {
        const stopping = new AbortController();
        interrupts.push(onInterrupt(() => stopping.abort()));
        return stopping.signal;
      },
      exitLate: () => process.exit(lateExitCode),
      nameOf,
    });
    return 0;
  } finally {
    for (const interrupt of interrupts) interrupt.dispose();
  }
}

/** The options' numbers are read before anything is opened. */
function optionsOf({ host, port, metricsHost, metricsPort, apiHost, apiPort, grace, restored }: Given): ServeOptions {
  const api = wholeNumber('--api-port', apiPort);
  const metrics = wholeNumber('--metrics-port', metricsPort);
  return {
    address: { host: host ?? hostDefault, port: wholeNumber('--port', port) ?? portDefault },
    // Metrics show balances: they are at a port of their own, and only where one is named.
    metricsAddress: metrics === undefined ? null : { host: metricsHost ?? hostDefault, port: metrics },
    // The port of the webhooks is open to the world; the API is where its callers are.
    apiAddress: api === undefined ? null : { host: apiHost ?? hostDefault, port: api },
    graceMs: (wholeNumber('--grace', grace) ?? graceSecondsDefault) * 1_000,
    restored: restored === true,
  };
}
