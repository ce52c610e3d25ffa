import { AirbatchError } from '../core/errors.ts';
import type { Evidence } from '../gateway/gateway.ts';
import type { OpenAccount } from './account.ts';

/**
 * What is thrown where the service refuses an account's credentials: it names the variables that hold them, and never a value. `next` is
 * what to do once they are right.
 */
export function credentialsRefused(
  { name, credentialsFrom }: Pick<OpenAccount, 'name' | 'credentialsFrom'>,
  { code, message }: Pick<Evidence, 'code' | 'message'>,
  next: string,
): AirbatchError {
  return new AirbatchError(
    'CREDENTIALS_REJECTED',
    `the service rejects the credentials of account "${name}" (${credentialsFrom}): ${code}, ${message}`,
    { hint: `Correct ${credentialsFrom} in the environment or in .env, then ${next}.` },
  );
}
