import { type ServeDoor, type ServeOptions, serve } from '../../serving/serve.ts';
import type { CommandContext } from '../base/command.ts';
import { doorOf } from '../session/call.ts';
import { type Interrupt, onInterrupt } from '../session/interrupt.ts';

/** A request was left in flight; its row is in doubt at the next start. */
const lateExitCode = 5;

interface UntilStopped extends Pick<ServeDoor, 'onServing'> {
  /** The name of an option that is not called like its field. */
  optionOf?: (field: string) => string;
  /** Set if programs read the log, even if a person watches. */
  screen?: null;
}

/** Serves until SIGTERM or Ctrl-C. */
export async function serveUntilStopped(
  context: CommandContext,
  options: ServeOptions,
  { onServing, optionOf = (field) => field, ...screen }: UntilStopped,
): Promise<number> {
  const { place, nameOf } = doorOf(context);
  const interrupts: Interrupt[] = [];
  try {
    await serve({ ...place, ...screen }, options, {
      onServing,
      stopSignal() {
        const stopping = new AbortController();
        interrupts.push(onInterrupt(() => stopping.abort()));
        return stopping.signal;
      },
      exitLate: () => process.exit(lateExitCode),
      nameOf: (field) => nameOf(optionOf(field)),
    });
    return 0;
  } finally {
    for (const interrupt of interrupts) interrupt.dispose();
  }
}
