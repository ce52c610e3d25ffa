import { AirbatchError, errorMessage } from '../core/basics/errors.ts';

/** Listens at a place from the command line. If the place is taken, or is no valid port, the error asks for another. */
export async function listening(place: string, options: string, listen: () => Promise<string>): Promise<string> {
  try {
    return await listen();
  } catch (error) {
    throw new AirbatchError('USAGE', `cannot listen at ${place}: ${whyNot(error)}`, {
      hint: `Choose another place with ${options}.`,
      cause: error,
    });
  }
}

/** The system's own error text says little to a person who is no programmer. */
function whyNot(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'another program listens there already';
  if (code === 'EADDRNOTAVAIL') return 'this machine has no such address';
  if (code === 'EACCES') return 'the system does not let you listen at this port';
  if (code === 'ERR_SOCKET_BAD_PORT') return 'ports go up to 65535';
  return errorMessage(error);
}
