/** The result of a call about a file; null if the file does not exist. */
export function unlessGone<Result>(call: Promise<Result>): Promise<Result | null> {
  return call.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
