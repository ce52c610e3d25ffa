import { AirbatchError, errorMessage } from '../core/errors.ts';

/** Listens at a place that the command line says; where that cannot be had (it is taken, or is no port), another is to be chosen. */
export async function listening(place: string, options: string, listen: () => Promise<string>): Promise<string> {
  try {
    return await listen();
  } catch (error) {
    throw new AirbatchError('USAGE', `cannot listen at ${place}: ${errorMessage(error)}`, {
      hint: `Choose another place with ${options}.`,
      cause: error,
    });
  }
}
