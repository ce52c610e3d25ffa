import type { ServeOptions } from '../../serving/serve.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { serveUntilStopped } from './serve-until-stopped.ts';

/** The default address: reachable from this machine only. A proxy that speaks https connects it to the internet. */
const hostDefault = '127.0.0.1';
const portDefault = 8787;
/**
 * How long requests in flight may take to end after a SIGTERM. Container managers kill after 30 s, so it is less. A
 * request that has not ended by then is looked up at the next start, as after a crash.
 */
export const graceSecondsDefault = 25;

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

/** `airbatch serve`: works for every configured account and receives its webhooks, until SIGTERM or Ctrl-C. */
export async function execute(context: CommandContext, _args: string[], given: Given): Promise<number> {
  return serveUntilStopped(context, optionsOf(given), {
    onServing: (url) => answer(context, { url }, `Serving at ${url}. Ctrl-C ends it.`),
    // Programs read its log, even if a person watches.
    screen: null,
  });
}

/** Reads the numbers of the options before anything is opened. */
function optionsOf({ host, port, metricsHost, metricsPort, apiHost, apiPort, grace, restored }: Given): ServeOptions {
  const api = wholeNumber('--api-port', apiPort);
  const metrics = wholeNumber('--metrics-port', metricsPort);
  return {
    address: { host: host ?? hostDefault, port: wholeNumber('--port', port) ?? portDefault },
    // Metrics show balances, so they get a port of their own, and only if an option names one.
    metricsAddress: metrics === undefined ? null : { host: metricsHost ?? hostDefault, port: metrics },
    // The webhook port is open to the internet; the API has its own address for its callers.
    apiAddress: api === undefined ? null : { host: apiHost ?? hostDefault, port: api },
    graceMs: (wholeNumber('--grace', grace) ?? graceSecondsDefault) * 1_000,
    restored: restored === true,
    // Links do not belong in a log: "airbatch console" prints it.
    invitation: null,
    sandbox: false,
  };
}
