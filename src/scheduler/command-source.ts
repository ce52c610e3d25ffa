import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AirbatchError, errorMessage } from '../core/errors.ts';

/** How much of what a command says on stderr is repeated. */
const complaintLengthMax = 300;

/**
 * Runs a program, without a shell, and keeps what it writes to its standard output in `path`, whole or not at all. Throws
 * `FILE_REJECTED` when it cannot be run, ends with another exit code than 0, or takes too long.
 */
export async function runSourceCommand(
  [program = '', ...args]: readonly string[],
  { cwd, path, timeoutMs }: { cwd: string; path: string; timeoutMs: number },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}.part`;
  try {
    const child = spawn(program, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-complaintLengthMax);
    });
    const ended = new Promise<string | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        if (code === 0) resolve(null);
        else if (signal === 'SIGKILL') resolve(`took longer than ${timeoutMs / 1_000} s, and was stopped`);
        else
          resolve(
            `ended with ${code === null ? `signal ${signal}` : `exit code ${code}`}${complaint ? `: ${complaint.trim()}` : ''}`,
          );
      });
    });
    const [trouble] = await Promise.all([ended, pipeline(child.stdout, createWriteStream(partial, { mode: 0o600 }))]);
    if (trouble !== null) throw new Error(trouble);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw new AirbatchError('FILE_REJECTED', `the command ${program} brought no file: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
